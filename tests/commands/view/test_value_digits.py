"""Values as text, with as few digits as give them back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.commands.view.value_digits import Digits, digits_of, number_text
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic


def variable(nc_type: Atomic, **attributes: Any) -> Variable:
    return Variable(
        name="v",
        type=nc_type,
        attributes=tuple(
            Attribute(name=name, type=kind, values=(value,))
            for name, (kind, value) in attributes.items()
        ),
    )


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_is_given_back_by_the_shortest_text(value):
    text = number_text(value, Digits("single"))
    assert np.float32(text) == np.float32(value)
    digits = text.lower().partition("e")[0].replace(".", "").strip("-0")
    assert len(digits) <= 9


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_is_given_back(value):
    assert float(number_text(value, Digits("double"))) == value


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (float(np.float32(0.1)), "single", "0.1"),
        (float(np.float32(279.9)), "single", "279.9"),
        (0.1 + 0.2, "double", "0.30000000000000004"),
        (273 * 0.01, "unpacked", "2.73"),
        (9007199254740993, "whole", "9007199254740993"),
        (5.0, "double", "5"),
        (-0.0, "single", "0"),
        (1e21, "double", "1e21"),
        (1e20, "double", "100000000000000000000"),
        (1.5e-7, "double", "1.5e-7"),
        (0.000001, "double", "0.000001"),
        (math.inf, "single", "Infinity"),
        (-math.inf, "whole", "-Infinity"),
        (math.nan, "double", "missing"),
    ],
)
def test_texts_match_the_page(value, digits, text):
    assert number_text(value, Digits(digits)) == text


@pytest.mark.parametrize(
    ("nc_type", "attributes", "digits"),
    [
        (Atomic.FLOAT, {}, Digits("single")),
        (Atomic.DOUBLE, {}, Digits("double")),
        (Atomic.SHORT, {}, Digits("whole")),
        (Atomic.UINT64, {}, Digits("whole")),
        (Atomic.SHORT, {"scale_factor": (Atomic.FLOAT, 0.5)}, Digits("single")),
        (Atomic.SHORT, {"scale_factor": (Atomic.DOUBLE, 0.25)}, Digits("unpacked", 4)),
        (Atomic.SHORT, {"scale_factor": (Atomic.DOUBLE, 1000.0)}, Digits("unpacked", 0)),
        (Atomic.SHORT, {"add_offset": (Atomic.FLOAT, 0.5)}, Digits("unpacked", 3)),
        (Atomic.SHORT, {"scale_factor": (Atomic.DOUBLE, 0.0)}, Digits("unpacked")),
        (Atomic.FLOAT, {"scale_factor": (Atomic.DOUBLE, 0.5)}, Digits("unpacked")),
        (Atomic.STRING, {}, Digits("whole")),
    ],
)
def test_digits_are_those_after_unpacking(nc_type, attributes, digits):
    assert digits_of(variable(nc_type, **attributes)) == digits


@given(
    st.integers(-32768, 32767),
    st.floats(1e-6, 1e4),
    st.floats(-1e5, 1e5),
)
def test_packed_values_are_distinguished(raw, scale, offset):
    packed = variable(
        Atomic.SHORT, scale_factor=(Atomic.DOUBLE, scale), add_offset=(Atomic.DOUBLE, offset)
    )
    text = number_text(raw * scale + offset, digits_of(packed))
    assert round((float(text) - offset) / scale) == raw
