"""Dates in comments after the attributes of a time variable."""

from __future__ import annotations

import pytest

from ncz.cdl.dates import attribute_comment
from ncz.model.tree import Attribute
from ncz.model.types import Atomic
from ncz.text.time_units import parse_times


@pytest.mark.parametrize(
    ("kind", "values", "told"),
    [
        (Atomic.INT, (1,), ' // "2026-01-02"'),
        (Atomic.DOUBLE, (0.0, 1.5), ' // "2026-01-01", "2026-01-02 12"'),
        (Atomic.CHAR, ("days",), ""),
        (Atomic.STRING, ("a",), ""),
        (Atomic.INT, (), ""),
    ],
)
def test_numbers_have_dates(kind, values, told):
    times = parse_times("days since 2026-01-01", "standard", " ")
    assert times is not None
    attribute = Attribute(name="valid", type=kind, values=values)
    assert attribute_comment(attribute, times, 80) == (told, [])
