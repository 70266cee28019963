"""The members of a JSON text, with their offsets."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.errors import CdlError
from ncz.text.source import SourceText
from ncz.views.json.tree import List, Object, Scalar, parse_node, scan
from tests.sampled import share_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


def source(text: str) -> SourceText:
    return SourceText(text.encode(), "a.json")


@settings(max_examples=share_of(200))
@given(st.dictionaries(st.text(), VALUES, max_size=3))
def test_every_value_equals_the_standard_library_s(document):
    text = source(json.dumps(document, ensure_ascii=False))
    node = scan(text)
    assert [*node.members] == [*document]
    assert parse_node(text, node) == document
    assert {key: parse_node(text, inner) for key, inner in node.members.items()} == document


def test_lists_are_not_scanned_and_offsets_match_the_text():
    text = source(' {"a": [1, {"b": "]"}], "c" : {"d": 5}}')
    node = scan(text)
    assert node.members["a"] == List(7, 22)
    assert isinstance(node.members["c"], Object)
    assert node.members["c"].members["d"] == Scalar(36, 37)
    assert node.keys == {"a": 2, "c": 24}


def test_a_mark_of_the_order_of_bytes_is_skipped():
    text = SourceText(b"\xef\xbb\xbf{}", "a.json")
    assert scan(text).members == {}


def test_numbers_that_are_not_finite_and_very_large_ones():
    text = source('{"a": NaN, "b": 1e999}')
    found = parse_node(text, scan(text))
    assert found["a"] != found["a"] or found["a"] == "NaN"
    assert found["b"] == float("inf")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "1:1: expected an object"),
        ("{} {}", "1:4: unexpected text after the end"),
        ('{"a": 1, "a": 2}', 'the member "a" is given twice'),
        ('{"a" 1}', "expected a colon"),
        ('{"a": 1 "b"}', "expected a comma or }"),
        ('{"a": [1, 2}', "this bracket is not closed"),
        ('{"a": ', "the text ends where a value is expected"),
        ('{"a": ,}', "expected a value"),
        ("{a: 1}", "expected a key in double quotes"),
    ],
)
def test_invalid_json_is_an_error_with_its_place(text: str, message: str):
    with pytest.raises(CdlError, match=message):
        scan(source(text))


@pytest.mark.parametrize("value", ["nope", "01", "[1,]", "[" * 100_000 + "]" * 100_000])
def test_values_are_checked_when_they_are_parsed(value: str):
    text = source(f'{{"a": {value}}}')
    node = scan(text).members["a"]
    with pytest.raises(CdlError, match=r"not valid JSON|nested too deeply"):
        parse_node(text, node)
