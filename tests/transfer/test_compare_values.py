"""Equality of arrays with and without fields."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.transfer.compare_values import are_equal, unequal

FIELDS = np.array([(1, 2.0), (3, np.nan)], [("a", "i4"), ("b", "f8")])


@pytest.mark.parametrize(
    "other", [np.zeros(2, "i4"), FIELDS[["a"]], np.zeros(2, [("a", "i4"), ("c", "f8")])]
)
def test_arrays_of_other_fields_are_unequal(other):
    for one, two in ((FIELDS, other), (other, FIELDS)):
        assert not are_equal(one, two)
        assert unequal(one, two).tolist() == [True, True]


def test_fields_are_compared_one_by_one():
    changed = FIELDS.copy()
    assert are_equal(FIELDS, changed)
    changed["a"][1] = 4
    assert unequal(FIELDS, changed).tolist() == [False, True]
    assert not are_equal(FIELDS, changed)


def test_nan_equals_nan_only():
    one, other = np.array([np.nan, np.nan, 1.0]), np.array([np.nan, 1.0, np.nan])
    assert unequal(one, other).tolist() == [False, True, True]
    assert unequal(one, one.astype("c16")).tolist() == [False, False, False]
    assert unequal(one, np.array([0, 1, 1])).tolist() == [True, True, False]
    assert unequal(np.array([0, 1, 1]), one).tolist() == [True, True, False]
    assert are_equal(one, one.copy())
    assert not are_equal(one, other)
    assert not are_equal(one, np.array([0, 1, 1]))


@pytest.mark.parametrize("other", [np.array([b"1", b"x"]), np.array(["1", "x"])])
def test_numbers_and_text_are_unequal(other):
    numbers = np.array([1.0, np.nan])
    for one, two in ((numbers, other), (other, numbers)):
        assert not are_equal(one, two)
        assert unequal(one, two).tolist() == [True, True]


def test_objects_are_compared_one_by_one():
    one = np.array(["a", None, (1, np.float32(2)), b"x"], object)
    same = np.array(["a", None, (1, 2.0), b"x"], object)
    other = np.array(["b", "c", (1, 3.0), b"x"], object)
    assert are_equal(one, same)
    assert unequal(one, same).tolist() == [False] * 4
    assert not are_equal(one, other)
    assert unequal(one, other).tolist() == [True, True, True, False]
    assert unequal(np.array(["a", "b", "c", "d"]), other).tolist() == [True] * 4
