"""JSON as netCDF-C lays it out."""

from __future__ import annotations

import json

import pytest

from ncz.model.json_text import Real, print_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1, "b": [1, 2.5]}, '{"a": 1, "b": [1,2.5]}'),
        ([True, False, None], "[true,false,null]"),
        ({"q": 'a"\\\n\x01Ø'}, '{"q": "a\\"\\\\\\n\\u0001Ø"}'),
        ("\ud800", '"\\ud800"'),
        (Real("1.50"), "1.50"),
    ],
)
def test_one_line(value, text):
    assert print_json(value) == text
    assert json.loads(text) == value


def test_a_number_keeps_its_spelling():
    number = Real("1e999")
    assert (repr(number), number.is_too_large) == ("1e999", True)
    assert not Real("1e9").is_too_large


def test_other_values_have_no_json():
    with pytest.raises(TypeError, match="no JSON for bytes"):
        print_json(b"")
