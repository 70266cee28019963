"""Ticks: round numbers, degrees and dates that do not repeat, in order and within the axis."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.text.time_units import parse_times
from ncz.views.ticks import date_ticks, degree_ticks, degrees, log_ticks, number_ticks


def texts(ticks):
    return [tick.text for tick in ticks]


@pytest.mark.parametrize(
    ("low", "high", "count", "expected"),
    [
        (0, 10, 5, ["0", "2", "4", "6", "8", "10"]),
        (-0.3, 0.3, 6, ["-0.3", "-0.2", "-0.1", "0.0", "0.1", "0.2", "0.3"]),
        (250, 305, 6, ["250", "260", "270", "280", "290", "300"]),
        (0, 5e-6, 5, ["0", "1e-6", "2e-6", "3e-6", "4e-6", "5e-6"]),
        (101200, 101350, 3, ["101200", "101250", "101300", "101350"]),
        (0, 2.5e7, 5, ["0", "5e6", "1e7", "1.5e7", "2e7", "2.5e7"]),
        (3, 3, 5, ["3"]),
    ],
)
def test_numbers_are_round(low, high, count, expected):
    assert texts(number_ticks(low, high, count)) == expected


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 12))
def test_labels_distinguish_numbers(low, span, count):
    found = number_ticks(low, low + span, count)
    if low + span == low or abs(low) > span * 1e5:
        return  # more digits than a label can have
    assert len(found) <= count + 2
    assert len(set(texts(found))) == len(found)
    for tick in found:
        assert low - span * 1e-5 <= tick.value <= low + span * (1 + 1e-5)
        assert float(tick.text) == pytest.approx(tick.value, abs=span / 20)


@given(st.floats(allow_nan=False), st.integers(0, 5), st.floats(0, 1e300), st.integers(1, 12))
def test_ends_that_are_near_or_far_have_ticks_between_them(low, ulps, span, count):
    high = low + span
    for _ in range(ulps):
        high = math.nextafter(high, math.inf)
    for found in (
        number_ticks(low, high, count),
        log_ticks(low, high, count),
        degree_ticks(max(-360, min(low, 360)), max(-360, min(high, 360)), count, "EW"),
    ):
        values = [tick.value for tick in found]
        assert values == sorted(set(values))
        assert len(values) <= 101


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, 1000, ["1", "10", "100", "1000"]),
        (2, 60, ["2", "5", "10", "20", "50"]),
        (1e-6, 1, ["1e-6", "0.0001", "0.01", "1"]),
    ],
)
def test_logarithmic_scales_have_powers_of_ten(low, high, expected):
    assert texts(log_ticks(low, high, 5)) == expected


@pytest.mark.parametrize(
    ("low", "high", "letters", "expected"),
    [
        (-180, 180, "EW", ["180°", "120°W", "60°W", "0°", "60°E", "120°E", "180°"]),
        (0, 360, "EW", ["0°", "60°E", "120°E", "180°", "120°W", "60°W", "0°"]),
        (165, 195, "EW", ["165°E", "170°E", "175°E", "180°", "175°W", "170°W", "165°W"]),
        (-90, 90, "NS", ["90°S", "60°S", "30°S", "0°", "30°N", "60°N", "90°N"]),
        (37.2, 37.65, "NS", ["37.2°N", "37.3°N", "37.4°N", "37.5°N", "37.6°N"]),
    ],
)
def test_degrees_have_letters(low, high, letters, expected):
    assert texts(degree_ticks(low, high, 7, letters)) == expected


def test_the_ends_of_the_world_have_no_letter():
    assert [degrees(value, "EW") for value in (-180, 180, 540, 0, 360)] == [
        "180°", "180°", "180°", "0°", "0°",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("units", "low", "high", "expected"),
    [
        ("days since 1850-01-01", 0, 60225, ["1850", "1900", "1950", "2000"]),
        ("days since 2000-01-01", 0, 1461, ["2000-01", "2001-01", "2002-01", "2003-01", "2004-01"]),
        ("hours since 2025-11-20", 0, 696, ["2025-11-20", "2025-11-25", "2025-11-30", "2025-12-05",
                                            "2025-12-10", "2025-12-15"]),
        ("hours since 2025-11-20", 0, 24, ["2025-11-20", "06:00", "12:00", "18:00", "2025-11-21"]),
        ("seconds since 2025-11-20 13:00", 0, 3600, ["2025-11-20 13:00", "13:10", "13:20", "13:30",
                                                     "13:40", "13:50", "14:00"]),
        ("months since 2020-01-01", 0, 30, ["2020-01", "2020-07", "2021-01", "2021-07", "2022-01",
                                            "2022-07"]),
    ],
)  # fmt: skip
def test_dates_are_the_beginnings_of_periods(units, low, high, expected):
    times = parse_times(units, "standard", " ")
    assert times is not None
    assert texts(date_ticks(low, high, 6, times)) == expected


@given(
    st.floats(-1e5, 1e5), st.floats(1e-4, 3e5), st.integers(2, 9),
    st.sampled_from(["standard", "noleap", "360_day", "proleptic_gregorian"]),
)  # fmt: skip
def test_dates_match_their_values(low, span, count, calendar):
    times = parse_times("days since 2000-01-01", calendar, " ")
    assert times is not None
    found = date_ticks(low, low + span, count, times)
    values = [tick.value for tick in found]
    assert values == sorted(set(values))
    assert len(found) <= 2 * count + 2
    for tick in found:
        assert low <= tick.value <= low + span
        date = times.format(tick.value)
        assert date is not None
        assert tick.text.partition(" ")[0].partition(":")[0] in date
