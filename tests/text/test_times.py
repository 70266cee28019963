"""Times as dates (``-t``, ``-i``), compared with ncdump where ncdump is right, and with cftime.

``make test`` takes a third of the pairs of a calendar and options of ncdump.
"""

from __future__ import annotations

import itertools
import math
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.cdl.reader import read_cdl
from ncz.errors import Callbacks, CdlError, Notice, ignore_notice
from ncz.model.data import MemoryArray, read_all
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.text.time_units import CALENDARS, parse_times
from ncz.text.times import Times
from tests.conftest import Run
from tests.sampled import sampled

cftime = pytest.importorskip("cftime")


def times(units: str, calendar: str = "") -> Times:
    found = parse_times(units, calendar, " ")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("units", "calendar", "value", "date"),
    [
        ("days since 2000-01-01", "", 59.5, "2000-02-29 12"),
        ("days since 2000-01-01", "noleap", 59.5, "2000-03-01 12"),
        ("days since 2000-01-01", "360_day", 59, "2000-02-30"),
        ("days since 2001-02-28", "all_leap", 1, "2001-02-29"),
        ("days since 1900-02-28", "julian", 1, "1900-02-29"),
        ("days since 1582-10-04", "", 1, "1582-10-15"),
        ("days since 1582-10-15", "gregorian", -1, "1582-10-04"),
        ("days since 1582-10-04", "Proleptic_Gregorian", 1, "1582-10-05"),
        ("hours since 1900-01-01 00:00:0.0", "", 1.5, "1900-01-01 01:30"),
        ("seconds since 1970-01-01T00:00:00Z", "", 1e9, "2001-09-09 01:46:40"),
        ("seconds since 1970-01-01", "", -0.25, "1969-12-31 23:59:59.750000"),
        ("seconds since 2000-01-01", "", 10**12, "33688-09-26 01:46:40"),
        ("milliseconds since 2000-01-01", "", 1, "2000-01-01 00:00:00.001000"),
        ("days since 2000-01-01", "", 1 / 3, "2000-01-01 08"),
        ("hours since 2000-01-01 00:00:00 +02:00", "", 0, "1999-12-31 22"),
        ("hours since 2000-01-01 00:00:00 -0330", "", 0, "2000-01-01 03:30"),
        ("hours since 2000-01-01 12 UTC", "", 0, "2000-01-01 12"),
        ("weeks since 2000-1-1", "", 0.5, "2000-01-04 12"),
        ("DAYS SINCE 20000101", "", 1, "2000-01-02"),
        ("days since 2000", "", 31, "2000-02-01"),
        ("months since 2000-01-31", "", 1, "2000-02-29"),
        ("months since 2000-01-31 06:30", "", -11, "1999-02-28 06:30"),
        ("years since 2000-03-01", "", 0.5, "2000-09-01"),
        ("seasons since 2000-01-01", "", 3, "2000-10-01"),
        ("days since 0000-01-01", "", 366, "0001-01-01"),
        ("days since -5-01-01", "", 1, "-0005-01-02"),
        ("days since 2000-01-01 24:00", "", 0, "2000-01-02"),
        ("nanoseconds since 2024-02-01", "", 1, "2024-02-01 00:00:00.000000001"),
        ("nanoseconds since 1970-01-01", "", 2**62 + 1, "2116-02-20 23:53:38.427387905"),
        ("ns since 1970-01-01", "", 1500, "1970-01-01 00:00:00.000001500"),
        ("picoseconds since 1970-01-01", "", 1, "1970-01-01 00:00:00.000000000001"),
        ("seconds since 2000-01-01 00:00:00.123456789", "", 1, "2000-01-01 00:00:01.123456789"),
        ("days since 1958-01-01", "tai", 1, "1958-01-02"),
        ("months since 2000-01-30", "360_day", 0.5, "2000-02-15"),
        ("years since 2000-01-01", "360_day", 0.25, "2000-04-01"),
        ("common_years since 2000-03-01", "noleap", 1, "2001-03-01"),
        ("minutes since 2020-01-01_06:00:00", "", 1, "2020-01-01 06:01"),
        ("days since 1970-01-01 00:00:00 0:00", "", 1, "1970-01-02"),
    ],
)
def test_numbers_become_dates(units: str, calendar: str, value: float, date: str):
    assert times(units, calendar).format(value) == date


@pytest.mark.parametrize(
    ("units", "value"),
    [
        ("days since 2000-01-01", math.nan),
        ("days since 2000-01-01", math.inf),
        ("days since 2000-01-01", 9.96921e36),
        ("days since 2000-01-01", 10**18),
        ("months since 2000-01-01", 0.5),
        ("years since 2000-01-01", 0.7),
        ("months since 2000-01-01", 10**15),
    ],
)
def test_numbers_that_are_no_dates(units: str, value: float):
    assert times(units).format(value) is None


CALENDARS_OF_NCDUMP = ["", "gregorian", "proleptic_gregorian", "noleap", "all_leap", "360_day"]
UNITS_OF_NCDUMP = ["seconds", "secs", "minutes", "hours", "hr", "days", "weeks"]


def random_dataset(chance: random.Random, calendar: str) -> str:
    """CDL of times that ncdump has right: no fraction of a second below 10, no mixed calendar."""
    declared, data = [], []
    for number in range(12):
        name, size = f"v{number}", chance.choice([1, 2, 5])
        kind = chance.choice(["int", "double", "int64", "float"])
        unit = chance.choice(UNITS_OF_NCDUMP)
        year = chance.randint(1960, 2040)  # far from there it has microseconds too many or few
        clock = chance.choice(["", " 06", " 12:30", " 23:59:59", "T00:00:00Z"])
        declared.append(f"{kind} {name}(d{size}, e) ;")
        base = f"{year:04}-{chance.randint(1, 12)}-{chance.randint(1, 28)}"
        declared.append(f'{name}:units = "{unit} since {base}{clock}" ;')
        if calendar:
            declared.append(f'{name}:calendar = "{calendar}" ;')
        if chance.random() < 0.5:
            values = ", ".join(str(chance.randint(-999, 999)) for _ in range(chance.randint(1, 9)))
            declared.append(f"{name}:range = {values} ;")
        values = ", ".join(
            "_" if chance.random() < 0.1
            else str(chance.randint(-10**4, 10**4)) if kind != "double"
            else repr(chance.randint(-10**5, 10**5) / 8)
            for _ in range(size * 2)
        )  # fmt: skip
        data.append(f"{name} = {values} ;")
    return (
        "netcdf t { dimensions: d1 = 1 ; d2 = 2 ; d5 = 5 ; e = 2 ; variables: "
        + " ".join(declared)
        + " data: "
        + " ".join(data)
        + " }"
    )


@pytest.fixture(scope="module")
def random_times(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], list[tuple[Path, Path]]]:
    """Return a function that gives five files of a calendar, as netCDF-4 and as Zarr."""
    if shutil.which("ncdump") is None or shutil.which("ncgen") is None:
        pytest.skip("ncgen and ncdump are not installed (netcdf-bin)")

    @cache
    def made(calendar: str) -> list[tuple[Path, Path]]:
        pairs = []
        for seed in range(5):
            folder = tmp_path_factory.mktemp("times")
            source, peer, store = (folder / f"t.{suffix}" for suffix in ("cdl", "nc", "zarr"))
            source.write_text(random_dataset(random.Random(f"{calendar}{seed}"), calendar))
            subprocess.run(["ncgen", "-4", "-o", peer, source], check=True)
            ncz.gen(source, store, notify=ignore_notice)
            pairs.append((peer, store))
        return pairs

    return made


@pytest.mark.parametrize(
    ("calendar", "arguments"),
    sampled(
        itertools.product(
            CALENDARS_OF_NCDUMP, [("-t",), ("-i",), ("-t", "-l", "50"), ("-i", "-f", "c")]
        ),
        3,
    ),
)
def test_times_are_printed_as_ncdump_prints_them(
    random_times: Callable[[str], list[tuple[Path, Path]]],
    run: Run,
    calendar: str,
    arguments: tuple[str, ...],
):
    for peer, store in random_times(calendar):
        expected = subprocess.run(
            ["ncdump", *arguments, peer], check=True, capture_output=True, text=True
        ).stdout
        # ncdump does not pad seconds that have a fraction
        expected = re.sub(r":(\d\.\d{6})", r":0\1", expected)
        assert run("dump", *arguments, store).text == expected


# Dates in CDL that are read back.

_ALL_CALENDARS = sorted(CALENDARS)
_TIME_UNITS = ["days", "hours", "minutes", "seconds", "milliseconds", "weeks", "months", "years"]
_ORIGINS = [
    "1600-03-01",
    "1900-01-01 12:00",
    "1970-01-01",
    "2000-02-28 06:30:15 +01:00",
    "0000-1-1",
]


def read_back(text: str) -> list[object]:
    """Return the values of the only variable in a text."""
    (variable,) = read_cdl(text.encode(), source="t.cdl").root.variables
    assert variable.data is not None
    return [*read_all(variable.data).tolist()]


@pytest.mark.parametrize("units", ["years since 1600-03-01", "days since 1600-03-01"])
@pytest.mark.parametrize(
    ("calendar", "days"), [("", 365.2425), ("360_day", 360), ("noleap", 365), ("julian", 365.25)]
)
def test_a_year_of_seven_digits_is_no_date(units: str, calendar: str, days: float):
    found = times(units, calendar)
    year = 1 if units.startswith("years") else days
    for value in (998410.0, -1002000.0, 5e8, -5e8, 1e15):
        assert found.format(value * year // 1) is None
    text = found.format(998000 * year // 1)
    assert text is not None
    assert found.parse(text) == 998000 * year // 1


@given(
    st.sampled_from(_TIME_UNITS),
    st.sampled_from(_ORIGINS),
    st.sampled_from(_ALL_CALENDARS),
    st.sampled_from([" ", "T"]),
    st.sampled_from([Atomic.DOUBLE, Atomic.FLOAT, Atomic.INT, Atomic.INT64, Atomic.SHORT]),
    st.data(),
)
@settings(deadline=None)
def test_printed_dates_are_read_back_exactly(units, origin, calendar, separator, nc_type, data):
    numbers = (
        st.floats(-1e6, 1e6, width=32 if nc_type is Atomic.FLOAT else 64)
        | st.integers(-4 * 10**5, 4 * 10**5).map(lambda n: n / 8)
        | st.just(math.nan)
        if nc_type.is_floating
        else st.integers(-30000, 30000)
    )
    values = np.array(data.draw(st.lists(numbers, min_size=1, max_size=5)), nc_type.dtype)
    attributes = tuple(
        Attribute(name=name, type=Atomic.CHAR, values=(value,) if value else ())
        for name, value in (("units", f"{units} since {origin}"), ("calendar", calendar))
    )
    root = Group(
        dimensions=(Dimension(name="t", size=values.size),),
        variables=(
            Variable(
                name="t", type=nc_type, dimensions=("/t",), attributes=attributes,
                data=MemoryArray(values, nc_type),
            ),
        ),
    )  # fmt: skip
    parts: list[bytes] = []
    told: list[Notice] = []
    print_cdl(
        Dataset(name="d", root=root),
        CdlOptions(times=separator),
        parts.append,
        Callbacks(told.append),
    )
    text = b"".join(parts).decode()
    found = np.array(read_back(text))
    is_same = bool(np.array_equal(found, values, equal_nan=nc_type.is_floating))
    assert is_same == ([notice.code for notice in told] != ["digits-left-out"])
    # Whole microseconds have different dates, and numbers of months without a date are numbers.
    if not nc_type.is_floating or not (values % 0.125).any():
        assert is_same or units in ("months", "years")


DATES = """netcdf t {{
dimensions: n = {count} ; two = 2 ;
variables: {type} t(n) ; t:units = "{units}" ; t:calendar = "{calendar}" ;
data: t = {values} ;
}}
"""


@pytest.mark.parametrize(
    ("kind", "units", "calendar", "values", "expected"),
    [
        ("double", "days since 2000-01-01", "", '"2000-01-31", "2000-02-01 06"', [30, 31.25]),
        ("double", "days since 2000-01-01", "360_day", '"2000-02-30", 3', [59, 3]),
        ("int", "hours since 2000-01-01", "", '"2000-01-01T06", "7"', [6, 7]),
        ("int64", "microseconds since 2000-01-01", "", '"2000-01-01 00:00:00.000001"', [1]),
        ("int", "months since 2000-01-31", "", '"2000-02-29", "1999-12-31"', [1, -1]),
        ("float", "years since 2000-01-01", "noleap", '"2000-07-01"', [0.5]),
        ("double", "days since 2000-01-01 12:00 +02:00", "", '"2000-01-01"', [-10 / 24]),
        ("double", "days since 0000-01-01", "standard", '"-0001-12-31"', [-1]),
        ("int", "kg", "", '"2009"', [2009]),
        ("int", "days since 2000-01-01", "", '"2009"', [2009]),
        ("char", "days since 2000-01-01", "", '"09-1-1"', [b"0", b"9", b"-", b"1", b"-", b"1"]),
        ("string", "days since 2000-01-01", "", '"2009-01-01"', ["2009-01-01"]),
    ],
)  # fmt: skip
def test_dates_in_data(kind, units, calendar, values, expected):
    text = DATES.format(
        type=kind, units=units, calendar=calendar, values=values, count=len(expected)
    )
    assert read_back(text) == expected


@pytest.mark.parametrize(
    ("kind", "units", "value", "message"),
    [
        ("int", "days since 2000-01-01", "2000-01-01 06", "is not a whole number in the units"),
        ("int", "kg", "2009-01-01", '"2009-01-01" is not a number'),
        ("double", "days since 2000-01-01", "2001-02-29", "does not exist in the calendar"),
        ("double", "days since 2000-01-01", "2001-02", "is not a date, such as 2000-01-31 06:30"),
        ("double", "days since 2000-01-01", "2001-02-03 24", "has an invalid time of day"),
        ("double", "days since 2000-01-01", "2001-02-03 1:60", "has an invalid time of day"),
        ("double", "days since 2000-01-01", "2001-02-03 1:59:60", "has an invalid time of day"),
        ("double", "months since 2000-01-15", "2000-02-16", "is not whole months after the date"),
        ("byte", "days since 2000-01-01", "2001-01-01", "366 does not fit byte"),
    ],
)
def test_dates_that_cannot_be_read(kind, units, value, message):
    text = DATES.format(type=kind, units=units, calendar="", values=f'"{value}"', count=1)
    with pytest.raises(CdlError, match=message):
        read_back(text)


def test_bounds_are_read_back_too(run: Run, tmp_path):
    source = tmp_path / "b.cdl"
    source.write_text(
        """netcdf b { dimensions: t = UNLIMITED ; n = 2 ;
        variables: double t(t) ; t:units = "hours since 2000-01-01" ; t:bounds = "b" ;
        double b(t, n) ;
        data: t = 0, 6, _, 18 ; b = 0, 6, 6, 12, 12, 18, 18, NaN ; }"""
    )
    ncz.gen(source, tmp_path / "b.zarr", notify=ignore_notice)
    for option in ("-t", "-i"):
        (tmp_path / "again.cdl").write_text(run("dump", option, tmp_path / "b.zarr").text)
        assert '"2000-01-01' in (tmp_path / "again.cdl").read_text()
        assert run("diff", tmp_path / "b.zarr", tmp_path / "again.cdl").code == 0


def test_ncgen_reads_a_date_as_its_year(tmp_path):
    if shutil.which("ncgen") is None or shutil.which("ncdump") is None:
        pytest.skip("ncgen and ncdump are not installed (netcdf-bin)")
    text = DATES.format(
        type="int", units="days since 2000-01-01", calendar="", values='"2009-01-01"', count=1
    )
    (tmp_path / "t.cdl").write_text(text)
    subprocess.run(["ncgen", "-o", tmp_path / "t.nc", tmp_path / "t.cdl"], check=True)
    printed = subprocess.run(
        ["ncdump", tmp_path / "t.nc"], check=True, capture_output=True, text=True
    ).stdout
    assert "t = 2009 ;" in printed
    assert read_back(text) == [3288]
