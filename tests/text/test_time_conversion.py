"""Times in other units: the same moments, or an error."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.text.time_conversion import _wrap, are_convertible, convert_times
from ncz.text.time_units import parse_times
from ncz.text.times import DAY, MICROSECOND, Times


def times(units: str, calendar: str = "") -> Times:
    found = parse_times(units, calendar, " ")
    assert found is not None
    return found


UNITS = st.builds(
    "{} since {}".format,
    st.sampled_from(["days", "hours", "minutes", "seconds", "milliseconds"]),
    st.sampled_from(["1600-03-01", "1900-01-01 12:00", "1970-01-01", "2000-02-29 06:30:15 +01:00"]),
)


@given(
    UNITS,
    UNITS,
    st.sampled_from(["standard", "proleptic_gregorian", "julian", "all_leap"]),
    st.lists(st.integers(-(10**5), 10**5) | st.floats(-1e5, 1e5), min_size=1, max_size=5),
    st.sampled_from(["f8", "f4", "i8", "i4"]),
)
def test_converted_times_are_the_same_dates_or_an_error(ours, theirs, calendar, values, dtype):
    one, other = times(ours, calendar), times(theirs, calendar)
    array = np.array(values)
    try:
        found = convert_times(array, one, other, dtype)
    except ValueError:
        return
    assert found.dtype == dtype
    for before, after in zip(array.tolist(), found.tolist(), strict=True):
        exact = Fraction(before) * one.step + one.offset
        again = Fraction(after) * other.step + other.offset
        exact += (one.origin - other.origin).days * DAY
        assert abs(exact - again) <= Fraction(501, 1000) * MICROSECOND


@given(UNITS, UNITS, st.lists(st.integers(-(10**5), 10**5), min_size=1, max_size=5))
def test_whole_times_in_finer_units_are_converted_exactly(ours, theirs, values):
    one, other = times(ours), times("milliseconds since" + theirs.partition("since")[2])
    found = convert_times(np.array(values), one, other, "i8")
    assert [other.format(v) for v in found.tolist()] == [one.format(v) for v in values]


@pytest.mark.parametrize(
    ("ours", "theirs", "calendars", "expected"),
    [
        ("days since 2000-01-01", "hours since 1970-01-01", ("", "gregorian"), True),
        ("days since 2000-01-01", "hours since 1970-01-01", ("", "proleptic_gregorian"), True),
        ("days since 2000-01-01", "days since 2000-01-01", ("noleap", "365_day"), True),
        ("days since 2000-01-01", "days since 2000-01-01", ("", "julian"), False),
        ("days since 2000-01-01", "months since 2000-01-01", ("", ""), False),
        ("months since 2000-01-01", "years since 1990-01-01", ("", ""), True),
        ("months since 2000-01-02", "months since 1990-01-01", ("", ""), False),
        ("months since 2000-01-31", "months since 1990-01-31", ("", ""), False),
        ("months since 2000-01-30", "days since 1990-01-30", ("360_day", "360_day"), True),
        ("days since 2000-01-01", "days since 2000-01-01", ("", "tai"), False),
    ],
)
def test_which_times_can_be_converted(ours, theirs, calendars, expected):
    one, other = (times(u, c) for u, c in zip((ours, theirs), calendars, strict=True))
    assert are_convertible(one, other) == are_convertible(other, one) == expected


@pytest.mark.parametrize(
    ("ours", "theirs", "values", "expected"),
    [
        ("months since 2000-01-01", "years since 1999-01-01", [0, 12], [1, 2]),
        ("months since 2000-01-01", "years since 1999-01-01", [1], "not a whole number"),
        ("months since 2000-01-01", "months since 1999-01-01", [0.5], "fraction of a month"),
        ("days since 2000-01-01", "hours since 2000-01-01", [1e30], "out of range"),
        ("hours since 2000-01-01", "days since 2000-01-01", [1], "1 is not a whole number"),
        ("nanoseconds since 2000-01-01", "microseconds since 2000-01-01", [2001, 3000], "2001 is"),
        ("days since 1850-01-01", "nanoseconds since 1850-01-01", [300 * 365], "out of range"),
    ],
)
def test_times_that_cannot_be_converted_exactly(ours, theirs, values, expected):
    def convert() -> list[int]:
        found = convert_times(np.array(values), times(ours), times(theirs), "i4")
        return [int(value) for value in found]

    if isinstance(expected, list):
        assert convert() == expected
        return
    with pytest.raises(ValueError, match=expected):
        convert()


DAY_OF_NANOSECONDS = 86_400 * 10**9


@given(st.integers(0, 10**17), st.integers(-(10**4), 10**4))
def test_nanoseconds_are_converted_exactly(value, days):
    one = times("nanoseconds since 2000-01-01")
    day = np.datetime64("2000-01-01") + np.timedelta64(days, "D")
    other = times(f"nanoseconds since {day}")
    found = convert_times(np.array([value]), one, other, "i8")
    assert found.tolist() == [value - days * DAY_OF_NANOSECONDS]
    assert one.format(value) == other.format(found[0].item())


def test_a_shift_of_more_than_146_years_in_nanoseconds():
    values = np.array([0, 1]) + 200 * 365
    found = convert_times(
        values, times("days since 1750-01-01"), times("nanoseconds since 1950-01-01"), "i8"
    )
    days = (np.datetime64("1750-01-01") + values - np.datetime64("1950-01-01")).astype(int)
    assert found.tolist() == [day * DAY_OF_NANOSECONDS for day in days.tolist()]


def test_nanoseconds_that_a_double_cannot_represent():
    values = np.array([10**18 + 1])
    with pytest.raises(ValueError, match="is not exact in the other units as float64"):
        convert_times(
            values, times("nanoseconds since 1970-01-01"), times("days since 1970-01-01"), "f8"
        )


@pytest.mark.parametrize(
    ("number", "wrapped"),
    [(5, 5), (-5, -5), (2**63 - 1, 2**63 - 1), (2**63, -(2**63)), (2**64 + 7, 7),
     (-(2**63) - 1, 2**63 - 1)],
)  # fmt: skip
def test_a_number_that_overflows_is_wrapped_as_by_the_processor(number, wrapped):
    assert _wrap(number) == wrapped
