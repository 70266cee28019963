"""Single-precision numbers as doubles with few digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.single_precision import shortest_single


@pytest.mark.parametrize(
    ("value", "shortest"),
    [
        (float(np.float32(0.1)), 0.1),
        (float(np.float32(9.96921e36)), 9.96921e36),
        (16777216.0, 16777216.0),
        (-2.5, -2.5),
        (math.inf, math.inf),
        (1e300, math.inf),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_digits_that_single_precision_does_not_have_are_left_out(value: float, shortest: float):
    assert shortest_single(value) == shortest


def test_nan_and_the_sign_of_zero_stay():
    assert math.isnan(shortest_single(math.nan))
    assert math.copysign(1, shortest_single(-0.0)) == -1


@given(st.floats(width=32, allow_nan=False))
def test_the_number_is_the_same_in_single_precision(value: float):
    found = shortest_single(value)
    assert np.float32(found) == np.float32(value)
    assert len(repr(found)) <= len(repr(value))
