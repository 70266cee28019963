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
