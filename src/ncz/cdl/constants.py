"""The constants of CDL, as a text spells them.

The syntax is ncgen's (its lexer; netCDF User's Guide, "CDL Constants"). Where ncgen silently wraps,
truncates or zeroes a value that does not fit, this is an error.
"""

from __future__ import annotations

import enum
import math
import re
import struct
import sys
from decimal import Decimal, InvalidOperation

from ncz.errors import shorten
from ncz.model.types import Atomic, Value
from ncz.record import record
from ncz.text.source import SourceText


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
ESCAPED = {
    b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v",
    b"?": b"\x7f",  # as in ncgen, unlike C
}  # fmt: skip
"""The bytes that letters after a backslash mean; any other character means itself."""

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
        `text` is not a constant, or does not fit the type of its suffix.
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
        return _parse_float(source, number, at)
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
        return ESCAPED.get(other, other)

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


def _parse_float(source: SourceText, number: re.Match[bytes], at: int) -> Constant:
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
    )  # as in ncgen, unsigned for any suffix


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
