"""``--drop-attribute``: a copy without some attributes has the same values."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = """netcdf a {
dimensions: time = UNLIMITED ; x = 4 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ; time:history = "t" ;
  short v(time, x) ; v:_FillValue = 9s ; v:units = "m" ; v:hist = 1 ; v:_ChunkSizes = 1, 2 ;
:history = "a" ; :title = "b" ;
data: time = TIME ; v = 1, 2, _, _ ;
group: g { variables: int v(time) ; v:history = "h" ; :history = "g" ; }
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "a.cdl").write_text(CDL.replace("TIME", "1"))
    ncz.gen(tmp_path / "a.cdl", tmp_path / "a.nc", notify=ignore_notice)
    return tmp_path / "a.nc"


def attributes_of(path: Path) -> dict[str, list[str]]:
    with ncz.open(path, notify=ignore_notice) as ds:
        owners = {"/": ds, "g": ds["g"], "time": ds["time"], "v": ds["v"], "g/v": ds["g/v"]}
        return {name: sorted(one.attrs) for name, one in owners.items()}


ALL = {
    "/": ["history", "title"],
    "g": ["history"],
    "time": ["history", "units"],
    "v": ["_FillValue", "hist", "units"],
    "g/v": ["history"],
}


@pytest.mark.parametrize("target", ["b.nc", "b.zarr"])
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("history", {"/": ["title"], "g": [], "time": ["units"], "g/v": []}),
        (":history", {"/": ["title"], "g": []}),
        ("time:*,/g/v:history", {"time": [], "g/v": []}),
        ("v:hist*", {"v": ["_FillValue", "units"], "g/v": []}),
        ("v:_FillValue", {"v": ["hist", "units"]}),
    ],
)
def test_attributes_are_left_out(run: Run, source, tmp_path, target, names, expected):
    options = ["--verify", "--drop-attribute", names]
    assert run("copy", *options, source, tmp_path / target).code == 0
    assert attributes_of(tmp_path / target) == ALL | expected
    with ncz.open(tmp_path / target) as ds:
        assert ds["v"][:].tolist() == [[1, 2, 9, 9]]


@pytest.mark.parametrize("target", ["c.nc", "c.zarr"])
def test_values_that_were_never_written_stay(source, tmp_path, target):
    """They are the attributes of the mask, also without the mask."""
    (tmp_path / "b.cdl").write_text(CDL.replace("TIME", "1, 2"))
    ncz.gen(tmp_path / "b.cdl", tmp_path / "b.zarr", notify=ignore_notice)
    ncz.copy(
        tmp_path / "b.zarr",
        tmp_path / target,
        drop_attributes=["_FillValue"],
        notify=ignore_notice,
        verify=True,
    )
    with ncz.open(tmp_path / target) as ds:
        assert ds["v"][:].tolist() == [[1, 2, 9, 9], [9, 9, 9, 9]]
        assert "_FillValue" not in ds["v"].attrs


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("histroy", "no attribute matches 'histroy'; did you mean 'history'"),
        ("time:title", "no attribute matches 'time:title'"),
        ("time:", "--drop-attribute 'time:' is not NAME, VARIABLE:NAME or :NAME"),
    ],
)
def test_names_that_mean_nothing(run: Run, source, tmp_path, names, message):
    done = run("copy", "--drop-attribute", names, source, tmp_path / "b.nc")
    assert done.code in (1, 2)
    assert message in done.stderr
    assert not (tmp_path / "b.nc").exists()


def test_attributes_that_differ_are_left_out_before_a_join(run: Run, source, tmp_path):
    (tmp_path / "b.cdl").write_text(CDL.replace("TIME", "2").replace('"m"', '"km"'))
    ncz.gen(tmp_path / "b.cdl", tmp_path / "b.nc", notify=ignore_notice)
    join = ["copy", "--concat", "time", source, tmp_path / "b.nc", tmp_path / "both.nc"]
    assert run(*join).code == 1
    assert run(*join, "--drop-attribute", "v:units").code == 0
    with ncz.open(tmp_path / "both.nc") as ds:
        assert (ds["time"][:].tolist(), [*ds["v"].attrs]) == ([1, 2], ["_FillValue", "hist"])
