"""Selections from values of Python."""

from __future__ import annotations

import io
from datetime import date, datetime

import numpy as np
import pytest

import ncz
from ncz.commands.subsets.python_values import selection_of
from ncz.errors import ignore_notice
from ncz.model.selection import Between, OneOf


@pytest.mark.parametrize(
    ("index", "expected", "drops"),
    [
        (3, 3, True),
        (np.int8(-1), -1, True),
        (slice(1, None), slice(1, None, None), False),
        (slice(np.int64(1), 5, 2), slice(1, 5, 2), False),
        (range(2, 8, 3), (2, 5), False),
        ([4, np.int8(-1)], (4, -1), False),
        (np.array([2, 1]), (2, 1), False),
        ([1], (1,), False),
    ],
)
def test_indices(index, expected, drops):
    found = selection_of({"x": index}, drops=True)
    assert found is not None
    assert (found.by_index, found.drops) == ({"x": expected}, ("x",) if drops else ())


@pytest.mark.parametrize(
    "index", [1.5, "1", None, [1, 0.5], ["1"], np.array([[1], [2]]), slice(0.5)]
)
def test_indices_that_are_not_valid(index):
    with pytest.raises(TypeError, match=r"^.* is not an integer, a slice or a list of integers$"):
        selection_of({"x": index})


@pytest.mark.parametrize("mask", [[True, False], np.array([True, False])])
def test_a_mask_is_not_a_list_of_indices(mask):
    with pytest.raises(TypeError, match=r"use numpy\.flatnonzero"):
        selection_of({"x": mask})


@pytest.mark.parametrize(
    ("value", "expected", "drops"),
    [
        (2000, 2000, True),
        (np.float32(0.5), 0.5, True),
        (True, "True", True),
        ("north", "north", True),
        (date(2000, 1, 2), "2000-01-02", True),
        (datetime(2000, 1, 2, 3), "2000-01-02T03:00:00", True),
        (np.datetime64("2000-01-02"), "2000-01-02", True),
        ("2000-01-02T12:00", "2000-01-02T12:00", True),
        ("2000", "2000", False),
        ("2000-01", "2000-01", False),
        (["2000-01", 2001], OneOf(("2000-01", 2001)), False),
        (slice(None, 5), Between(None, 5), False),
        (slice(1, 5, 2), Between(1, 5, step=2), False),
        (Between(1, 2), Between(1, 2), False),
        ("5:10", Between(5, 10, "5:10"), False),
        ("-100.5:3", Between(-100.5, 3, "-100.5:3"), False),
        ("1/2", Between(1, 2, "1/2"), False),
        ("2000-01:2001-02", Between("2000-01", "2001-02", "2000-01:2001-02"), False),
    ],
)
def test_values(value, expected, drops):
    found = selection_of(sel={"x": value}, drops=True)
    assert found is not None
    assert (found.by_value, found.drops) == ({"x": expected}, ("x",) if drops else ())
    assert type(found.by_value["x"]) is type(expected)


def test_selections_without_indices():
    assert selection_of() is None
    assert selection_of({}, {}, drops=True) is None
    with pytest.raises(TypeError, match="is not an integer"):
        selection_of(sel={"x": slice(1, 5, 0.5)})


@pytest.mark.parametrize("value", ["-50:2", "-100.5:-50", "-100.5/-50", slice(-50, 2)])
def test_a_range_with_one_value_keeps_its_dimension(value):
    text = b"netcdf s { dimensions: x = 3 ; variables: double x(x) ; data: x = -100.5, 0, 3 ; }"
    url = "memory://a-range-with-one-value"
    ncz.gen(io.BytesIO(text), url, overwrite=True, notify=ignore_notice)
    with ncz.open(url) as dataset:
        assert dataset.sel(x=value)["x"].shape == (1,)
