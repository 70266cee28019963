"""Items of data lists as values of any type."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.cdl.item_values import convert_item, default_fill, join_chars, padded_length
from ncz.cdl.items import parse_items
from ncz.errors import CdlError
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Vlen
from ncz.text.source import SourceText

COLOUR = Enumeration(name="/colour", base=Atomic.UBYTE, members=(("red", 3), ("dark blue", 5)))
LIST = Vlen(name="/list", base=Atomic.SHORT)
PAIR = Compound(
    name="/pair",
    fields=(
        Field(name="n", type=Atomic.INT),
        Field(name="a", type=Atomic.SHORT, shape=(2, 2)),
        Field(name="t", type=Atomic.CHAR, shape=(2, 3)),
    ),
)
FILL = Atomic.SHORT.default_fill


def converted(text: str, nc_type: NcType, fill: Any = "fill") -> Any:
    source = SourceText(text.encode(), "f.cdl")
    (item,) = parse_items(source, 0, len(source.buffer))
    return convert_item(source, item, nc_type, fill)


@pytest.mark.parametrize(
    ("text", "nc_type", "value"),
    [
        ("7", Atomic.INT, 7),
        ("_", Atomic.INT, "fill"),
        ("'a'", Atomic.CHAR, "a"),
        ("0xabc", Opaque(name="/o", size=3), b"\xab\xc0\0"),
        ("red", COLOUR, 3),
        (r"dark\ blue", COLOUR, 5),
        ("colour.red", COLOUR, 3),
        ("9", COLOUR, 9),
        ("{1, _, 3}", LIST, (1, FILL, 3)),
        ("{}", LIST, ()),
        ('{"ab", \'c\'}', Vlen(name="/t", base=Atomic.CHAR), ("a", "b", "c")),
        ('{1, {1, 2, 3}, {"ab", "c"}}', PAIR,
         (1, (1, 2, 3, FILL), ("a", "b", "\0", "c", "\0", "\0"))),
        ("{1}", PAIR, (1, (FILL,) * 4, ("\0",) * 6)),
    ],
)  # fmt: skip
def test_values(text, nc_type, value):
    assert converted(text, nc_type) == value


@pytest.mark.parametrize(
    ("text", "nc_type", "message"),
    [
        ("{1}", Atomic.INT, "braces are not needed here"),
        ("1", LIST, "a value of vlen type /list must be in braces"),
        ("1", PAIR, "a value of compound type /pair must be in braces"),
        ("{1, 2}", PAIR, "the array a must be in braces"),
        ("{1, {1, 2, 3, 4, 5}}", PAIR, "too many values: a holds 4"),
        ('{1, {1}, {"a"}, 4}', PAIR, "too many values: /pair has 3 fields"),
        ("0xabcd", Opaque(name="/o", size=1), "the opaque type has 1 byte, and this value has 2"),
        ("7", Opaque(name="/o", size=1), "a whole number is not an opaque value"),
        ("green", COLOUR, "`green` is not a member of enum /colour"),
        ('"ab"', Atomic.CHAR, "expected one char, not 2"),
        ("7", Atomic.CHAR, "is not text"),
        ("300", COLOUR, "does not fit"),
    ],
)
def test_errors(text, nc_type, message):
    with pytest.raises(CdlError, match=message):
        converted(text, nc_type)


def test_default_fill_values():
    assert default_fill(Atomic.SHORT) == FILL
    assert default_fill(COLOUR) == 3
    assert default_fill(LIST) == ()
    assert default_fill(Opaque(name="/o", size=2)) == b"\0\0"


def test_chars_of_several_items():
    source = SourceText(b"\"ab\", 'c', _", "f.cdl")
    items = parse_items(source, 0, len(source.buffer))
    assert join_chars(source, items, b"*") == b"abc*"
    assert [padded_length(n, 4) for n in (0, 4, 5)] == [4, 4, 8]
    assert padded_length(3, 0) == 3
