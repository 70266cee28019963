"""The constants of CDL, as ncgen spells them."""

from __future__ import annotations

import math
import sys

import pytest

from ncz.cdl.constants import Constant, Kind, decode_hex, parse_constant, round_to_single, unescape
from ncz.errors import CdlError
from ncz.model.types import Atomic
from ncz.text.source import SourceText


def parsed(text: str) -> Constant:
    return parse_constant(SourceText(text.encode(), "f.cdl"), text.encode(), 0)


@pytest.mark.parametrize(
    ("text", "value", "atomic"),
    [
        ("7", 7, Atomic.INT),
        ("-2147483648", -(2**31), Atomic.INT),
        ("2147483648", 2**31, Atomic.UINT),
        ("-2147483649", -(2**31) - 1, Atomic.INT64),
        ("4294967296", 2**32, Atomic.UINT64),
        ("18446744073709551616", 2**64, None),
        ("010", 8, Atomic.INT),
        ("+5", 5, Atomic.INT),
        ("5b", 5, Atomic.BYTE),
        ("255b", -1, Atomic.BYTE),
        ("5UB", 5, Atomic.UBYTE),
        ("65535S", -1, Atomic.SHORT),
        ("5l", 5, Atomic.INT),
        ("5ll", 5, Atomic.INT64),
        ("5ull", 5, Atomic.UINT64),
        ("0x1fL", 31, Atomic.UINT),
        ("0x100000000ll", 2**32, Atomic.UINT64),
    ],
)
def test_integers(text, value, atomic):
    found = parsed(text)
    assert (found.kind, found.value, found.type) == (Kind.INTEGER, value, atomic)


@pytest.mark.parametrize(
    ("text", "value", "atomic"),
    [
        ("1.", 1.0, Atomic.DOUBLE),
        (".5f", 0.5, Atomic.FLOAT),
        ("1e3", 1000.0, Atomic.DOUBLE),
        ("0.1f", round_to_single(0.1), Atomic.FLOAT),
        ("1.5d", 1.5, Atomic.DOUBLE),
        ("-Infinityf", -math.inf, Atomic.FLOAT),
        ("FloatInf", math.inf, Atomic.FLOAT),
        ("1.79769313486232e+308", sys.float_info.max, Atomic.DOUBLE),
        ("-1.79769313486232e+308", -sys.float_info.max, Atomic.DOUBLE),
    ],
)
def test_floating_point_numbers(text, value, atomic):
    found = parsed(text)
    assert (found.kind, found.value, found.type) == (Kind.FLOATING, value, atomic)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("_", Kind.FILL, None),
        ("NIL", Kind.NIL, None),
        ("name", Kind.LABEL, "name"),
        ("0xAb1", Kind.HEX, "Ab1"),
        ('"a\\tb"', Kind.STRING, b"a\tb"),
        ("'x'", Kind.CHAR, ord("x")),
        (r"'\0'", Kind.CHAR, 0),
        (r"'\377'", Kind.CHAR, 255),
        (r"'\?'", Kind.CHAR, 127),
    ],
)
def test_other_constants(text, kind, value):
    assert (parsed(text).kind, parsed(text).value) == (kind, value)


def test_the_sign_of_zero_is_kept():
    assert parsed("-0").negative_zero
    assert not parsed("0").negative_zero
    assert math.copysign(1, parsed("-0.0").value) == -1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("099", "not a valid octal number"),
        ("1f", "a float needs a decimal point"),
        ("1x", "the integer suffixes are"),
        ("-1u", "has a sign"),
        ("256b", "does not fit the type of its suffix"),
        ("0x10000000000000000L", "does not fit 64 bits"),
        ("1e400", "too large for double"),
        ("1e39f", "too large for float"),
        ("9" * 4001, "too many digits"),
        ("inf", "write NaN, Infinity or -Infinity"),
        ("+x", "is not a valid number"),
        (r"'\400'", "does not fit one byte"),
    ],
)
def test_texts_that_are_not_constants(text, message):
    with pytest.raises(CdlError, match=message):
        parsed(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [(rb"\n\x41\101\"\\\q", b'\nAA"\\q'), (b"plain", b"plain"), (rb"\000", b"\0")],
)
def test_escapes(text, value):
    assert unescape(SourceText(text, "f"), text, 0) == value


@pytest.mark.parametrize("text", [rb"\0", rb"\x4", rb"\12x"])
def test_incomplete_escapes(text):
    with pytest.raises(CdlError, match="incomplete escape sequence"):
        unescape(SourceText(text, "f"), text, 0)


def test_bytes_of_opaque_values():
    assert decode_hex(parsed("0xabc")) == b"\xab\xc0"
    assert round_to_single(1e39) == math.inf
