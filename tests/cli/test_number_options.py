"""Options for the types of stored numbers: their meaning, and texts that are not numbers."""

from __future__ import annotations

from typing import Any

import click
import pytest

from ncz.cli.number_options import NUMBERS


def parsed(name: str, text: str) -> dict[str, Any]:
    """Return the argument that a text on the command line gives."""
    spelling = NUMBERS[name]
    assert spelling.parse is not None
    return dict(spelling.parse(text, spelling.names[0]))  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("types", "float", {"": "float"}),
        ("types", "v=short,w=int", {"v": "short", "w": "int"}),
        ("types", "a=b=short", {"a=b": "short"}),
        ("pack", "short:0.1:273", {"": "short:0.1:273"}),
        ("missing_value", "-9999", {"": -9999}),
        ("missing_value", "v=1e3", {"v": 1000}),
        ("missing_value", "v=1.5", {"v": 1.5}),
        ("quantize", "3", {"": "3"}),
        ("quantize", "v=3,w:4", {"v": "3", "w": "4"}),
        ("quantize", "BitGroom:3", {"": "BitGroom:3"}),
        ("quantize", "bitround=9,v=granularbr:2", {"bitround": "9", "v": "granularbr:2"}),
    ],
)
def test_names_and_values(name: str, text: str, value: dict[str, Any]):
    found = parsed(name, text)
    assert found == value
    assert [*map(type, found.values())] == [*map(type, value.values())]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v=1,5", "--missing-value: '1,5' is not a number; write --missing-value v=1.5"),
        ("x", "--missing-value: 'x' is not a number"),
        ("v=", "--missing-value: '' is not a number"),
    ],
)
def test_words_that_are_not_numbers_are_refused(text: str, message: str):
    with pytest.raises(click.UsageError) as error:
        parsed("missing_value", text)
    assert error.value.message == message
