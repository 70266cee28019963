"""The limits of a selection by value, as numbers of a coordinate."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.option_error import OptionError
from ncz.commands.subsets.limits import (
    SelectionLimits,
    are_numbers,
    ends_of,
    limits_of,
    may_be_dates,
)
from ncz.model.selection import Between, Value
from ncz.model.tree import Variable
from ncz.text.time_variables import times_of

HOURS, PLAIN = "hours since 2026-01-01", "m"


def coordinate(units: str) -> Variable:
    cdl = f'netcdf s {{ variables: double t ; t:units = "{units}" ; }}'
    return read_cdl(cdl.encode(), source="s").root.variables[0]


def limits(value: Value | Between, units: str, *, is_whole: bool = False) -> SelectionLimits:
    variable = coordinate(units)
    times = times_of(variable, " ") if units == HOURS else None
    return limits_of(ends_of(value), variable, times, "t=TEXT", is_whole=is_whole)


@pytest.mark.parametrize(
    ("value", "units", "low", "high"),
    [
        (Between("1", "2.5"), PLAIN, 1, 2.5),
        (Between(None, 2), PLAIN, None, 2),
        (7, PLAIN, 7, 7),
        (Between("10W", "5.5E"), PLAIN, -10, 5.5),
        (Between("40S", "60\u00b0N"), PLAIN, -40, 60),
        (Between("2026-01-01", "2026-01-02"), HOURS, 0, 48),
        (Between("20260102", None), HOURS, 24, None),
        ("2026-01-01 06", HOURS, 6, 7),
        (Between(1, 2), HOURS, 1, 2),
    ],
)
def test_numbers_of_the_coordinate(value, units, low, high):
    found = limits(value, units)
    assert found.low == low
    assert found.high == high if high is None else found.high == pytest.approx(high, abs=1e-3)


def test_integers_are_compared_exactly():
    found = limits("2026-01-01", HOURS, is_whole=True)
    assert (found.low, found.high) == (0, 23)
    assert isinstance(found.high, int)


def test_periods_have_inner_ends():
    found = limits(Between("2026-01-01", "2026-01-03"), HOURS, is_whole=True)
    assert (found.low, found.end_of_first, found.start_of_last, found.high) == (0, 23, 48, 71)
    turned = limits(Between("2026-01-03", "2026-01-01"), HOURS, is_whole=True)
    assert (turned.low, turned.high) == (0, 71)


def test_the_form_of_limits():
    assert may_be_dates(Between("2026", "2027-01"))
    assert not may_be_dates(Between("2026", "x"))
    assert are_numbers(Between("1", 2.5))
    assert are_numbers("2026")
    assert not are_numbers("2026-01-01")


@pytest.mark.parametrize(
    ("value", "units", "message"),
    [
        ("abc", PLAIN, "the limits must be numbers"),
        ("2026-01-01", PLAIN, "t has numbers with the units 'm', and no dates"),
        ("2026-01-01", "", "t has numbers without units, and no dates"),
        ("abc", HOURS, "'abc' is not a date"),
    ],
)
def test_limits_that_are_not_valid(value, units, message):
    with pytest.raises(OptionError, match=message):
        limits(value, units)
