"""Checks of the members of a JSON text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ncz.errors import CdlError
from ncz.text.source import SourceText
from ncz.views.json.members import Members
from ncz.views.json.tree import Node, Object, scan


def node(text: str) -> tuple[Members, Node]:
    source = SourceText(f'{{"n": {text}}}'.encode(), "a.json")
    return Members(source), scan(source).members["n"]


Check = Callable[[Members, Any], object]


@pytest.mark.parametrize(
    ("text", "check", "value"),
    [
        ('"a"', lambda m, n: m.text(n, "x"), "a"),
        ("5", lambda m, n: m.whole(n, "x"), 5),
        ("[1, 2]", lambda m, n: m.wholes(n, "x", 1), (1, 2)),
        ("true", lambda m, n: m.flag(n, "x"), True),
        ('"b"', lambda m, n: m.one_of(n, "k", ("a", "b")), "b"),
    ],
)
def test_values_of_the_right_kind(text: str, check: Check, value: object):
    assert check(*node(text)) == value


@pytest.mark.parametrize(
    ("text", "check", "message"),
    [
        ("5", lambda m, n: m.text(n, "x"), "x must be a text"),
        ("-1", lambda m, n: m.whole(n, "x"), "x must be a whole number, 0 or more"),
        ("1.5", lambda m, n: m.whole(n, "x"), "x must be a whole number"),
        ("true", lambda m, n: m.whole(n, "x"), "x must be a whole number"),
        (str(1 << 63), lambda m, n: m.whole(n, "x"), "x must be a whole number"),
        ("[1, 0]", lambda m, n: m.wholes(n, "x", 1), "x must be a list of whole numbers"),
        ("5", lambda m, n: m.wholes(n, "x"), "x must be a list of whole numbers"),
        ("1", lambda m, n: m.flag(n, "x"), "x must be true or false"),
        ('"c"', lambda m, n: m.one_of(n, "k", ("a", "b")), '"k" must be one of a, b'),
        ("[]", lambda m, n: m.object(n, "x"), "x must be an object"),
        ('{"c": 1}', lambda m, n: m.object(n, "x", ["a"]), 'unknown member "c" of x'),
        ("{}", lambda m, n: m.member(n, "a", "x"), 'x has no member "a", which is required'),
        ('{"k": {"a/b": 1}}', lambda m, n: m.named_members(n, "k", "x"), "is not a valid name"),
    ],
)
def test_other_values_are_errors_with_their_place(text: str, check: Check, message: str):
    with pytest.raises(CdlError, match=message) as error:
        check(*node(text))
    assert str(error.value).startswith("a.json:1:")


def test_members_have_their_names_in_order():
    members, found = node('{"k": {"b": 1, "a": 2}}')
    assert isinstance(found, Object)
    assert [name for name, _, _ in members.named_members(found, "k", "x")] == ["b", "a"]
    assert members.named_members(found, "none", "x") == []
    assert members.choice({}, "k", ("a",)) is None
