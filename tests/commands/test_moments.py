"""Mean, deviation and range of many values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ncz.commands.moments import Moments, moments_of
from ncz.model.packing import Packing

FLOATS = hnp.arrays("f8", st.integers(0, 60), elements=st.floats(-1e6, 1e6) | st.just(math.nan))


INTEGERS = hnp.arrays("i2", st.integers(0, 60))


def check(found: Moments, values: np.ndarray) -> None:
    assert found.count == values.size
    if values.size:
        assert found.minimum == values.min()
        assert found.maximum == values.max()
        assert found.mean == pytest.approx(values.mean(dtype="f8"), rel=1e-9, abs=1e-6)
        assert found.std == pytest.approx(values.std(dtype="f8"), rel=1e-7, abs=1e-6)


@given(FLOATS, st.integers(0, 60))
def test_floats_in_two_parts(values, at):
    found = moments_of(values[:at], Packing()).combine(moments_of(values[at:], Packing()))
    check(found, values[~np.isnan(values)])
    assert found.size == values.size


@given(INTEGERS, st.lists(st.integers(-40000, 40000) | st.floats(), max_size=2))
def test_integers_with_masks(values, masks):
    found = moments_of(values, Packing(masks=tuple(masks)))
    check(found, values[~np.isin(values.astype("f8"), masks)])
    assert found.size == values.size


def test_infinities_are_counted_unless_they_are_masked():
    values = np.array([1, np.inf, -np.inf, np.nan, 3.0])
    found = moments_of(values, Packing())
    assert (found.count, found.missing, found.infinite) == (2, 1, 2)
    found = moments_of(values, Packing(masks=(math.inf,)))
    assert (found.count, found.missing, found.infinite) == (2, 2, 1)


def test_unsigned_values_and_their_mask():
    found = moments_of(np.array([-1, -2, 5], "i1"), Packing(masks=(-1,), unsigned=True))
    assert (found.count, found.missing, found.maximum) == (2, 1, 254)


LARGEST = float(np.finfo("f8").max)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200, LARGEST])
@pytest.mark.parametrize("parts", [([1, -1], [1, -1]), ([1, 1], [-1, -1]), ([1, -1, 1], [-1])])
def test_extreme_values(size, parts):
    """The sum of their squares is not a number, and neither are some sums and distances."""
    one, other = (moments_of(np.array(part) * size, Packing()) for part in parts)
    found = one.combine(other)
    assert (found.minimum, found.maximum) == (-size, size)
    assert abs(found.mean) <= 1e-15 * size
    assert found.std == pytest.approx(size)
    assert found.histogram(2) == (2, 2)


def test_the_largest_number_is_the_mean_of_itself():
    for count in (1, 2, 3, 1000):
        found = moments_of(np.full(count, LARGEST), Packing())
        assert found.mean == found.maximum == pytest.approx(LARGEST)
        assert found.std <= 1e-15 * LARGEST


def test_a_value_repeated():
    found = moments_of(np.array([2.5]), Packing()).repeat(10)
    assert (found.count, found.mean, found.std) == (10, 2.5, 0)
    assert sum(found.histogram(4)) == 10


def test_the_sample_keeps_the_distribution_of_many_values():
    total = Moments()
    for seed in range(40):
        values = np.random.default_rng(seed).standard_normal(1 << 17)
        total = total.combine(moments_of(values, Packing()))
    assert sum(len(values) for _, values in total.sample) <= 1 << 16
    assert sum(total.histogram(8)) == pytest.approx(total.count, rel=0.02)
    assert total.minimum is not None
    assert total.maximum is not None
    edges = np.linspace(total.minimum, total.maximum, 9)
    exact = np.diff([0.5 * (1 + math.erf(edge / math.sqrt(2))) for edge in edges])
    parts = np.array(total.histogram(8)) / total.count
    np.testing.assert_allclose(parts, exact, atol=0.01)
