"""Convert a constant of CDL to the type of its variable or attribute."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ncz.cdl.constants import (
    UNSIGNED,
    Constant,
    Kind,
    decode_text,
    round_to_single,
    too_large_error,
)
from ncz.errors import shorten
from ncz.model.types import Atomic, NcType, Value
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.cdl.items import Item
    from ncz.text.times import Times


_NUMBER_TEXT = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")


def convert_constant(source: SourceText, constant: Constant, target: Atomic) -> Value:
    """Convert a constant to a value of type `target`. The caller handles ``_``.

    Raises
    ------
    CdlError
        The value does not fit: it is out of range, a fraction for an integer type, a finite number
        that would become infinite, or text that is not a number.
    """
    kind, value = constant.kind, constant.value
    if target is Atomic.STRING:
        return _to_string(source, constant)
    if kind is Kind.NIL:
        raise source.error(constant.at, f"NIL is a value of type string, not {target.word}")
    if kind in (Kind.FILL, Kind.LABEL) or target is Atomic.CHAR:
        text = f"`{value}`" if kind is Kind.LABEL else kind.value
        raise source.error(constant.at, f"{text} is not a value of type {target.word}")
    if kind is Kind.STRING:
        value = _parse_number_in_string(source, constant, target)
    if target.is_floating:
        return _to_float(source, constant, value, target)
    if kind is Kind.HEX:
        return _reinterpret_bits(source, constant, target)
    if isinstance(value, float):
        if not value.is_integer():
            raise source.error(
                constant.at,
                f"`{value!r}` is not a whole number, and the type is {target.word}",
                "round it, or declare a floating-point type",
            )
        value = int(value)
    low, high = target.limits
    if kind is Kind.CHAR and value > high:
        value -= 256  # a char constant is a signed byte
    if not low <= value <= high:
        raise _out_of_range_error(source, constant.at, value, target)
    return value


def number_of_date(source: SourceText, item: Item, nc_type: NcType, times: Times) -> Item:
    """Return the number of a date in quotes, or any other item unchanged.

    A string with a number stays that number, as in ncgen.

    Raises
    ------
    CdlError
        The string is neither a date of the calendar nor a number, or its number is not whole and
        `nc_type` is an integer type.
    """
    if not (isinstance(item, Constant) and item.kind is Kind.STRING):
        return item
    text = decode_text(item.value)
    if _NUMBER_TEXT.fullmatch(text):
        return item
    try:
        number = times.parse(shorten(text))
    except ValueError as error:
        raise source.error(item.at, str(error), "write a date or a number") from error
    if number.denominator == 1:
        return Constant(Kind.INTEGER, number.numerator, item.at)
    if isinstance(nc_type, Atomic) and nc_type.is_integer:
        raise source.error(
            item.at,
            f'"{text}" is not a whole number in the units of the variable',
            "declare a floating-point type, or choose smaller units",
        )
    value = number.numerator / number.denominator
    return Constant(Kind.FLOATING, value, item.at, Atomic.DOUBLE)


def _out_of_range_error(source: SourceText, at: int, value: int, target: Atomic) -> Exception:
    low, high = target.limits
    hint = "declare a wider type"
    if target in UNSIGNED and high < value <= UNSIGNED[target].limits[1]:
        suffix = {Atomic.BYTE: "b", Atomic.SHORT: "s", Atomic.INT: "l"}.get(target, "ll")
        hint += f", or write {value}{suffix} for the value with the same bits"
    return source.error(at, f"{shorten(value)} does not fit {target.word} ({low} to {high})", hint)


def _to_string(source: SourceText, constant: Constant) -> str | None:
    match constant.kind:
        case Kind.NIL:
            return None
        case Kind.STRING:
            return decode_text(constant.value)
        case Kind.CHAR:
            return decode_text(bytes([constant.value]))
        case Kind.INTEGER:
            return str(constant.value)
        case Kind.FLOATING:
            short = f"{constant.value:.8g}"
            exact = constant.value == float(short) or math.isnan(constant.value)
            return short if exact or constant.type is Atomic.FLOAT else repr(constant.value)
        case _:
            raise source.error(constant.at, f"{constant.kind.value} is not a value of type string")


def _parse_number_in_string(source: SourceText, constant: Constant, target: Atomic) -> int | float:
    text = decode_text(constant.value)
    if not _NUMBER_TEXT.fullmatch(text) or len(text) > 400:
        raise source.error(
            constant.at,
            f'"{shorten(text)}" is not a number',
            f"write a number: the type is {target.word}",
        )
    return float(text) if set(text) & set(".eE") else int(text)


def _to_float(source: SourceText, constant: Constant, value: Value, target: Atomic) -> float:
    if constant.kind is Kind.HEX:
        raise source.error(
            constant.at, f"a hexadecimal constant is not a value of type {target.word}"
        )
    if constant.negative_zero:
        return -0.0
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if target is Atomic.FLOAT:
        result = round_to_single(result)
    if math.isinf(result) and not (isinstance(value, float) and math.isinf(value)):
        raise too_large_error(source, value, constant.at, target)
    return result


def _reinterpret_bits(source: SourceText, constant: Constant, target: Atomic) -> int:
    """Return the integer with the bits of a hexadecimal number: 0x80 is -128 as a byte."""
    value = int(constant.value, 16)
    if value >= 1 << (8 * target.size):
        raise source.error(
            constant.at, f"`0x{shorten(constant.value)}` has more bits than {target.word}"
        )
    return value - (1 << (8 * target.size)) if value > target.limits[1] else value
