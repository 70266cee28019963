"""The first and the last coordinate, and the step between them."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.coordinate_range import coordinate_range
from ncz.commands.description import CoordinateRange
from ncz.text.time_units import parse_times

RANGES = [
    ("float", "0, 2.5, 5", ("0", "5"), 2.5),
    ("double", "-0.0, -1, -2", ("0", "-2"), -1),
    ("int", "3, 2, 1, 0", ("3", "0"), -1),
    ("int", "1, 2, 4", ("1", "4"), None),
    ("float", "7", ("7", "7"), None),
    ("float", "1, NaN, 3", ("1", "3"), None),
    ("float", "0.1, 0.2, 0.3, 0.4", ("0.1", "0.4"), 0.1),
    ("string", '"a", "b"', ("a", "b"), None),
]


def found(word: str, values: str, units: str = "") -> CoordinateRange:
    count = values.count(",") + 1
    cdl = f"netcdf t {{ dimensions: x = {count} ; variables: {word} x(x) ; data: x = {values} ; }}"
    variable = read_cdl(cdl.encode(), source="t").root.variables[0]
    times = parse_times(units, "standard", " ") if units else None
    result = coordinate_range(variable, count, times)
    assert result is not None
    return result


@pytest.mark.parametrize(("word", "values", "texts", "step"), RANGES)
def test_ends_and_step(word, values, texts, step):
    result = found(word, values)
    assert result.texts == texts
    assert result.step == step


@pytest.mark.parametrize(
    ("values", "texts", "step"),
    [
        ("0, 31, 59", ("2026-01-01", "2026-03-01"), "1 month"),
        ("0, 0.25, 0.5", ("2026-01-01", "2026-01-01 12"), "6 hours"),
        ("0, 365, 730", ("2026-01-01", "2028-01-01"), "365 days"),
        ("0, 1, 3", ("2026-01-01", "2026-01-04"), None),
    ],
)
def test_dates(values, texts, step):
    result = found("double", values, "days since 2026-01-01")
    assert result.texts == texts
    assert result.step_of_dates == step
    assert result.has_dates
