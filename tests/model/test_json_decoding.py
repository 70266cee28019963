"""Values in JSON become values of a netCDF type, or the message says why they cannot."""

from __future__ import annotations

import math
import re

import pytest

from ncz.model.json_decoding import WrongValueError, decode_value
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, Vlen
from ncz.model.user_types import packed_layout

OPAQUE = Opaque(name="/o", size=2)
ENUM = Enumeration(name="/e", base=Atomic.BYTE, members=(("low", -128), ("high", 127)))
TEXT = Vlen(name="/t", base=Atomic.CHAR)
RAGGED = Vlen(name="/r", base=Atomic.INT)
RECORD = Compound(
    name="/c",
    fields=(
        Field(name="n", type=Atomic.INT),
        Field(name="pair", type=Atomic.SHORT, shape=(2,)),
        Field(name="label", type=Atomic.CHAR, shape=(3,)),
    ),
)


@pytest.mark.parametrize(
    ("given", "nc_type", "value"),
    [
        ("a", Atomic.CHAR, "a"),
        ("", Atomic.CHAR, "\0"),
        ("\udcff", Atomic.CHAR, "\xff"),
        ("text", Atomic.STRING, "text"),
        (None, Atomic.STRING, None),
        (-128, Atomic.BYTE, -128),
        (127, Atomic.BYTE, 127),
        (2**64 - 1, Atomic.UINT64, 2**64 - 1),
        (2, Atomic.DOUBLE, 2.0),
        (0.1, Atomic.FLOAT, 0.10000000149011612),
        ("-Infinity", Atomic.FLOAT, -math.inf),
        (127, ENUM, 127),
        ("00fF", OPAQUE, b"\0\xff"),
        ("é", TEXT, ("\xc3", "\xa9")),
        ("\ud800", TEXT, ("\xed", "\xa0", "\x80")),
        ([], RAGGED, ()),
        ([1, 2], RAGGED, (1, 2)),
        ([1, [2, 3], "abc"], RECORD, (1, (2, 3), ("a", "b", "c"))),
        ([1, [2, 3], "a"], RECORD, (1, (2, 3), ("a", "\0", "\0"))),
    ],
)
def test_values_of_the_type_are_decoded(given, nc_type, value):
    assert decode_value(given, nc_type) == value


@pytest.mark.parametrize(
    ("given", "nc_type", "message"),
    [
        (1, Atomic.CHAR, "1 is not text, and the type is char"),
        ("ab", Atomic.CHAR, "'ab' is more than one char"),
        ("é", Atomic.CHAR, "'é' is more than one char"),
        (1, Atomic.STRING, "1 is not text, and the type is string"),
        (128, Atomic.BYTE, "128 does not fit byte (-128 to 127)"),
        (-129, Atomic.BYTE, "-129 does not fit byte (-128 to 127)"),
        (1.0, Atomic.INT, "1.0 is not a whole number, and the type is int"),
        (True, Atomic.INT, "True is not a whole number, and the type is int"),
        ("1", Atomic.DOUBLE, "'1' is not a number, and the type is double"),
        (True, Atomic.FLOAT, "True is not a number, and the type is float"),
        (1e39, Atomic.FLOAT, "1e+39 is too large for float"),
        (10**400, Atomic.DOUBLE, "is too large for double"),
        (128, ENUM, "128 does not fit byte (-128 to 127)"),
        ("00f", OPAQUE, "'00f' is not 2 bytes in hexadecimal digits"),
        ("00", OPAQUE, "'00' is not 2 bytes in hexadecimal digits"),
        ("00ff00", OPAQUE, "'00ff00' is not 2 bytes in hexadecimal digits"),
        ("00fg", OPAQUE, "'00fg' is not 2 bytes in hexadecimal digits"),
        (255, OPAQUE, "255 is not 2 bytes in hexadecimal digits"),
        (["a"], TEXT, "['a'] is not text, and the type is char"),
        (1, RAGGED, "1 is not a list of the values of /r"),
        ([1, 2.5], RAGGED, "2.5 is not a whole number, and the type is int"),
        ([1, [2, 3]], RECORD, "/c has 3 values, not 2"),
        ([1, [2], "abc"], RECORD, "pair has 2 values, not 1"),
        ([1, [2, 3], "abcd"], RECORD, "'abcd' is longer than 3 bytes"),
        ([1, [2, 3], 4], RECORD, "4 is not text, and the type is char"),
    ],
)
def test_values_of_another_type_are_refused(given, nc_type, message):
    with pytest.raises(WrongValueError, match=re.escape(message)):
        decode_value(given, nc_type)


def test_the_layout_of_fixed_types():
    assert packed_layout(RECORD, ">") == [
        ["n", ">i4"],
        ["pair", "<i2", [2]],  # arrays within compounds are always little-endian
        ["label", "S1", [3]],
    ]
    assert [packed_layout(t, "<") for t in (OPAQUE, ENUM, Atomic.UINT64)] == ["V2", "i1", "<u8"]
    with pytest.raises(TypeError, match="no fixed size"):
        packed_layout(RAGGED, "<")
