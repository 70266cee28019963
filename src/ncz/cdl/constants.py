"""The constants of CDL, and the values that they become, one at a time.

The syntax is ncgen's (its lexer; netCDF User's Guide, "CDL Constants"). Where ncgen silently wraps,
truncates or zeroes a value that does not fit, this is an error.
"""

from __future__ import annotations

import datetime
import enum
import math
import re
import struct
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import groupby
from typing import TYPE_CHECKING

from ncz.cdl.syntax import CHARACTER, STRING, unterminated_error
from ncz.errors import counted, shorten
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    Value,
    Vlen,
    zero_value,
)
from ncz.record import record
from ncz.text.names import unescape_name
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.text.times import Times


class Kind(enum.Enum):
    """The syntactic kind of a constant; the value is its name in error messages."""

    INTEGER = "a whole number"
    FLOATING = "a number"
    CHAR = "a char constant"
    STRING = "a string"
    HEX = "an opaque constant"
    FILL = "`_`"
    NIL = "NIL"
    LABEL = "a name"


@record
class Constant:
    """A constant at byte offset `at`.

    `value` is an `int` for INTEGER and CHAR (the byte, 0 to 255), a `float` for FLOATING, `bytes`
    for STRING, the digits for HEX, the text for LABEL, None for FILL and NIL. `type` is the type of
    a number, None for an integer of more than 64 bits.
    """

    kind: Kind
    value: Value
    at: int
    type: Atomic | None = None
    negative_zero: bool = False
    """``-0``: a floating-point type keeps the sign of this zero."""


_INTEGER = re.compile(rb"([+-]?)([0-9]+)([A-Za-z]*)")
_FLOATING = re.compile(rb"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([fFdDlL]?)")
_HEX = re.compile(rb"0[xX]([0-9a-fA-F]+)([sSlL]|[lL][lL])?")
_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED = {
    b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v",
    b"?": b"\x7f",  # as in ncgen, unlike C
}  # fmt: skip
_SUFFIXES = {
    "b": Atomic.BYTE, "ub": Atomic.UBYTE, "bu": Atomic.UBYTE,
    "s": Atomic.SHORT, "us": Atomic.USHORT, "su": Atomic.USHORT,
    "l": Atomic.INT, "u": Atomic.UINT, "ul": Atomic.UINT, "lu": Atomic.UINT,
    "ll": Atomic.INT64, "ull": Atomic.UINT64, "llu": Atomic.UINT64,
}  # fmt: skip
UNSIGNED = {
    Atomic.BYTE: Atomic.UBYTE,
    Atomic.SHORT: Atomic.USHORT,
    Atomic.INT: Atomic.UINT,
    Atomic.INT64: Atomic.UINT64,
}
_SPECIAL: dict[bytes, tuple[float, Atomic]] = {
    b"NaN": (math.nan, Atomic.DOUBLE), b"nan": (math.nan, Atomic.DOUBLE),
    b"NaNf": (math.nan, Atomic.FLOAT), b"nanf": (math.nan, Atomic.FLOAT),
    b"Infinity": (math.inf, Atomic.DOUBLE), b"-Infinity": (-math.inf, Atomic.DOUBLE),
    b"DoubleInf": (math.inf, Atomic.DOUBLE), b"FloatInf": (math.inf, Atomic.FLOAT),
    b"Infinityf": (math.inf, Atomic.FLOAT), b"-Infinityf": (-math.inf, Atomic.FLOAT),
    b"Inff": (math.inf, Atomic.FLOAT), b"-Inff": (-math.inf, Atomic.FLOAT),
}  # fmt: skip
_LARGEST_AS_PRINTED = Decimal("1.79769313486232E+308")
"""The largest double as ncdump prints it, with 15 digits; this decimal number is larger."""
_NEARLY_SPECIAL = {"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "-nan", "+nan"}


def parse_constant(source: SourceText, text: bytes, at: int) -> Constant:
    """Parse one constant.

    Parameters
    ----------
    text
        The constant as written, without blanks around it.
    at
        Its byte offset, for error messages.

    Raises
    ------
    CdlError
        `text` is not a constant, or does not fit the type that its suffix asks for.
    """
    first = text[:1]
    if first == b'"':
        return Constant(Kind.STRING, unescape(source, text[1:-1], at + 1), at)
    if first == b"'":
        return _parse_char(source, text, at)
    if text == b"_":
        return Constant(Kind.FILL, None, at)
    if text in _SPECIAL:
        value, atomic = _SPECIAL[text]
        return Constant(Kind.FLOATING, value, at, atomic)
    if hexadecimal := _HEX.fullmatch(text):
        return _parse_hex(source, hexadecimal, at)
    if number := _INTEGER.fullmatch(text):
        return _parse_integer(source, number, at)
    if number := _FLOATING.fullmatch(text):
        return _parse_floating(source, number, at)
    if text in (b"NIL", b"nil", b"Nil"):
        return Constant(Kind.NIL, None, at)
    label = source.decode(at, at + len(text))
    if first.isdigit() or label.lower() in _NEARLY_SPECIAL or first in (b"+", b"-", b"."):
        hint = "write NaN, Infinity or -Infinity" if label.lower() in _NEARLY_SPECIAL else None
        raise source.error(at, f"`{shorten(label)}` is not a valid number", hint)
    return Constant(Kind.LABEL, label, at)


def unescape(source: SourceText, text: bytes, at: int) -> bytes:
    """Replace the escape sequences inside a string or char constant."""
    if b"\\" not in text:
        return text

    def replace_escape(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, other = match.groups()
        if octal:
            if int(octal, 8) > 255:
                location = at + match.start()
                raise source.error(location, f"`\\{octal.decode()}` does not fit one byte")
            return bytes([int(octal, 8)])
        if hexadecimal:
            return bytes([int(hexadecimal, 16)])
        if other in b"01234567x":
            raise source.error(
                at + match.start(),
                f"`\\{other.decode()}` is an incomplete escape sequence",
                "write three octal digits, or x and two hexadecimal digits: \\000, \\x41",
            )
        return _ESCAPED.get(other, other)

    return _ESCAPE.sub(replace_escape, text)


def _parse_char(source: SourceText, text: bytes, at: int) -> Constant:
    value = b"\0" if text == rb"'\0'" else unescape(source, text[1:-1], at + 1)
    return Constant(Kind.CHAR, value[0], at, Atomic.BYTE)


def _parse_integer(source: SourceText, number: re.Match[bytes], at: int) -> Constant:
    sign, digits, suffix = (part.decode() for part in number.groups())
    if len(digits) > 4000:  # int() has a limit of 4300 digits
        raise source.error(at, "this number has too many digits")
    octal = len(digits) > 1 and digits[0] == "0"
    if octal and not set(digits) <= set("01234567"):
        raise source.error(
            at,
            f"`{number[0].decode()}` is not a valid octal number; a leading 0 means octal",
            "remove the leading 0",
        )
    value = int(sign + digits, 8 if octal else 10)
    if not suffix:
        return Constant(
            Kind.INTEGER, value, at, _smallest(value), negative_zero=sign == "-" and value == 0
        )
    atomic = _SUFFIXES.get(suffix.lower())
    if atomic is None:
        raise source.error(
            at,
            f"`{shorten(number[0].decode())}` is not a valid number",
            "a float needs a decimal point or an exponent: 1.f" if suffix in "fFdD" else
            "the integer suffixes are b, s, l and ll, with u before or after",
        )  # fmt: skip
    if atomic.kind == "u" and sign:
        raise source.error(at, f"unsigned constant `{number[0].decode()}` has a sign")
    low, high = atomic.limits
    if atomic in UNSIGNED and high < value <= UNSIGNED[atomic].limits[1]:
        value -= 1 << (8 * atomic.size)  # documented: 255b is the byte with the same bits
    if not low <= value <= high:
        raise source.error(
            at,
            f"`{shorten(number[0].decode())}` does not fit the type of its suffix:"
            f" {atomic.word} ranges from {low} to {high}",
        )
    return Constant(Kind.INTEGER, value, at, atomic)


def _smallest(value: int) -> Atomic | None:
    # As in ncgen, a positive number too large for uint is uint64, not int64.
    candidates = (Atomic.INT, Atomic.UINT, Atomic.INT64 if value < 0 else Atomic.UINT64)
    return next((a for a in candidates if a.limits[0] <= value <= a.limits[1]), None)


def _is_largest(digits: bytes) -> bool:
    """Return whether the number is the largest double, rounded up in printing."""
    try:
        return Decimal(digits.decode()).copy_abs() <= _LARGEST_AS_PRINTED
    except InvalidOperation:
        return False  # an exponent that no decimal has


def _parse_floating(source: SourceText, number: re.Match[bytes], at: int) -> Constant:
    digits, suffix = number.groups()
    value = float(digits)
    if math.isinf(value) and _is_largest(digits):
        value = math.copysign(sys.float_info.max, value)
    atomic = Atomic.FLOAT if suffix in (b"f", b"F") else Atomic.DOUBLE
    value = round_to_single(value) if atomic is Atomic.FLOAT else value
    if math.isinf(value):
        raise too_large_error(source, number[0], at, atomic)
    return Constant(Kind.FLOATING, value, at, atomic)


def too_large_error(source: SourceText, text: object, at: int, atomic: Atomic) -> Exception:
    """Return the error for a finite number that would become infinite as `atomic`."""
    text = text.decode() if isinstance(text, bytes) else str(text)
    return source.error(
        at,
        f"`{shorten(text)}` is too large for {atomic.word}",
        "write Infinity if you mean infinity",
    )


def _parse_hex(source: SourceText, text: re.Match[bytes], at: int) -> Constant:
    digits, suffix = text.groups()
    if not suffix:
        return Constant(Kind.HEX, digits.decode(), at)
    value = int(digits, 16)
    if value > Atomic.UINT64.limits[1]:
        raise source.error(at, f"`{shorten(text[0].decode())}` does not fit 64 bits")
    return Constant(
        Kind.INTEGER, value, at, Atomic.UINT if value < 1 << 32 else Atomic.UINT64
    )  # as in ncgen, unsigned whatever the suffix


def round_to_single(value: float) -> float:
    """Return the nearest single-precision number; infinite if `value` is too large."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def decode_text(value: bytes) -> str:
    """Decode the bytes of a string; bytes that are not UTF-8 become surrogate escapes."""
    return value.decode("utf-8", "surrogateescape")


def decode_hex(constant: Constant) -> bytes:
    """Decode a HEX constant; an odd number of digits is padded with a 0, as in ncgen."""
    digits: str = constant.value
    return bytes.fromhex(digits + "0" * (len(digits) % 2))


# One constant of CDL converted to the type that it is given to.

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
        return _to_floating(source, constant, value, target)
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
    """Return the number that a date in quotes stands for, or any other item as it is.

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


def _to_floating(source: SourceText, constant: Constant, value: Value, target: Atomic) -> float:
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


# A data list that fits in memory: its constants and nested braces.
#
# For attributes, for values of user-defined types, and for those blocks of a variable's data that
# the fast parser in `ncz.cdl.parse_data` does not handle.


@record
class Braces:
    """``{items}`` from byte offset `at` to the closing brace at `end`."""

    items: tuple[Item, ...]
    at: int
    end: int


Item = Constant | Braces

_TOKEN = re.compile(
    rb"(?P<blank>[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)"
    rb"|(?P<constant>" + STRING + rb"|" + CHARACTER + rb"|(?:[^\s{},()\"'/;\\]|\\.|/(?![/*]))+)"
    rb"|(?P<mark>[{},()])"
    rb"|(?P<other>.)",
    re.DOTALL,
)
_DATE = re.compile(r"\s*([0-9]{1,4})-([0-9]{1,2})-([0-9]{1,2})(?:[T ]+([0-9:.]+))?\s*Z?\s*")


def tokenize(source: SourceText, start: int, stop: int) -> Iterator[tuple[bytes, int]]:
    """Yield the text and offset of each constant and mark between two offsets."""
    for match in _TOKEN.finditer(source.buffer, start, stop):
        if match.lastgroup == "blank":
            continue
        if match.lastgroup == "other":
            at = match.start()
            error = unterminated_error(source, at)
            text = match[0].decode("latin-1")
            raise error or source.error(at, f"unexpected `{text}` among values")
        yield match[0], match.start()


def parse_items(source: SourceText, start: int, stop: int) -> list[Item]:
    """Parse the data list between two offsets; [] if it is blank. Raise CdlError if invalid."""
    stack: list[tuple[list[Item], int]] = []
    items: list[Item] = []
    needs_item = True  # else a comma or a brace comes next
    last = b""
    stream = tokenize(source, start, stop)
    for text, at in stream:
        if text == b",":
            if needs_item:
                raise source.error(at, "a value is missing before this comma")
            needs_item = True
        elif text == b"}":
            if not stack:
                raise source.error(at, "this brace has no opening brace")
            if needs_item and last == b",":
                raise source.error(at, "a value is missing before this brace")
            inside, (items, begin) = items, stack.pop()
            items.append(Braces(tuple(inside), begin, at))
            needs_item = False
        elif text == b"(" and items and _is_time(items[-1]) and not needs_item:
            items[-1] = _parse_time(source, stream, items[-1].at)
        elif not needs_item or text in b"()":
            unexpected = shorten(text.decode("utf-8", "replace"))
            raise source.error(
                at, f"unexpected `{unexpected}` after a value", "separate values by commas"
            )
        elif text == b"{":
            stack.append((items, at))
            items = []
        else:
            items.append(parse_constant(source, text, at))
            needs_item = False
        last = text
    if stack:
        raise source.error(stack[-1][1], "this brace is not closed", "close it with `}`")
    if needs_item and last == b",":
        raise source.error(stop, "a value is missing after the last comma")
    return items


def _is_time(item: Item) -> bool:
    return isinstance(item, Constant) and item.kind is Kind.LABEL and item.value == "time"


def _parse_time(source: SourceText, stream: Iterator[tuple[bytes, int]], at: int) -> Constant:
    """Parse ``time("1999-01-01")``, ncgen's only function: hours since 1970 as a double."""
    arguments: list[bytes] = []
    for text, _ in stream:
        if text == b")":
            break
        arguments.append(text)
    text = arguments[0] if len(arguments) == 1 else b""
    match = _DATE.fullmatch(decode_text(text[1:-1])) if text[:1] == b'"' else None
    try:
        if match is None:
            raise ValueError
        year, month, day, clock = match.groups()
        parts = [float(part) for part in (clock or "0").split(":")]
        hours = sum(part / 60**power for power, part in enumerate(parts))
        days = (datetime.date(int(year), int(month), int(day)) - datetime.date(1970, 1, 1)).days
    except ValueError:
        raise source.error(
            at, "time(...) takes one date", 'write it as time("1999-12-31 23:59:59")'
        ) from None
    return Constant(Kind.FLOATING, days * 24.0 + hours, at, Atomic.DOUBLE)


# Items of a data list converted to values of any type, user-defined types included.
#
# Each vlen value, compound value and array field of a compound needs braces. The values of an array
# field are a flat tuple in row-major order.


def default_fill(nc_type: NcType) -> Value:
    """Return the fill value of a type for variables without ``_FillValue``.

    Files of netCDF-4 hold zero bytes for opaque, vlen and compound values that are not written.
    """
    match nc_type:
        case Atomic():
            return nc_type.default_fill
        case Enumeration(members=members):
            return members[0][1]
        case _:
            return zero_value(nc_type)


def convert_item(source: SourceText, item: Item, nc_type: NcType, fill: Value) -> Value:
    """Convert `item` to one value of `nc_type`; ``_`` becomes `fill`. Raise CdlError if invalid."""
    if isinstance(item, Constant) and item.kind is Kind.FILL:
        return fill
    match nc_type:
        case Vlen(base=base):
            inside = _items_in_braces(source, item, f"a value of vlen type {nc_type.name}")
            if base is Atomic.CHAR:
                return tuple(_decode_chars(source, inside))
            return tuple(convert_item(source, i, base, default_fill(base)) for i in inside)
        case Compound():
            return _convert_compound(source, item, nc_type)
    if isinstance(item, Braces):
        raise source.error(
            item.at,
            "braces are not needed here",
            "braces enclose values of vlen and compound types, and the values along each unlimited"
            " dimension after the first",
        )
    match nc_type:
        case Opaque(size=size):
            return _convert_opaque(source, item, size)
        case Enumeration():
            return _convert_member(source, item, nc_type)
        case Atomic.CHAR:
            text = _decode_chars(source, [item])
            if len(text) != 1:
                raise source.error(item.at, f"expected one char, not {len(text)}")
            return text
        case _:
            return convert_constant(source, item, nc_type)


def join_chars(source: SourceText, items: Sequence[Item], fill: bytes) -> bytes:
    """Concatenate strings and char constants; ``_`` is one `fill` character."""
    parts = []
    for item in items:
        if isinstance(item, Constant) and item.kind is Kind.STRING:
            parts.append(item.value)
        elif isinstance(item, Constant) and item.kind is Kind.CHAR:
            parts.append(bytes([item.value]))
        elif isinstance(item, Constant) and item.kind is Kind.FILL:
            parts.append(fill)
        elif isinstance(item, Constant):
            raise source.error(
                item.at,
                f"{item.kind.value} is not text, and the type is char",
                "write the value in quotes",
            )
        else:
            raise source.error(item.at, "expected text, not braces")
    return b"".join(parts)


def _decode_chars(source: SourceText, items: Sequence[Item]) -> str:
    """Concatenate strings and char constants to text with one character per byte."""
    return join_chars(source, items, b"\0").decode("latin-1")


def _char_rows(source: SourceText, items: Sequence[Item], width: int) -> Iterator[str]:
    """Yield texts that fill rows of `width` each, as ncgen does: an empty one takes a row.

    Neighbouring char constants are one text.
    """
    for is_text, run in groupby(items, lambda item: getattr(item, "kind", None) is Kind.STRING):
        for part in [[item] for item in run] if is_text else [list(run)]:
            text = _decode_chars(source, part)
            yield text.ljust(padded_length(len(text), width), "\0")


def padded_length(length: int, width: int) -> int:
    """Return the chars that a string of `length` takes in rows of `width`: at least one row."""
    return max(1, -(-length // width)) * width if width else length


def _field_fill(field: Field) -> Value:
    one = default_fill(field.type)
    return (one,) * math.prod(field.shape) if field.shape else one


def _items_in_braces(source: SourceText, item: Item, what: str) -> tuple[Item, ...]:
    if not isinstance(item, Braces):
        raise source.error(item.at, f"{what} must be in braces", "write { ... }")
    return item.items


def _convert_compound(source: SourceText, item: Item, compound: Compound) -> Value:
    inside = _items_in_braces(source, item, f"a value of compound type {compound.name}")
    if len(inside) > len(compound.fields):
        raise source.error(
            inside[len(compound.fields)].at,
            f"too many values: {compound.name} has {counted(len(compound.fields), 'field')}",
        )
    values = [
        _convert_field(source, part, field)
        for part, field in zip(inside, compound.fields, strict=False)
    ]
    return (*values, *(_field_fill(field) for field in compound.fields[len(values) :]))


def _convert_field(source: SourceText, item: Item, field: Field) -> Value:
    one = default_fill(field.type)
    if not field.shape:
        return convert_item(source, item, field.type, one)
    size = math.prod(field.shape)
    inside = _items_in_braces(source, item, f"the array {field.name}")
    if field.type is Atomic.CHAR:
        width = field.shape[-1] if len(field.shape) > 1 else 1
        values: tuple[Value, ...] = tuple("".join(_char_rows(source, inside, width)))
    else:
        values = tuple(convert_item(source, part, field.type, one) for part in inside)
    if len(values) > size:
        raise source.error(item.at, f"too many values: {field.name} holds {size}")
    return values + (one,) * (size - len(values))


def _convert_opaque(source: SourceText, constant: Constant, size: int) -> bytes:
    if constant.kind is not Kind.HEX:
        raise source.error(
            constant.at,
            f"{constant.kind.value} is not an opaque value",
            "write the bytes in hexadecimal: 0x...",
        )
    value = decode_hex(constant)
    if len(value) > size:
        raise source.error(
            constant.at,
            f"too long: the opaque type has {counted(size, 'byte')}, and this value"
            f" has {len(value)}",
        )
    return value.ljust(size, b"\0")


def _convert_member(source: SourceText, constant: Constant, enumeration: Enumeration) -> int:
    if constant.kind is not Kind.LABEL:
        value = convert_constant(source, constant, enumeration.base)
        assert isinstance(value, int)
        return value
    members = dict(enumeration.members)
    label = unescape_name(constant.value)
    if label not in members:  # the label may be qualified: TYPE.label
        label = unescape_name(constant.value.rpartition(".")[2])
    if label not in members:
        raise source.error(
            constant.at,
            f"`{shorten(constant.value)}` is not a member of enum {enumeration.name}",
            "the members are " + shorten(", ".join(members), 200),
        )
    return members[label]
