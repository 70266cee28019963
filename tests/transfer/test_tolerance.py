"""Tolerances: distances are exact, and each limit matches numpy or `math`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.errors import NczError
from ncz.transfer.tolerance import Tolerance, distances, exceeds

INT64 = st.integers(-(2**63), 2**63 - 1)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)


@given(INT64, INT64)
def test_distances_of_int64_are_exact(a, b):
    assert int(distances(np.array([a]), np.array([b]))[0]) == abs(a - b)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_distances_of_uint64_are_exact(a, b):
    one, other = np.array([a], "u8"), np.array([b], "u8")
    assert int(distances(one, other)[0]) == abs(a - b)


@given(FLOAT, FLOAT, st.floats(1e-9, 1))
def test_relative_and_absolute_limits_match_isclose(a, b, limit):
    one, other = np.array([a]), np.array([b])
    relative = exceeds(one, other, Tolerance(relative=limit))
    absolute = exceeds(one, other, Tolerance(absolute=limit))
    if math.isfinite(a - b):
        assert bool(relative[0]) is not math.isclose(a, b, rel_tol=limit)
    assert bool(absolute[0]) is (abs(a - b) > limit)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("start", [0.0, -0.0, 1.0, -1.0, 1e-38, -5.5])
def test_ulp_counts_representable_numbers(dtype, start):
    one = np.array([start], dtype)
    other = one
    for steps in range(1, 4):
        other = np.nextafter(other, np.array([np.inf], dtype))
        assert exceeds(one, other, Tolerance(ulp=steps)).tolist() == [False]
        assert exceeds(one, other, Tolerance(ulp=steps - 1)).tolist() == [True]


@pytest.mark.parametrize(
    "limits", [{"absolute": -1.0}, {"absolute": math.nan}, {"relative": -0.1}, {"ulp": -1}], ids=str
)
def test_no_tolerance_is_negative_or_nan(limits: dict[str, Any]):
    with pytest.raises(NczError, match="a tolerance cannot be negative; give 0 or more"):
        Tolerance(**limits)


def test_one_limit_of_several_is_enough():
    one, other = np.array([1.0, 100.0]), np.array([1.5, 101.0])
    assert exceeds(one, other, Tolerance(absolute=0.5)).tolist() == [False, True]
    assert exceeds(one, other, Tolerance(relative=0.01)).tolist() == [True, False]
    assert exceeds(one, other, Tolerance(absolute=0.5, relative=0.01)).tolist() == [False, False]
    assert exceeds(one, other, Tolerance()).tolist() == [True, True]


def test_nan_and_infinity_are_near_no_number():
    one, other = np.array([np.nan, np.inf, 1.0]), np.array([1.0, 1e308, np.nan])
    for tolerance in (Tolerance(absolute=1e300), Tolerance(relative=0.5), Tolerance(ulp=9)):
        assert exceeds(one, other, tolerance).tolist() == [True, True, True]
