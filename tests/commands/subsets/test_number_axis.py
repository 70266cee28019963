"""Indices of coordinates that are numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.limits import SelectionLimits
from ncz.commands.subsets.number_axis import NumberAxis
from ncz.errors import Notice


def axis(values: Any, *, circle: float | None = None, dtype: str = "f8") -> NumberAxis:
    numbers = np.array(values, dtype)
    return NumberAxis(
        fqn="/x", text="x=TEXT", values=numbers, indices=np.arange(len(numbers)) + 10, times=None,
        is_sorted=True, circle=circle, slack=0.0, unit="m",
    )  # fmt: skip


def between(low: float | None, high: float | None) -> SelectionLimits:
    return SelectionLimits(low=low, high=high, end_of_first=low, start_of_last=high)


def within(values: Any, low: float | None, high: float | None, **given: Any) -> list[int]:
    notices: list[Notice] = []
    found = axis(values, **given).within(between(low, high), notices.append)
    return [index - 10 for index in found.indices.tolist()]


@pytest.mark.parametrize(
    ("values", "low", "high", "indices"),
    [
        ([1, 2, 3, 4], 2, 3, [1, 2]),
        ([1, 2, 3, 4], None, 2.5, [0, 1]),
        ([1, 2, 3, 4], 3, None, [2, 3]),
        ([4, 3, 2, 1], 2, 3, [1, 2]),
        ([1, 2, 3, 4], 3, 2, [1, 2]),
    ],
)
def test_limits(values, low, high, indices):
    assert within(values, low, high) == indices


@pytest.mark.parametrize(
    ("low", "high", "indices", "turns"),
    [
        (-90, 90, [3, 0, 1], [-1, 0, 0]),
        (270, 450, [3, 0, 1], [0, 1, 1]),
        (350, 10, [0], None),
        (0, 180, [0, 1, 2], None),
    ],
)
def test_longitudes_in_any_range(low, high, indices, turns):
    found = axis([0, 90, 180, 270], circle=1e-6).within(between(low, high), lambda _: None)
    assert (found.indices - 10).tolist() == indices
    if turns is not None:
        assert found.turns is not None
        assert found.turns.tolist() == turns


def test_equal_values():
    assert axis([1, 2, 3]).equal(2).indices.tolist() == [11]
    assert axis([0.1, 0.2], dtype="f4").equal(0.1).indices.tolist() == [10]
    turned = axis([0, 90, 180, 270], circle=1e-6).equal(-90)
    assert turned.indices.tolist() == [13]
    assert turned.turns is not None
    assert turned.turns.tolist() == [-1]
    with pytest.raises(OptionError, match="no coordinate has this value"):
        axis([1, 2, 3]).equal(2.5)


def test_the_nearest_coordinate():
    notices: list[Notice] = []
    assert axis([1, 2, 4]).nearest(2.9, notices.append).indices.tolist() == [11]
    assert axis([1, 2, 4]).nearest(3, notices.append).indices.tolist() == [12]
    assert axis([0, 90, 180, 270], circle=1e-6).nearest(350, notices.append).indices.tolist() == [
        10
    ]
    assert notices == []
    axis([1, 2, 4]).nearest(9, notices.append)
    assert "the nearest coordinate of /x is 4.0, which is 5 m away" in notices[0].message


def test_values_outside():
    with pytest.raises(OptionError, match="no coordinate within the limits") as caught:
        within([1, 2, 3], 7, 9)
    assert caught.value.hint == "its coordinates are from 1.0 to 3.0"
    notices: list[Notice] = []
    axis([1, 2, 3]).within(between(-5, 9), notices.append)
    assert "begins at 1.0 and ends at 3.0" in notices[0].message


def test_properties():
    assert axis([1, 2, 4]).step == 2
    assert axis([3]).step == math.inf
    assert axis([3]).is_ascending
    assert not axis([2, 1]).is_ascending
    assert axis([2, 1]).ends == (1, 2)
