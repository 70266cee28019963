"""Values of a new dimension, one for each dataset."""

from __future__ import annotations

from typing import Any

import pytest

import ncz
from ncz.commands.joining.members import named_members
from ncz.commands.option_error import OptionError
from ncz.errors import ignore_notice

TEXT = """netcdf m {{ dimensions: x = 2 ; variables: int x(x) ; int v(x) ;
data: x = 1, 2 ; v = {0}, {0} ; }}"""


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        ncz.gen(TEXT.format(number), f"{number}.nc", kind="netCDF-4")
    return [f"{number}.nc" for number in range(3)]


@pytest.mark.parametrize(
    ("values", "type", "expected"),
    [
        ("r1,r2,r3", "string", ["r1", "r2", "r3"]),
        ("1,2,10", "int", [1, 2, 10]),
        ("1,2,10000000000", "int64", [1, 2, 10000000000]),
        ("1,2.5,3", "double", [1, 2.5, 3]),
        ("1,b,3", "string", ["1", "b", "3"]),
    ],
)
@pytest.mark.parametrize("argument", ["concat", "new_dimension"])
def test_the_values_are_a_coordinate(runs, values, type, expected, argument):
    theirs: Any = {argument: f"member={values}"}
    for target in ("all.nc", "all.zarr"):
        ncz.copy(runs, target, notify=ignore_notice, **theirs)
        found = ncz.open(target)
        assert found["member"][:].tolist() == expected
        assert f"\t{type} member(member)" in ncz.dump(target, header_only=True)
        assert found["v"].dims == ("member", "x")
        assert found["v"][:, 0].tolist() == [0, 1, 2]


def test_xarray_selects_by_them(runs):
    xarray = pytest.importorskip("xarray")
    ncz.copy(runs, "all.zarr", concat="member=r1,r2,r3", audience="xarray", notify=ignore_notice)
    with xarray.open_zarr("all.zarr") as found:
        assert found.v.sel(member="r2").values.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("concat", "says"),
    [
        ("member=r1,r2", "2 values of member for 3 datasets"),
        ("x=1,2,3", "values of x, which the datasets have already"),
    ],
)
def test_values_that_do_not_fit_are_refused(runs, concat, says):
    with pytest.raises(OptionError, match=says):
        ncz.copy(runs, "all.nc", concat=concat)


def test_a_name_alone_has_no_values():
    assert named_members("time") == ("time", ())
    assert named_members(None) == (None, ())
    assert named_members("m=a,b") == ("m", ("a", "b"))
