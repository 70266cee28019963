"""Dates as limits: each means the whole period that it names."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ncz.text.date_limits import is_date, parse_limits
from ncz.text.time_units import parse_times

DAY = 86_400

PERIODS = {
    "2026": (0, 365 * DAY),
    "2026-02": (31 * DAY, 59 * DAY),
    "2026-12": (334 * DAY, 365 * DAY),
    "2026-01-02": (DAY, 2 * DAY),
    "2026-01-01T06": (6 * 3600, 7 * 3600),
    "2026-01-01T06:30": (23_400, 23_460),
    "2026-01-01 06:30:05": (23_405, 23_406),
}
"""The first second of each period, and the first after it."""


@pytest.mark.parametrize("date", PERIODS)
def test_a_period_ends_before_the_next_begins(date):
    times = parse_times("seconds since 2026-01-01", "standard", " ")
    assert times is not None
    first, after = PERIODS[date]
    microsecond = Fraction(1, 10**6)
    assert parse_limits(times, (date, date)) == (Fraction(first), after - microsecond)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026", True), ("2026-01", True), ("5-01", True), ("-5-01", True), ("2026-01-02T03", True),
        ("5", False), ("-5", False), ("20260", False), ("-2026", False), ("1-", False),
        ("2026-01-02x", False),
    ],
)  # fmt: skip
def test_a_date_has_a_month_or_is_a_year_of_four_digits(text: str, expected: bool):
    assert is_date(text) is expected


def test_limits_in_nanoseconds_are_exact():
    times = parse_times("nanoseconds since 1970-01-01", "", " ")
    assert times is not None
    moment = 2**60 + 1
    date = times.format(moment)
    assert date is not None
    assert parse_limits(times, (date, date)) == (Fraction(moment), Fraction(moment))
    day = 86_400 * 10**9
    period = parse_limits(times, ("1970-01-02", "1970-01-02"))
    assert period == (Fraction(day), Fraction(2 * day - 1))


@pytest.mark.parametrize("date", ["2026-13", "2026-02-30", "2026-01-01T24", "2026-01-01T01:60"])
def test_dates_that_do_not_exist(date):
    times = parse_times("days since 2026-01-01", "", " ")
    assert times is not None
    with pytest.raises(ValueError, match=r"invalid time of day|does not exist in the calendar"):
        parse_limits(times, (date, date))
