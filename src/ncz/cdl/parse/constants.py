"""One constant of CDL: from its text to a typed value, and from that to the type it is given to.

Spellings are ncgen's (its lexer; netCDF User's Guide, "CDL Constants"). What ncgen does in silence
to a value that does not fit - wrap, cut, become 0 or infinite - is an error here.
"""

from __future__ import annotations

import enum
import math
import re
import struct
import sys
from decimal import Decimal

from ncz.model.types import Atomic, Value
from ncz.record import record
from ncz.text.source import Source


class Kind(enum.Enum):
    """What a constant looks like."""

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

    `value` is an `int` for INTEGER and CHAR (the byte, 0 to 255), `float`, `bytes` for STRING, the
    digits for HEX, the text for LABEL, None for FILL and NIL. `type` is that of a number; None for
    an integer of more than 64 bits.
    """

    kind: Kind
    value: Value
    at: int
    type: Atomic | None = None
    negative_zero: bool = False
    """``-0``: a zero that a floating type keeps the sign of."""


_INTEGER = re.compile(rb"([+-]?)([0-9]+)([A-Za-z]*)")
_FLOATING = re.compile(rb"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([fFdDlL]?)")
_HEX = re.compile(rb"0[xX]([0-9a-fA-F]+)([sSlL]|[lL][lL])?")
_NUMBER_TEXT = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED = {
    b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v",
    b"?": b"\x7f",  # not C's, but ncgen's
}  # fmt: skip
_SUFFIXES = {
    "b": Atomic.BYTE, "ub": Atomic.UBYTE, "bu": Atomic.UBYTE,
    "s": Atomic.SHORT, "us": Atomic.USHORT, "su": Atomic.USHORT,
    "l": Atomic.INT, "u": Atomic.UINT, "ul": Atomic.UINT, "lu": Atomic.UINT,
    "ll": Atomic.INT64, "ull": Atomic.UINT64, "llu": Atomic.UINT64,
}  # fmt: skip
_UNSIGNED = {
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
"""The largest double in the 15 digits of ncdump, which are more than it."""
_NEARLY_SPECIAL = {"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "-nan", "+nan"}


def parse_constant(source: Source, text: bytes, at: int) -> Constant:
    """The constant that `text`, which stands at byte offset `at`, spells. Raises CdlError."""
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
        near = "write NaN, Infinity or -Infinity" if label.lower() in _NEARLY_SPECIAL else None
        raise source.error(at, f"`{label[:40]}` is not a number", near)
    return Constant(Kind.LABEL, label, at)


def unescape(source: Source, text: bytes, at: int) -> bytes:
    """The bytes that the inside of a string or char constant spells."""
    if b"\\" not in text:
        return text

    def one(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, other = match.groups()
        if octal:
            if int(octal, 8) > 255:
                location = at + match.start()
                raise source.error(location, f"`\\{octal.decode()}` is more than one byte holds")
            return bytes([int(octal, 8)])
        if hexadecimal:
            return bytes([int(hexadecimal, 16)])
        if other in b"01234567x":
            raise source.error(
                at + match.start(),
                f"`\\{other.decode()}` begins an escape that is cut short",
                "write three octal digits, or x and two hexadecimal ones: \\000, \\x41",
            )
        return _ESCAPED.get(other, other)

    return _ESCAPE.sub(one, text)


def _parse_char(source: Source, text: bytes, at: int) -> Constant:
    value = b"\0" if text == rb"'\0'" else unescape(source, text[1:-1], at + 1)
    return Constant(Kind.CHAR, value[0], at, Atomic.BYTE)


def _parse_integer(source: Source, number: re.Match[bytes], at: int) -> Constant:
    sign, digits, suffix = (part.decode() for part in number.groups())
    if len(digits) > 4000:  # Python refuses to convert many more
        raise source.error(at, "this number has too many digits")
    octal = len(digits) > 1 and digits[0] == "0"
    if octal and not set(digits) <= set("01234567"):
        raise source.error(
            at,
            f"`{number[0].decode()}` is not an octal number, and a leading 0 means octal",
            "leave the leading 0 out",
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
            f"`{number[0].decode()[:40]}` is not a number",
            "a float has a point or an exponent: 1.f" if suffix in "fFdD" else
            "integer suffixes are b s l ll, with u before or after",
        )  # fmt: skip
    if atomic.kind == "u" and sign:
        raise source.error(at, f"unsigned constant `{number[0].decode()}` has a sign")
    low, high = atomic.limits
    if atomic in _UNSIGNED and high < value <= _UNSIGNED[atomic].limits[1]:
        value -= 1 << (8 * atomic.size)  # documented: 255b is the byte with those bits
    if not low <= value <= high:
        raise source.error(
            at,
            f"`{number[0].decode()[:40]}` does not fit its suffix:"
            f" {atomic.word} is {low} to {high}",
        )
    return Constant(Kind.INTEGER, value, at, atomic)


def _smallest(value: int) -> Atomic | None:
    # ncgen's order: a positive number too big for uint is uint64, not int64.
    candidates = (Atomic.INT, Atomic.UINT, Atomic.INT64 if value < 0 else Atomic.UINT64)
    return next((a for a in candidates if a.limits[0] <= value <= a.limits[1]), None)


def _parse_floating(source: Source, number: re.Match[bytes], at: int) -> Constant:
    digits, suffix = number.groups()
    value = float(digits)
    if math.isinf(value) and Decimal(digits.decode()).copy_abs() <= _LARGEST_AS_PRINTED:
        value = math.copysign(sys.float_info.max, value)
    atomic = Atomic.FLOAT if suffix in (b"f", b"F") else Atomic.DOUBLE
    value = to_single(value) if atomic is Atomic.FLOAT else value
    if math.isinf(value):
        raise _too_large(source, number[0], at, atomic)
    return Constant(Kind.FLOATING, value, at, atomic)


def _too_large(source: Source, text: object, at: int, atomic: Atomic) -> Exception:
    shown = text.decode() if isinstance(text, bytes) else str(text)
    return source.error(
        at, f"`{shown[:40]}` is too large for {atomic.word}", "write Infinity if that is meant"
    )


def _parse_hex(source: Source, text: re.Match[bytes], at: int) -> Constant:
    digits, suffix = text.groups()
    if not suffix:
        return Constant(Kind.HEX, digits.decode(), at)
    value = int(digits, 16)
    if value > Atomic.UINT64.limits[1]:
        raise source.error(at, f"`{text[0].decode()[:40]}` is more than 64 bits")
    return Constant(
        Kind.INTEGER, value, at, Atomic.UINT if value < 1 << 32 else Atomic.UINT64
    )  # ncgen: uint, whatever the suffix


def to_single(value: float) -> float:
    """The nearest single-precision number; infinite if `value` is too large."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def text_of(value: bytes) -> str:
    """The bytes of a string as text; those that are not UTF-8 become surrogate escapes."""
    return value.decode("utf-8", "surrogateescape")


def hex_bytes(constant: Constant) -> bytes:
    """The bytes of a HEX constant; an odd digit at the end gets a 0, as in ncgen."""
    digits: str = constant.value
    return bytes.fromhex(digits + "0" * (len(digits) % 2))


def convert(source: Source, constant: Constant, target: Atomic) -> Value:
    """`constant` as a value of type `target`; what `_` means is the caller's to know.

    Raises CdlError when the value does not fit: out of range, a fraction given to an integer, a
    finite number that would become infinite, text that is no number.
    """
    kind, value = constant.kind, constant.value
    if target is Atomic.STRING:
        return _to_string(source, constant)
    if kind is Kind.NIL:
        raise source.error(constant.at, f"NIL is for strings only, not {target.word}")
    if kind in (Kind.FILL, Kind.LABEL) or target is Atomic.CHAR:
        shown = f"`{value}`" if kind is Kind.LABEL else kind.value
        raise source.error(constant.at, f"{shown} is not a value of type {target.word}")
    if kind is Kind.STRING:
        value = _number_in(source, constant, target)
    if target.is_floating:
        return _to_floating(source, constant, value, target)
    if kind is Kind.HEX:
        return _bits(source, constant, target)
    if isinstance(value, float):
        if not value.is_integer():
            raise source.error(
                constant.at,
                f"`{value!r}` is not a whole number, and {target.word} holds nothing else",
                "round it, or declare a floating type",
            )
        value = int(value)
    low, high = target.limits
    if kind is Kind.CHAR and value > high:
        value -= 256  # a char constant is a byte
    if not low <= value <= high:
        raise _does_not_fit(source, constant.at, value, target)
    return value


def _does_not_fit(source: Source, at: int, value: int, target: Atomic) -> Exception:
    low, high = target.limits
    hint = "declare a wider type"
    if target in _UNSIGNED and high < value <= _UNSIGNED[target].limits[1]:
        suffix = {Atomic.BYTE: "b", Atomic.SHORT: "s", Atomic.INT: "l"}.get(target, "ll")
        hint += f", or write {value}{suffix} if those bits are meant"
    return source.error(at, f"{str(value)[:40]} does not fit {target.word} ({low} to {high})", hint)


def _to_string(source: Source, constant: Constant) -> str | None:
    match constant.kind:
        case Kind.NIL:
            return None
        case Kind.STRING:
            return text_of(constant.value)
        case Kind.CHAR:
            return text_of(bytes([constant.value]))
        case Kind.INTEGER:
            return str(constant.value)
        case Kind.FLOATING:
            short = f"{constant.value:.8g}"
            exact = constant.value == float(short) or math.isnan(constant.value)
            return short if exact or constant.type is Atomic.FLOAT else repr(constant.value)
        case _:
            raise source.error(constant.at, f"{constant.kind.value} is not a string")


def _number_in(source: Source, constant: Constant, target: Atomic) -> int | float:
    text = text_of(constant.value)
    if not _NUMBER_TEXT.fullmatch(text) or len(text) > 400:
        raise source.error(
            constant.at,
            f'"{text[:40]}" is not a number',
            f"give a number to what is declared {target.word}",
        )
    return float(text) if set(text) & set(".eE") else int(text)


def _to_floating(source: Source, constant: Constant, value: Value, target: Atomic) -> float:
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
        result = to_single(result)
    if math.isinf(result) and not (isinstance(value, float) and math.isinf(value)):
        raise _too_large(source, value, constant.at, target)
    return result


def _bits(source: Source, constant: Constant, target: Atomic) -> int:
    """A hexadecimal number as the integer that has those bits: 0x80 is -128 as a byte."""
    value = int(constant.value, 16)
    if value >= 1 << (8 * target.size):
        raise source.error(
            constant.at, f"`0x{constant.value[:40]}` is more bits than {target.word} has"
        )
    return value - (1 << (8 * target.size)) if value > target.limits[1] else value
