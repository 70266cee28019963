"""Times that the units or the type of the first source do not hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from tests.commands.joining.making import copied, make, values
from tests.conftest import Run

xr = pytest.importorskip("xarray")


def test_hours_among_days():
    first = make("a.zarr", [0, 1], kind="int", units="days since 2000-01-01")
    other = make("b.zarr", [54, 60], kind="int", units="hours since 2000-01-01")
    (notice,) = copied(first, other, concat="time", verify=True, overlap="keep")
    assert notice.code == "times-converted"
    expected = "'hours since 2000-01-01' as int, which represents the times of all sources"
    assert expected in notice.message
    assert ncz.open("all.zarr")["time"].dtype == "i4"
    assert values("all.zarr") == [0, 24, 54, 60]
    assert values("all.zarr", "time_bnds") == [[0, 24], [24, 48], [54, 55], [60, 61]]


def test_whole_days_stay_days():
    first = make("a.zarr", [0, 1], kind="int", units="days since 2000-01-01")
    other = make("b.zarr", [48, 72], kind="int", units="hours since 2000-01-01")
    ncz.edit(other, set=["/time_bnds:units=hours since 2000-01-01"])
    text = Path("made.cdl").read_text().replace("48, 49, 72, 73", "48, 72, 72, 96")
    Path("made.cdl").write_text(text)
    ncz.gen("made.cdl", other, overwrite=True, notify=ignore_notice)
    copied(first, other, concat="time")
    assert values("all.zarr") == [0, 1, 2, 3]
    assert ncz.open("all.zarr")["time"].units == "days since 2000-01-01"


def test_bounds_that_need_finer_units():
    first = make("a.zarr", [0], kind="int", units="hours since 2000-01-01")
    other = make("b.zarr", [1], kind="double", units="hours since 2000-01-01 01:00")
    text = Path("made.cdl").read_text().replace("time_bnds = 1, 2", "time_bnds = 0.5, 1.5")
    Path("made.cdl").write_text(text)
    ncz.gen("made.cdl", other, overwrite=True, notify=ignore_notice)
    copied(first, other, concat="time")
    found = ncz.open("all.zarr")
    assert found["time"].units == "hours since 2000-01-01"
    assert found["time"][...].tolist() == [0, 2]
    assert found["time_bnds"][...].tolist() == [[0, 1], [1.5, 2.5]]
    assert found["time_bnds"].dtype == "f8"


TIMES = """netcdf t {{ dimensions: time = {count} ; variables: {kind} time(time) ;
time:units = "{units}" ; {mask} data: time = {times} ; }}"""


def times(name: str, kind: str, units: str, *numbers: object, mask: str = "") -> str:
    listed = ", ".join(map(str, numbers))
    Path("t.cdl").write_text(
        TIMES.format(count=len(numbers), kind=kind, units=units, mask=mask, times=listed)
    )
    ncz.gen("t.cdl", name, kind="netCDF-4", notify=ignore_notice)
    return name


def test_nanoseconds_among_days():
    first = times("a.nc", "double", "days since 1900-01-01", 0)
    other = times("b.nc", "int64", "nanoseconds since 1970-01-01", "1000000001LL")
    copied(first, other, concat="time")
    days = 25_567
    assert values("all.zarr") == [0, days * 86_400 * 10**9 + 1_000_000_001]
    assert ncz.open("all.zarr")["time"].units == "nanoseconds since 1900-01-01"


def test_missing_times_become_not_a_time():
    mask = "time:_FillValue = -9. ;"
    first = times("a.nc", "double", "days since 1900-01-01", 0, "_", mask=mask)
    other = times("b.nc", "int64", "nanoseconds since 1970-01-01", "1000000001LL")
    copied(first, other, target="all.nc", concat="time", overlap="keep", attributes="first")
    assert ncz.open("all.nc")["time"].dtype == "i8"
    with xr.open_dataset("all.nc") as found:
        expected = np.array(["1900-01-01", "NaT", "1970-01-01T00:00:01.000000001"], "M8[ns]")
        np.testing.assert_array_equal(found.time.values, expected)


def test_a_store_reports_that_its_units_cannot_represent_the_times(run: Run):
    store = make("a.zarr", [0, 1], kind="int", units="days since 2000-01-01")
    other = make("b.zarr", [54], kind="int", units="hours since 2000-01-01")
    done = run("copy", other, store, "--append", "time")
    assert (done.code, "54 is not a whole number in the other units" in done.stderr) == (1, True)
    assert "join with --concat to a new store" in done.stderr
    assert values(store) == [0, 1]


UNITS = st.builds(
    "{} since {}".format,
    st.sampled_from(
        ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"]
    ),
    st.sampled_from(["2000-01-01", "1999-12-31 12:00", "2000-01-01 06:30:15"]),
)


@pytest.mark.filterwarnings("ignore")
@given(st.lists(st.tuples(UNITS, st.sampled_from(["i8", "i4", "f8"])), min_size=2, max_size=3))
@settings(deadline=None)
def test_joined_times_equal_xarray_s(tmp_path_factory, sources):
    folder = tmp_path_factory.mktemp("t")
    names, expected = [], []
    for number, (units, dtype) in enumerate(sources):
        times = np.array([100 * number + 7, 100 * number + 9], dtype)
        raw = xr.Dataset({"time": ("time", times, {"units": units, "calendar": "standard"})})
        names.append(str(folder / f"{number}.nc"))
        raw.to_netcdf(names[-1])
        expected.append(xr.decode_cf(raw).time.values.astype("M8[ns]"))
    ncz.copy(names, folder / "all.nc", concat="time", overlap="keep", notify=ignore_notice)
    with xr.open_dataset(folder / "all.nc") as found:
        apart = found.time.values.astype("M8[ns]") - np.concatenate(expected)
    are_whole = all(dtype != "f8" for _, dtype in sources)
    assert np.abs(apart).max() <= np.timedelta64(0 if are_whole else 500, "ns")
