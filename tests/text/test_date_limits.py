"""Dates as limits: each stands for the whole period that it names."""

from __future__ import annotations

import pytest

from ncz.text.times import parse_limits, parse_times

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
    low, high = parse_limits(times, (date, date))
    assert low == first
    assert high == pytest.approx(after, abs=2e-6)
    assert high is not None
    assert high < after
