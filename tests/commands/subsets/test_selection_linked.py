"""Parts of ragged arrays and meshes in files: elements of omitted indices are omitted too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from tests.conftest import Run

RAGGED = """netcdf r {{
dimensions: station = 3 ; obs = 6 ;
variables:
  string station(station) ; station:cf_role = "timeseries_id" ;
  {index} ;
  float t(obs) ;
data:
  station = "A", "B", "C" ;
  {values} ;
  t = 1, 2, 3, 4, 5, 6 ;
}}
"""
KINDS = {
    "contiguous": ('int row(station) ; row:sample_dimension = "obs"', "row = 1, 2, 3"),
    "indexed": ('int row(obs) ; row:instance_dimension = "station"', "row = 0, 1, 1, 2, 2, 2"),
    "text": ('int row(station) ; string row:sample_dimension = "obs"', "row = 1, 2, 3"),
}
MESH = """netcdf m {
dimensions: node = 4 ; face = 2 ; three = 3 ;
variables:
  int mesh ;
    mesh:cf_role = "mesh_topology" ;
    mesh:node_coordinates = "x y" ;
    mesh:face_node_connectivity = "corners" ;
  double x(node), y(node) ;
  int corners(face, three) ; corners:start_index = 1 ;
  float v(face) ; v:mesh = "mesh" ; v:location = "face" ;
data:
  x = 0, 1, 1, 0 ;
  y = 0, 0, 1, 1 ;
  corners = 1, 2, 3, 1, 3, 4 ;
  v = 10, 20 ;
}
"""
Store = Callable[[str, str], Path]


@pytest.fixture
def stored(tmp_path: Path) -> Store:
    def store(cdl: str, suffix: str) -> Path:
        target = tmp_path / f"source{suffix}"
        (tmp_path / "source.cdl").write_text(cdl)
        ncz.gen(tmp_path / "source.cdl", target, overwrite=True, notify=ignore_notice)
        return target

    return store


def samples(path: Path) -> dict[str, list[float]]:
    with ncz.open(path) as ds:
        names, t, row = (ds[name][:].tolist() for name in ("station", "t", "row"))
        is_indexed = ds["row"].dims == ("obs",)
    owners = row if is_indexed else [n for n, size in enumerate(row) for _ in range(size)]
    return {n: [v for v, o in zip(t, owners, strict=True) if o == i] for i, n in enumerate(names)}


@pytest.mark.parametrize("suffix", [".nc", ".zarr"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--isel", "station=1:3"], {"B": [2, 3], "C": [4, 5, 6]}),
        (["--sel", "station=C"], {"C": [4, 5, 6]}),
        (["--isel", "obs=0:3"], {"A": [1], "B": [2, 3], "C": []}),
        (["--isel", "station=1:3", "--isel", "obs=2:5"], {"B": [3], "C": [4, 5]}),
    ],
)
def test_samples_stay_with_their_stations(
    run: Run, stored: Store, tmp_path, suffix, kind, options, expected
):
    index, values = KINDS[kind]
    source = stored(RAGGED.format(index=index, values=values), suffix)
    assert run("copy", "--verify", *options, source, tmp_path / "part.nc").code == 0
    assert samples(tmp_path / "part.nc") == expected


def test_a_notice_names_other_dimensions_that_are_cut(run: Run, stored: Store):
    index, values = KINDS["contiguous"]
    source = stored(RAGGED.format(index=index, values=values), ".nc")
    done = run("dump", "-h", "--isel", "station=1:", source)
    assert (
        "ncz: notice: /obs is cut too, to 5 of 6, as /row refers to elements that are left out"
        in done.stderr
    )
    notices: list[Notice] = []
    part = ncz.open(source, notify=notices.append).isel(station=slice(1, None))
    assert part["t"][:].tolist() == [2, 3, 4, 5, 6]
    assert [notice.code for notice in notices] == ["dimension-also-cut"]


def test_a_variable_brings_its_mesh(run: Run, stored: Store, tmp_path):
    assert run("copy", "--vars", "v", stored(MESH, ".nc"), tmp_path / "part.nc").code == 0
    with ncz.open(tmp_path / "part.nc") as ds:
        assert {*ds.variables} == {"v", "mesh", "corners", "x", "y"}


def test_a_face_keeps_its_corners(run: Run, stored: Store, tmp_path):
    part = tmp_path / "part.zarr"
    assert run("copy", "--verify", "--isel", "face=1", stored(MESH, ".nc"), part).code == 0
    with ncz.open(part) as ds:
        assert ds["corners"][:].tolist() == [[1, 2, 3]]
        assert [*zip(ds["x"][:], ds["y"][:], strict=True)] == [(0, 0), (1, 1), (0, 1)]
        assert ds["v"][:].tolist() == [20]


def test_nodes_without_any_face(run: Run, stored: Store, tmp_path):
    done = run("copy", "--isel", "node=1:", stored(MESH, ".nc"), tmp_path / "part.nc")
    assert done.code == 1
    assert done.stderr.startswith("ncz: /corners: the selection leaves no index of /face")
    assert not (tmp_path / "part.nc").exists()


GATHERED = """netcdf g {
dimensions: y = 2 ; x = 3 ; land = 3 ;
variables:
  int land(land) ; land:compress = "y x" ;
  float v(land) ;
data:
  land = 0, 2, 5 ;
  v = 10, 20, 30 ;
}
"""


def test_gathered_points_keep_their_grid(run: Run, stored: Store, tmp_path):
    """The axes of the grid need no variables, but the points mean nothing without their lengths."""
    source = stored(GATHERED, ".nc")
    assert run("copy", "--vars", "v", source, tmp_path / "part.nc").code == 0
    assert ncz.open(tmp_path / "part.nc").dims == {"land": 3, "x": 3, "y": 2}
    done = run("copy", "--isel", "x=2", "--isel", "y=::-1", source, tmp_path / "turned.nc")
    assert done.code == 0
    with ncz.open(tmp_path / "turned.nc") as ds:
        assert (ds["land"][:].tolist(), ds["v"][:].tolist()) == ([1, 0], [20, 30])


def test_a_list_of_indices_is_followed_if_each_is_there_once(stored: Store, run: Run) -> None:
    source = stored(RAGGED.format(index=KINDS["contiguous"][0], values=KINDS["contiguous"][1]), "")
    part = source.with_name("part.nc")
    assert run("copy", "--isel", "station=2,0", source, part).code == 0
    assert samples(part) == {"C": [4, 5, 6], "A": [1]}
    failed = run("copy", "--isel", "station=2,2", source, source.with_name("other.nc"))
    assert failed.code == 1
    assert "an index of /station is selected several times" in failed.stderr
    assert "select each index once" in failed.stderr
