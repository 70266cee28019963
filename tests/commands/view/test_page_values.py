"""Values and attributes as the page shows them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ncz.commands.view import page_values
from ncz.commands.view.page_values import (
    attribute_rows,
    finite,
    is_nearly_even,
    number_in_json,
    shorten,
    text_of_value,
    type_name,
)
from ncz.model.data import read_all
from ncz.model.tree import Variable
from tests.test_round_trip import parsed

CDL = """netcdf d {{ types: compound c_t {{ int i ; float f ; }} ; dimensions: x = 1 ;
variables: {} v(x) ; {} data: v = {} ; }}"""


def variable(nc_type: str, value: str, more: str = "") -> Variable:
    return parsed(CDL.format(nc_type, more, value).encode()).root.variables[0]


@pytest.mark.parametrize(
    ("nc_type", "value", "more", "text"),
    [
        ("int", "5", "", "5"),
        ("int", "5", "v:_FillValue = 5 ;", "missing"),
        ("int64", "9007199254740993", "", "9007199254740993"),
        ("uint64", "18446744073709551615", "", "18446744073709551615"),
        ("double", "NaN", "", "missing"),
        ("short", "4", "v:scale_factor = 0.5 ;", "2"),
        ("byte", "1", 'v:flag_values = 0b, 1b ; v:flag_meanings = "land sea" ;', "sea (1)"),
        ("string", '"a b"', "", '"a b"'),
        ("c_t", "{1, 2.5}", "", "{1, 2.5}"),
    ],
)
def test_a_value_is_shown_exactly(nc_type: str, value: str, more: str, text: str):
    found = variable(nc_type, value, more)
    assert found.data is not None
    assert text_of_value(found, read_all(found.data)) == text


def test_a_long_text_is_shortened_with_its_length():
    assert shorten("abc", 3) == "abc"
    assert shorten("abcd", 3) == "abc... (4 characters)"
    assert "\x1b" not in shorten("\x1b[31m", 9)


def test_attributes_have_their_cdl():
    found = variable("int", "1", 'v:units = "K" ; v:n = 1s, 2s ;')
    assert attribute_rows(found.attributes) == [("units", "K"), ("n", "1s, 2s")]
    assert type_name(found) == "int"
    assert type_name(variable("c_t", "{1, 2}")) == "c_t"


@pytest.mark.parametrize(
    ("steps", "is_even"),
    [([], True), ([1, 1], True), ([-1, -4], True), ([1, 5], False), ([1, -1], False), ([0], False)],
)
def test_steps_of_a_scale_are_nearly_even(steps: list[float], is_even: bool):
    assert is_nearly_even(np.array(steps, "f8")) == is_even


@pytest.mark.parametrize(
    ("value", "found"),
    [(1.5, 1.5), (math.nan, None), (math.inf, "Infinity"), (-math.inf, "-Infinity")],
)
def test_json_has_no_numbers_that_are_not_finite(value: float, found: object):
    assert number_in_json(value) == found
    assert finite(value) == (value if math.isfinite(value) else None)


def test_no_number_is_not_finite():
    assert finite(None) is None
    assert page_values.MOST_CELL < page_values.MOST_HEADER
