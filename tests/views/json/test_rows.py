"""Rows of values as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from ncz.model.types import Atomic
from ncz.views.json.rows import encode_rows, finite


@pytest.mark.parametrize(
    ("values", "nc_type", "rows"),
    [
        ([[1, 2], [3, -4]], Atomic.INT, ["1, 2", "3, -4"]),
        ([[0.1, 1.0]], Atomic.DOUBLE, ["0.1, 1.0"]),
        ([["a", 'b"']], Atomic.STRING, ['"a", "b\\""']),
        ([["a", None]], Atomic.STRING, ['"a", null']),
    ],
)
def test_a_row_has_its_values(values: Any, nc_type: Atomic, rows: list[str]):
    dtype = object if nc_type is Atomic.STRING else nc_type.dtype
    assert list(encode_rows(np.array(values, dtype), nc_type)) == rows


def test_single_precision_has_few_digits():
    (row,) = encode_rows(np.array([[0.1, 16777216]], "f4"), Atomic.FLOAT)
    assert json.loads(f"[{row}]") == [0.1, 16777216.0]
    assert "0.1," in row


def test_numbers_that_are_not_finite_are_texts():
    (row,) = encode_rows(np.array([[math.nan, math.inf, 1.5]]), Atomic.DOUBLE)
    assert json.loads(f"[{row}]") == ["NaN", "Infinity", 1.5]
    assert finite({"a": [math.inf, {"b": 1.5}], "c": "x"}) == {
        "a": ["Infinity", {"b": 1.5}], "c": "x"
    }  # fmt: skip
