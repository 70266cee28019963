"""The shortest texts of floating-point numbers."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.text.shortest_floats import shortest_floats

NUMBERS = {
    "<f4": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "<f8": st.floats(allow_nan=False, allow_infinity=False),
}


def digits_of(text: str) -> str:
    """Return the digits of a number without zeros at the ends."""
    return "".join(map(str, Decimal(text).as_tuple().digits)).strip("0")


@pytest.mark.parametrize("dtype", NUMBERS)
@given(st.data())
def test_texts_identify_numbers_with_the_fewest_digits(dtype: str, data: st.DataObject):
    values = np.array(data.draw(st.lists(NUMBERS[dtype], max_size=40)), dtype)
    texts = shortest_floats(values)
    assert np.array(list(map(float, texts))).astype(dtype).tobytes() == values.tobytes()
    for text, value in zip(texts, values, strict=True):
        assert len(digits_of(text)) <= len(digits_of(str(value))) + (float(str(value)) != value)
        assert "e" in text or "." in text


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("scale", [1, 1e-9, 1e-30, 1e12, 1e30])
def test_numbers_of_full_precision_are_identified(dtype: str, scale: float):
    values = (np.random.default_rng(7).standard_normal(5000) * scale).astype(dtype)
    texts = shortest_floats(values)
    again = np.array(list(map(float, texts))).astype(dtype)
    np.testing.assert_array_equal(again, values)
    expected = [digits_of(text) for text in values.astype("U").tolist()]
    differ = sum(digits_of(a) != b for a, b in zip(texts, expected, strict=True))
    assert differ <= 5  # floats whose shortest text would be another float, parsed as a double


def test_zeros_and_whole_numbers_have_a_point():
    values = np.array([0.0, -0.0, 3.0, -120.0, 1234567.0, 0.5, 1e7], np.float32)
    expected = ["0.0", "-0.0", "3.0", "-120.0", "1234567.0", "0.5", "1e+07"]
    assert shortest_floats(values) == expected


def test_the_least_and_the_largest_numbers():
    for dtype in (np.float32, np.float64):
        limits = np.finfo(dtype)
        values = np.array([limits.smallest_subnormal, limits.tiny, limits.max, -limits.max], dtype)
        again = np.array(list(map(float, shortest_floats(values)))).astype(dtype)
        np.testing.assert_array_equal(again, values)
