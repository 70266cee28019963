"""Types, masks and packing of sources in the form of the first one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ncz
from tests.commands.joining.making import copied, make, values
from tests.conftest import Run

xr = pytest.importorskip("xarray")


@pytest.mark.parametrize(
    ("types", "rows", "joined"),
    [
        (("short", "int"), ([1, 2], [70000, 3]), "int32"),
        (("int", "short"), ([70000, 3], [1, 2]), "int32"),
        (("ubyte", "byte"), ([200, 3], [-1, 2]), "int16"),
        (("short", "float"), ([300, 2], [0.5, 2]), "float32"),
        (("int", "float"), ([2**24 + 1, 2], [0.5, 2]), "float64"),
        (("float", "double"), ([0.5, 2], [0.1, 2]), "float64"),
        (("uint", "int64"), ([2**32 - 1, 2], [-1, 2]), "int64"),
    ],
)
def test_the_type_represents_the_numbers_of_all_sources(types, rows, joined):
    first = make("a.zarr", [0], type=types[0], values=rows[0])
    other = make("b.zarr", [1], type=types[1], values=rows[1])
    (notice,) = copied(first, other, concat="time", verify=True)
    assert (notice.code, notice.location) == ("types-converted", other)
    found = ncz.open("all.zarr")["v"][...]
    assert found.dtype == joined
    assert found.tolist() == [list(row) for row in rows]


def test_numbers_that_no_type_holds(run: Run):
    first = make("a.zarr", [0], type="uint64", values=[2**64 - 1, 2])
    other = make("b.zarr", [1], type="byte", values=[-1, 2])
    done = run("copy", first, other, "x.zarr", "--concat", "time")
    assert (done.code, "/v: the type is byte, not uint64" in done.stderr) == (1, True)
    large = make("c.zarr", [0], type="int64", values=[2**53 + 1, 2])
    part = make("d.zarr", [1], type="double", values=[0.5, 2])
    done = run("copy", large, part, "x.zarr", "--concat", "time")
    message = f"/v: the value {2**53 + 1} cannot be represented as double"
    assert (done.code, message in done.stderr) == (1, True), done.stderr
    assert not Path("x.zarr").exists()


def test_a_store_keeps_its_types(run: Run):
    store = make("a.zarr", [0], type="int", values=[70000, 3])
    narrow = make("b.zarr", [1], type="short", values=[1, 2])
    (notice,) = copied(narrow, target=store, append="time", verify=True)
    assert notice.code == "types-converted"
    assert values(store, "v") == [[70000, 3], [1, 2]]
    wide = make("c.zarr", [2], type="double", values=[0.5, 2])
    done = run("copy", wide, store, "--append", "time")
    assert (done.code, "/v: the type is double, not int" in done.stderr) == (1, True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["v2", "v3"])
@pytest.mark.parametrize("is_first", [True, False])
def test_booleans_of_netcdf_and_zarr(form, is_first):
    numbers = np.array([True, False, True, True])
    dataset = xr.Dataset({"b": ("time", numbers)}, coords={"time": np.arange(4)})
    parts = [dataset.isel(time=slice(0, 2)), dataset.isel(time=slice(2, 4))]
    names = ["a.zarr", "b.nc"] if is_first else ["a.nc", "b.zarr"]
    for part, name in zip(parts, names, strict=True):
        if name.endswith("nc"):
            part.to_netcdf(name)
        else:
            part.to_zarr(name, zarr_format=int(form[1]))
    assert copied(*names, target=f"all.zarr#mode=zarr,{form}", concat="time") == []
    with xr.open_zarr("all.zarr") as found:
        assert found.b.dtype == bool
        assert found.b.values.tolist() == numbers.tolist()


def test_floats_and_doubles_in_a_coordinate(run: Run):
    text = """netcdf f {{ dimensions: t = 1 ; x = 2 ; variables: {} x(x) ; int v(t) ;
      data: x = {}, 2 ; v = 1 ; }}"""
    for name, kind, x in (("a", "float", "0.1f"), ("b", "double", 0.1), ("c", "double", 0.1001)):
        Path(f"{name}.cdl").write_text(text.format(kind, x))
    for first, other in (("a", "b"), ("b", "a")):
        (notice,) = copied(f"{first}.cdl", f"{other}.cdl", concat="t", overwrite=True)
        assert notice.code == "types-converted"
        assert "whose values are kept" in notice.message
        own = ncz.open("all.zarr")["x"][...]
        assert own.tolist() == np.array([0.1, 2], "f4" if first == "a" else "f8").tolist()
    done = run("copy", "a.cdl", "c.cdl", "x.zarr", "--concat", "t")
    assert (done.code, "/x: [0] is " in done.stderr) == (1, True)


# Masks.


def test_a_factor_in_other_words():
    first = make("a.zarr", [0], type="short", packing="v:scale_factor = 0.5 ;", values=[2, 3])
    packing = "v:scale_factor = 0.5f ; v:add_offset = 0. ;"
    other = make("b.zarr", [1], type="short", packing=packing, values=[4, 5])
    assert copied(first, other, concat="time") == []
    assert values("all.zarr", "v") == [[2, 3], [4, 5]]
    assert "add_offset" not in ncz.open("all.zarr")["v"].attrs


def test_plain_integers_are_not_rounded(run: Run):
    store = make("a.zarr", [0], type="int", values=[1, 2])
    packed = make("b.zarr", [1], type="short", packing="v:scale_factor = 0.5 ;", values=[2, 3])
    done = run("copy", packed, store, "--append", "time", "--unpack")
    assert (done.code, "/v: the value 1.5 cannot be represented as int" in done.stderr) == (1, True)
    assert values(store, "v") == [[1, 2]]


RANGED = """netcdf r {{ dimensions: time = UNLIMITED ; x = 2 ;
variables: double time(time) ; time:units = "{units}" ; time:actual_range = {times} ;
  short v(time, x) ; v:actual_range = {range} ; float x(x) ; x:actual_range = 1.f, 2.f ;
data: time = {times} ; v = {values} ; x = 1, 2 ; }}"""


def ranged(name: str, units: str, times: str, values: str, limits: str) -> str:
    text = RANGED.format(units=units, times=times, values=values, range=limits)
    Path(f"{name}.cdl").write_text(text)
    return f"{name}.cdl"


def limits_of(name: str, variable: str) -> object:
    return ncz.open(name)[variable].attrs["actual_range"]


@pytest.mark.parametrize("is_appended", [False, True])
def test_the_range_covers_all_sources(is_appended):
    first = ranged("a", "days since 2000-01-01", "0., 1.", "1, 2, 3, 9", "1s, 9s")
    other = ranged("b", "hours since 2000-01-01", "48., 72.", "5, -2, 3, 4", "-2s, 5s")
    third = ranged("c", "days since 2000-01-01", "4., 5.", "5, 2, 3, 4", "0.5f, 9.5f")
    if is_appended:
        copied(first, concat="time")
        copied(other, third, target="all.zarr", append="time")
    else:
        copied(first, other, third, concat="time")
    assert limits_of("all.zarr", "time") == [0, 5]
    assert limits_of("all.zarr", "v") == [-2, 9.5]
    assert limits_of("all.zarr", "x") == [1, 2]


def test_a_range_that_one_source_lacks_or_a_rule_decides(run: Run):
    first = ranged("a", "days since 2000-01-01", "0., 1.", "1, 2, 3, 9", "1s, 9s")
    other = ranged("b", "days since 2000-01-01", "2., 3.", "5, -2, 3, 4", '"-2 to 5"')
    done = run("copy", first, other, "x.zarr", "--concat", "time")
    assert (done.code, 'actual_range of /v is "-2 to 5"' in done.stderr) == (1, True)
    copied(first, other, concat="time", attributes="agreeing")
    assert "actual_range" not in ncz.open("all.zarr")["v"].attrs


def test_messages_have_no_nul(run: Run):
    for name, unit in (("a", "K"), ("b", "C")):
        Path(f"{name}.cdl").write_text(
            f"""netcdf u {{ dimensions: t = 1 ; variables: int v(t) ; v:units = "{unit}\\000" ;
            data: v = 1 ; }}"""
        )
    done = run("copy", "a.cdl", "b.cdl", "x.zarr", "--concat", "t")
    assert done.code == 1
    assert '"C"' in done.stderr
    assert "\\x00" not in done.stderr
