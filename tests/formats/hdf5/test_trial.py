"""Filters that HDF5 refuses are replaced, and filters of stores by ones that all programs read."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.hdf5 import trial

h5py = pytest.importorskip("h5py", reason="h5py is not installed")

BLOSC = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
TEXT = """netcdf s { dimensions: t = 4 ; x = 6 ; variables: float v(t, x) ; v:_Codecs = %s ;
data: v = 1, 2, 3, 4, 5, 6 ; }"""


def source(codecs: list[dict], name: str = "s.zarr") -> str:
    text = TEXT % json.dumps(json.dumps(codecs))
    ncz.gen(io.BytesIO(text.encode()), name, modes=["zarr"], notify=ignore_notice)
    return name


def filters(path: str) -> list[int]:
    with h5py.File(path) as file:
        properties = file["v"].id.get_create_plist()
        return [properties.get_filter(i)[0] for i in range(properties.get_nfilters())]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "others", [[], [{"id": "shuffle", "elementsize": 4}, {"id": "fletcher32"}]]
)
def test_zlib_replaces_a_filter_that_hdf5_refuses(monkeypatch, others):
    pytest.importorskip("hdf5plugin", reason="hdf5plugin is not installed")
    text = ncz.dump(source([*others[:1], BLOSC, *others[1:]]), special=True)
    monkeypatch.setattr(trial, "_is_accepted", lambda array: False)
    notices: list[str] = []
    ncz.gen(
        io.BytesIO(text.encode()), "o.nc", kind="netCDF-4", notify=lambda n: notices.append(str(n))
    )
    assert filters("o.nc") == [2, 1, 3][not others : 2 if not others else 3]
    assert len(notices) == 1
    assert "blosc becomes zlib, because HDF5 cannot use its filter: /v" in notices[0]
    assert ncz.diff("s.zarr", "o.nc", notify=ignore_notice) == []


def test_a_plugin_of_another_hdf5_is_not_used():
    """Importing netCDF4 lets HDF5 find its plugins, and some of them fail in the HDF5 of h5py."""
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    json_text = ncz.dump(source([BLOSC]), view="json")
    Path("s.json").write_text(json_text)
    code = (
        "import sys; sys.modules['hdf5plugin'] = None; import netCDF4, ncz;"
        "ncz.gen('s.json', 'o.nc', kind='netCDF-4', notify=print)"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
    assert ncz.diff("s.zarr", "o.nc", notify=ignore_notice) == []


@pytest.mark.parametrize("mode", ["cfa", "cfa0.4", "cf"])
def test_pieces_and_their_copies_have_filters_that_every_reader_has(mode):
    ncz.copy(source([BLOSC]), "m.nca", modes=[mode], pieces={"t": 2}, notify=ignore_notice)
    pieces = list(Path("m").glob("*.nc"))
    assert pieces
    assert all(filters(str(piece)) == [2, 1] for piece in pieces)
    for codec in (BLOSC, {"id": "zstd", "level": 1}):
        name = f"{codec['id']}.zarr"
        ncz.copy(
            source([codec], name), "m.zarr", modes=[mode, "nczarr"], pieces={"t": 2},
            overwrite=True, notify=ignore_notice,
        )  # fmt: skip
        ncz.copy("m.zarr", "o.nc", kind="netCDF-4", overwrite=True, notify=ignore_notice)
        assert set(filters("o.nc")) <= {1, 2}
