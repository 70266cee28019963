"""Constants converted to the types that they are given to."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ncz.cdl.constants import Kind, parse_constant
from ncz.cdl.conversion import convert_constant, number_of_date
from ncz.errors import CdlError
from ncz.model.types import Atomic
from ncz.text.source import SourceText
from ncz.text.time_units import parse_times


def converted(text: str, target: Atomic) -> Any:
    source = SourceText(text.encode(), "f.cdl")
    return convert_constant(source, parse_constant(source, text.encode(), 0), target)


@pytest.mark.parametrize(
    ("text", "target", "value"),
    [
        ("7", Atomic.BYTE, 7),
        ("7.0", Atomic.SHORT, 7),
        ("'\\377'", Atomic.BYTE, -1),
        ("'\\377'", Atomic.UBYTE, 255),
        ('" 12 "', Atomic.INT, 12),
        ('"1e2"', Atomic.INT, 100),
        ("0x80", Atomic.BYTE, -128),
        ("0x80", Atomic.UBYTE, 128),
        ("18446744073709551615", Atomic.UINT64, 2**64 - 1),
        ("7", Atomic.FLOAT, 7.0),
        ("0.1", Atomic.FLOAT, 0.10000000149011612),
        ("Infinity", Atomic.FLOAT, math.inf),
        ("NIL", Atomic.STRING, None),
        ("7", Atomic.STRING, "7"),
        ("0.1f", Atomic.STRING, "0.1"),
        ("0.123456789", Atomic.STRING, "0.123456789"),
        ("'x'", Atomic.STRING, "x"),
        ('"\\303\\251"', Atomic.STRING, "\u00e9"),
    ],
)
def test_values(text, target, value):
    found = converted(text, target)
    assert (found, type(found)) == (value, type(value))


def test_the_sign_of_zero():
    assert math.copysign(1, converted("-0", Atomic.DOUBLE)) == -1
    assert converted("-0", Atomic.INT) == 0


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("1.5", Atomic.INT, "not a whole number"),
        ("Infinity", Atomic.INT, "not a whole number"),
        ("300", Atomic.BYTE, r"300 does not fit byte \(-128 to 127\)"),
        ("200", Atomic.BYTE, "or write 200b for the value with the same bits"),
        ("-1", Atomic.UINT, "does not fit uint"),
        ('"x"', Atomic.INT, "is not a number"),
        ('"1.5"', Atomic.INT, "not a whole number"),
        ("NIL", Atomic.INT, "NIL is a value of type string, not int"),
        ("name", Atomic.INT, "`name` is not a value of type int"),
        ("_", Atomic.INT, "`_` is not a value of type int"),
        ("65", Atomic.CHAR, "a whole number is not a value of type char"),
        ("0x1", Atomic.FLOAT, "a hexadecimal constant is not a value of type float"),
        ("0x100", Atomic.BYTE, "has more bits than byte"),
        ("1e39", Atomic.FLOAT, "too large for float"),
        ("0x1", Atomic.STRING, "an opaque constant is not a value of type string"),
    ],
)
def test_values_that_do_not_fit(text, target, message):
    with pytest.raises(CdlError, match=message):
        converted(text, target)


def number(text: str, target: Atomic = Atomic.DOUBLE) -> Any:
    source = SourceText(text.encode(), "f.cdl")
    times = parse_times("days since 2026-01-01", "standard", " ")
    assert times is not None
    return number_of_date(source, parse_constant(source, text.encode(), 0), target, times)


def test_dates_are_numbers():
    assert number('"2026-01-03"').value == 2
    assert number('"2026-01-03"', Atomic.INT).kind is Kind.INTEGER
    assert number('"2026-01-01 12"').value == 0.5
    assert number('"17"').value == b"17"
    assert number("17").value == 17


def test_dates_that_are_not_numbers_of_the_type():
    with pytest.raises(CdlError, match="write a date or a number"):
        number('"yesterday"')
    with pytest.raises(CdlError, match="not a whole number in the units"):
        number('"2026-01-01 12"', Atomic.INT)
