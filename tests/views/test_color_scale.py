"""The scale of a picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncz.views.color_scale import ColorScale

LARGEST = float(np.finfo("f8").max)
NUMBERS = st.floats(-LARGEST, LARGEST, allow_subnormal=False)


@given(NUMBERS, NUMBERS)
@example(-LARGEST, LARGEST)
def test_the_ends_are_the_first_and_the_last_colour(one: float, other: float):
    low, high = sorted((one, other))
    scale = ColorScale(low=low, high=high)
    parts = scale.parts(np.array([low, low / 2 + high / 2, high]))
    assert parts[0] == 0
    if high / 2 - low / 2 > 1e-300:
        assert parts[1] == pytest.approx(0.5)
        assert parts[2] == 1
        assert scale.indices(np.array([low, high]), 9).tolist() == [0, 8]


def test_values_beyond_the_ends_have_their_colours_and_missing_ones_none():
    scale = ColorScale(low=1, high=3)
    values = np.array([0, 1, 2, 3, 4, np.nan, np.inf, -np.inf])
    assert scale.indices(values, 5).tolist() == [0, 0, 2, 4, 4, 5, 5, 5]
    assert ColorScale(low=2, high=2).indices(np.array([2.0]), 5).tolist() == [0]


def test_a_logarithmic_scale_has_equal_ratios():
    scale = ColorScale(low=0.1, high=1000, is_log=True)
    assert scale.parts(np.array([0.1, 1, 10, 100, 1000])) == pytest.approx(np.linspace(0, 1, 5))
    assert scale.indices(np.array([0.0, -1]), 7).tolist() == [7, 7]


def test_colours_are_reversed_on_any_terminal():
    one, other = (ColorScale(low=0, high=1, is_reversed=each) for each in (False, True))
    assert one.colors(9) == other.colors(9)[::-1]
    assert one.sixteen == other.sixteen[::-1]
