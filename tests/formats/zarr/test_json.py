"""JSON in stores."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.errors import FormatError
from ncz.formats.zarr import json as json_module
from ncz.formats.zarr.json import decode, parse_document, parse_json, print_document
from ncz.model.json_text import Real, print_json

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    ),
    max_leaves=20,
)


def test_layout_matches_netcdf_c():
    document = {"a": [1, 2.5, None], "b": {"size": 3, "unlimited": 1}, "c": "é\n\x1b", "d": []}
    assert print_document(document).decode() == (
        '{"a": [1,2.5,null], "b": {"size": 3, "unlimited": 1}, "c": "é\\n\\u001b", "d": []}'
    )


@given(values)
def test_printed_values_read_back(value):
    assert parse_json(print_json(value).encode(), "x") == value


@given(st.binary(max_size=40))
def test_text_of_any_bytes_reads_back(data):
    text = data.decode("utf-8", "surrogateescape")
    printed = print_json(text).encode("utf-8")
    assert parse_json(printed, "x").encode("utf-8", "surrogateescape") == data


def test_a_number_shows_its_spelling():
    assert repr(parse_json(b'[1.50, -0, 1e999, "1.5"]', "x")) == "[1.50, -0, 1e999, '1.5']"


def test_a_number_keeps_its_spelling():
    text = '{"a": 1.10, "b": 1e20, "c": -0, "d": 123456789012345678901234567890}'
    assert print_json(parse_json(text.encode(), "x")) == text


@pytest.mark.parametrize("digits", [5000, 200_000])
def test_an_integer_of_any_length_is_kept(digits):
    value = parse_json(b"1" * digits, "x")
    assert isinstance(value, Real)
    assert value.is_too_large
    assert value.text == "1" * digits


def test_generous_reading():
    assert parse_json(b"\xef\xbb\xbf[1]", "x") == [1]
    assert parse_json(b'{"a": 1, "a": 2}', "x") == {"a": 2}
    assert parse_json(b'"tab\there"', "x") == "tab\there"
    assert parse_json(b'"\xff"', "x") == "\udcff"
    assert math.isnan(parse_json(b"NaN", "x"))
    assert parse_json(b"[-Infinity]", "x") == [-math.inf]


def test_bare_words_of_netcdf_c_are_text():
    # netcdf-c 4.10.1 writes the text "007" without its quotes.
    assert parse_json(b'{"n": 007, "m": [1,+5], "s": "007"}', "x") == {
        "n": "007",
        "m": [1, "+5"],
        "s": "007",
    }


def test_a_lone_surrogate_becomes_bytes():
    assert parse_json(rb'"\ud800"', "x").encode("utf-8", "surrogateescape") == b"\xed\xa0\x80"
    assert parse_json(rb'{"\udcff": "\udce9"}', "x") == {"\udcff": "\udce9"}
    assert parse_json(rb'"\udcc3\udca9"', "x") == "é"
    assert parse_json(rb'"\ud83d\ude00"', "x") == "😀"


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b'{"a" 1}', b"[1,]", b"nan", b"[" * 200_000, b'{"a":' * 5000, b"\xff", b"1 2"],
)
def test_a_text_that_is_not_json_is_one_error(data):
    with pytest.raises(FormatError, match=r"store: /\.zattrs") as caught:
        parse_json(data, "store: /.zattrs")
    assert "\n" not in str(caught.value)


def test_an_error_names_the_line():
    with pytest.raises(FormatError, match="line 2 column 7"):
        parse_json(b'{"a": 1,\n "b": x}', "store")


@pytest.mark.parametrize("data", [b"[]", b"1", b'"x"', b"null", b"true"])
def test_a_document_is_an_object(data):
    with pytest.raises(FormatError, match="must be a JSON object"):
        parse_document(data, "store")


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_one_error(data):
    try:
        value = parse_json(data, "store")
    except FormatError:
        return
    print_json(value).encode("utf-8")


def test_a_document_has_a_limit_of_names_and_objects(monkeypatch):
    monkeypatch.setattr(json_module, "MOST_NAMES", 3)
    monkeypatch.setattr(json_module, "MOST_OBJECTS", 3)
    assert decode('{"a": 1, "b": "x:y:z:", "c\\":": "{{{{"}') == {
        "a": 1,
        "b": "x:y:z:",
        'c":': "{{{{",
    }
    assert decode('[{"a": 1, "b": 1}, {"b": 2}, {"b": 3}]')[2] == {"b": 3}
    for text in ('{"a":1,"b":2,"c" : 3,"d"\n:4}', "[{},{},{},{}]"):
        with pytest.raises(ValueError, match="more than 3 "):
            decode(text)
