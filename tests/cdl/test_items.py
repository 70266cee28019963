"""Data lists: constants, nested braces and the function time."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.cdl.items import Braces, Item, parse_items, tokenize
from ncz.errors import CdlError
from ncz.text.source import SourceText


def items_of(text: str) -> list[Item]:
    source = SourceText(text.encode(), "t.cdl")
    return parse_items(source, 0, len(source.buffer))


def values_of(items: list[Item] | tuple[Item, ...]) -> list[Any]:
    return [values_of(i.items) if isinstance(i, Braces) else i.value for i in items]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        (" // a comment\n /* another */ ", []),
        ("1, 2b ,3.5f", [1, 2, 3.5]),
        ("{1, {2}}, {}", [[1, [2]], []]),
        ("\"a, }\", '{'", [b"a, }", ord("{")]),
        ("1 /* , */, 2 // 3\n", [1, 2]),
        ('time("1970-01-02")', [24.0]),
        ('time("1970-01-01 06:30"), 1', [6.5, 1]),
        ('time("1969-12-31T12:00:36Z")', [-11.99]),
    ],
)
def test_values(text, values):
    assert values_of(items_of(text)) == values


def test_braces_know_their_places():
    (inside,) = items_of(" {1, 2} ")
    assert isinstance(inside, Braces)
    assert (inside.at, inside.end) == (1, 6)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        (",1", "a value is missing before this comma", 1),
        ("1,,2", "a value is missing before this comma", 3),
        ("{1,}", "a value is missing before this brace", 4),
        ("1,", "a value is missing after the last comma", 3),
        ("1}", "this brace has no opening brace", 2),
        ("{{1}", "this brace is not closed", 1),
        ("1 2", "unexpected `2` after a value", 3),
        ("f(1)", "unexpected `\\(` after a value", 2),
        ("1 ; 2", "unexpected `;` among values", 3),
        ('time("1999-13-01")', "takes one date", 1),
        ('time("1999-01-01", "x")', "takes one date", 1),
        ("time(1999)", "takes one date", 1),
    ],
)
def test_errors_have_their_places(text, message, column):
    with pytest.raises(CdlError, match=message) as caught:
        items_of(text)
    assert caught.value.column == column


def test_tokens_have_offsets_of_bytes():
    source = SourceText('"é", 7'.encode(), "t.cdl")
    assert list(tokenize(source, 0, len(source.buffer))) == [
        ('"é"'.encode(), 0), (b",", 4), (b"7", 6),
    ]  # fmt: skip
