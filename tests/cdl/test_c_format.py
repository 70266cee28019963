"""The attribute C_format: applied if it is safe, and ignored otherwise."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.cdl.c_format import parse_c_format
from ncz.model.types import Atomic
from ncz.text.format_values import NumberFormat, format_number


@pytest.mark.parametrize(
    ("c_format", "nc_type", "value", "text"),
    [
        ("%6.2f", Atomic.FLOAT, 2.345, "  2.35"),
        ("%.3e", Atomic.DOUBLE, 1.0, "1.000e+00"),
        (" %g ", Atomic.DOUBLE, 1.0, " 1 "),
        ("%6.2f", Atomic.DOUBLE, math.nan, "NaN"),
        ("%05d", Atomic.INT, 42, "00042"),
        ("%lld", Atomic.INT64, -1, "-1"),
        ("%x", Atomic.INT, -5, "fffffffb"),
        ("%x", Atomic.SHORT, -1, "ffffffff"),
        ("%X", Atomic.INT64, -1, "F" * 16),
        ("%u", Atomic.UINT, 7, "7"),
    ],
)
def test_c_format(c_format, nc_type, value, text):
    style = parse_c_format(c_format, nc_type)
    assert style is not None
    assert format_number(value, nc_type, style) == text


@pytest.mark.parametrize(
    ("c_format", "nc_type"),
    [
        ("", Atomic.FLOAT),
        ("%d", Atomic.FLOAT),
        ("%f", Atomic.INT),
        ("%s", Atomic.FLOAT),
        ("%n", Atomic.INT),
        ("%f%f", Atomic.FLOAT),
        ("%*f", Atomic.FLOAT),
        ("%1000000f", Atomic.FLOAT),
        ("%(x)f", Atomic.FLOAT),
        ("%f m", Atomic.FLOAT),
        ("%%", Atomic.FLOAT),
    ],
)
def test_a_c_format_that_cannot_be_trusted_is_refused(c_format, nc_type):
    assert parse_c_format(c_format, nc_type) is None


@given(st.text(max_size=20), st.sampled_from([Atomic.INT, Atomic.DOUBLE]))
def test_any_c_format_gives_a_number_or_nothing(c_format, nc_type):
    style = parse_c_format("%" + c_format, nc_type)
    if style is not None:
        assert isinstance(style, NumberFormat)
        assert format_number(3, nc_type, style).strip()
