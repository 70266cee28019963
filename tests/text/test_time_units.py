"""The units and the calendar of times, compared with cftime."""

from __future__ import annotations

import re
import warnings
from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ncz.text.time_units import CALENDARS, parse_times
from ncz.text.times import MICROSECOND, Times

cftime = pytest.importorskip("cftime")


def times(units: str, calendar: str = "") -> Times:
    found = parse_times(units, calendar, " ")
    assert found is not None
    return found


@pytest.mark.parametrize(
    "units", ["", "K", "days", "since 2000-01-01", "fortnights since 2000-01-01", "m since 2000"]
)
def test_units_that_are_not_of_time(units: str):
    assert parse_times(units, "", " ") is None


@pytest.mark.parametrize(
    ("units", "calendar", "message"),
    [
        ("days since never", "", "'never' is not a date"),
        ("days since 2000-02-30", "", "'2000-02-30' does not exist in the calendar standard"),
        ("days since 2001-02-29", "noleap", "does not exist in the calendar noleap"),
        ("days since 2000-01-01 25:00", "", "has an invalid time of day"),
        ("days since 2000-01-01", "none", "unknown calendar 'none'"),
        ("days since 01-01-1970", "", "'01-01-1970' does not begin with the year"),
        ("hours since 31-12-1999 06:00", "", "does not begin with the year, as 2000-01-31 does"),
        ("days since 2000-01-01 00:00:00 +99:99", "", "has an invalid time zone"),
        ("days since 2000-01-01 00:00:00 +24", "", "has an invalid time zone"),
        ("days since 2000-01-01 00:00:00 +01:60", "", "has an invalid time zone"),
        ("days since 2000-01-01 00:00:00 6:00", "", "is not a date"),
        ("days since 2000-13-01", "", "'2000-13-01' does not exist in the calendar standard"),
        ("days since 2000-01-01 00:60", "", "has an invalid time of day"),
        ("common_years since 2000-01-01", "standard", "of the calendar noleap only"),
    ],
)
def test_units_that_are_meant_to_be_of_time_and_cannot(units: str, calendar: str, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_times(units, calendar, " ")


@given(
    st.sampled_from(["seconds", "minutes", "hours", "days"]),
    st.sampled_from(sorted(set(CALENDARS) - {"", "tai"})),
    st.integers(-(10**7), 10**7),
    st.tuples(st.integers(1, 3000), st.integers(1, 12), st.integers(1, 28), st.integers(0, 23)),
)
def test_dates_match_cftime(unit: str, calendar: str, value: int, origin: tuple[int, ...]):
    year, month, day, hour = origin
    units = f"{unit} since {year:04}-{month:02}-{day:02} {hour}:00"
    assume(not (year == 1582 and month == 10))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cftime.CFWarning)
        expected = cftime.num2date(value, units, CALENDARS[calendar], has_year_zero=True)
    text = times(units, calendar).format(value)
    assert text is not None
    found = re.fullmatch(r"(-?\d+)-(\d\d)-(\d\d)(?: (\d\d))?(?::(\d\d))?(?::(\d\d))?", text)
    assert found is not None
    assert tuple(int(part or 0) for part in found.groups()) == (
        *(expected.year, expected.month, expected.day),
        *(expected.hour, expected.minute, expected.second),
    )


@given(
    st.sampled_from(["days", "hrs", "msecs", "microsec", "d", "min"]),
    st.sampled_from(["standard", "proleptic_gregorian", "tai", "365_day", "360_day", "julian"]),
    st.tuples(st.integers(1958, 2300), st.integers(1, 12), st.integers(1, 28)),
    st.sampled_from(["", " ", "T", "_"]),
    st.sampled_from(["00:00", "6:30", "23:59:59", "12:00:00.0", "01:02:03.25"]),
    st.sampled_from(["", "Z", " Z", "+01", " -0330", " +05:30", " 0:00", " 00:00"]),
    st.booleans(),
)
def test_dates_that_cftime_reads(unit, calendar, date, between, clock, zone, is_padded):
    year, month, day = date
    text = f"{year:04}-{month:02}-{day:02}" if is_padded else f"{year}-{month}-{day}"
    if between:
        text += between + clock + zone
    assume(not (calendar == "tai" and zone.strip() not in ("", "Z", "0:00", "00:00")))
    units = f"{unit} since {text}"
    try:
        expected = cftime.num2date(0, units, calendar)
    except ValueError:
        return
    found = times(units, calendar)
    moment = found.origin + timedelta(microseconds=found.offset // MICROSECOND)
    assert moment.timetuple()[:6] == expected.timetuple()[:6]
    assert moment.microsecond == expected.microsecond
