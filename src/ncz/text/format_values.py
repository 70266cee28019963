"""Values as CDL text: attributes with their suffixes, data by a printf format, text with escapes.

The spellings are ncdump's (netcdf-c 4.10.1). Numbers are spelt one at a time here;
`ncz.text.format_numbers`
does the same for arrays. Imports no numpy: headers are printed without it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen
from ncz.record import record
from ncz.text.names import escape_name

_SUFFIXES = {
    Atomic.BYTE: "b",
    Atomic.UBYTE: "UB",
    Atomic.SHORT: "s",
    Atomic.USHORT: "US",
    Atomic.INT: "",
    Atomic.UINT: "U",
    Atomic.INT64: "LL",
    Atomic.UINT64: "ULL",
    Atomic.FLOAT: "f",
    Atomic.DOUBLE: "",
}

_ESCAPES = {code: f"\\{code:03o}" for code in (*range(32), 127)} | {
    ord(character): "\\" + letter
    for character, letter in zip("\b\f\n\r\t\v\\'\"", "bfnrtv\\'\"", strict=True)
}

_C_FORMAT = re.compile(
    r"(?P<before> *)%(?P<flags>[-+ #0]*)(?P<width>\d{0,2})(?P<precision>(?:\.\d{0,2})?)"
    r"(?:hh|h|ll|l|L|q|j|z|t)?(?P<letter>[diouxXeEfFgG])(?P<after> *)"
)


@record
class Precision:
    """Significant digits of float and double; None is as many as ncdump prints: 7 and 15."""

    float: int | None = None
    double: int | None = None

    def of(self, nc_type: Atomic) -> int:
        """The digits for one of the two types."""
        return (self.float or 7) if nc_type is Atomic.FLOAT else (self.double or 15)

    def is_given(self, nc_type: NcType) -> bool:
        """Whether the user asked for the digits of that type."""
        return (nc_type is Atomic.FLOAT and self.float is not None) or (
            nc_type is Atomic.DOUBLE and self.double is not None
        )


@record
class NumberFormat:
    """How the numbers of one variable are printed: a printf format, which Python's ``%`` reads.

    `bits` is given where the format prints a negative integer as its two's complement.
    """

    text: str
    bits: int | None = None


def default_format(nc_type: Atomic, precision: Precision) -> NumberFormat:
    """``%d`` for integers, ``%.7g`` and ``%.15g`` for floating-point numbers."""
    return NumberFormat(f"%.{precision.of(nc_type)}g" if nc_type.is_floating else "%d")


def parse_c_format(text: str, nc_type: Atomic) -> NumberFormat | None:
    """The format that an attribute ``C_format`` asks for; None if it cannot be trusted.

    Exactly one conversion that fits the type, blanks around it, and nothing else: the value comes
    from other people's files, and ncdump hands it to printf as it is.
    """
    match = _C_FORMAT.fullmatch(text)
    if match is None or (match["letter"] in "diouxX") == nc_type.is_floating:
        return None
    unsigned = match["letter"] in "ouxX" and nc_type.kind == "i"
    # C prints a zero without 0x; Python's # does not do the same for o either
    if "#" in match["flags"] and not nc_type.is_floating:
        return None
    letter = "d" if match["letter"] == "u" else match["letter"]
    percent = f"%{match['flags']}{match['width']}{match['precision']}{letter}"
    # Integers narrower than int are promoted to int when printf gets them.
    bits = max(32, 8 * nc_type.size) if unsigned else None
    return NumberFormat(f"{match['before']}{percent}{match['after']}", bits)


def format_number(value: float, nc_type: Atomic, style: NumberFormat) -> str:
    """One number as it stands among data."""
    if nc_type.is_floating and not math.isfinite(value):
        return not_finite(value, nc_type)
    if style.bits is not None:
        value = int(value) & ((1 << style.bits) - 1)
    return style.text % value


def not_finite(value: float, nc_type: Atomic) -> str:
    """NaN or an infinity, with the suffix of a float."""
    text = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return text + _SUFFIXES[nc_type]


def to_bytes(text: str) -> bytes:
    """UTF-8, with the bytes that were none as they were; a stray surrogate as three bytes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def escape_text(text: str) -> str:
    """Text between the quotes of an attribute or of a string variable; not-ASCII stays raw."""
    return text.translate(_ESCAPES)


def quote(text: Value) -> str:
    """One string constant; None is NIL."""
    return "NIL" if text is None else f'"{escape_text(text)}"'


def attribute_number(value: float, nc_type: Atomic, precision: Precision) -> str:
    """One number of an attribute: always with a dot or a suffix that tells its type."""
    if nc_type.is_integer:
        return f"{value}{_SUFFIXES[nc_type]}"
    if not math.isfinite(value):
        return not_finite(value, nc_type)
    mantissa, e, exponent = f"{value:#.{precision.of(nc_type)}g}".partition("e")
    return mantissa.rstrip("0") + e + exponent + _SUFFIXES[nc_type]


def attribute_values(nc_type: NcType, values: Sequence[Value], precision: Precision) -> str:
    """What stands after the equals sign of an attribute. An empty one of any type is ``""``."""
    if not values:
        return '""'
    if nc_type is Atomic.CHAR:
        return quote("".join(values).rstrip("\0"))
    if nc_type is Atomic.STRING:
        return ", ".join(map(quote, values))
    if isinstance(nc_type, Atomic):
        return ", ".join(attribute_number(v, nc_type, precision) for v in values)
    return ", ".join(data_value(v, nc_type, precision) for v in values)


def data_value(value: Value, nc_type: NcType, precision: Precision) -> str:
    """One value of any type as it stands among data, or within a value of a user-defined type."""
    match nc_type:
        case Atomic.CHAR:
            return f'"{escape_chars(value)}"'
        case Atomic.STRING:
            return quote(value)
        case Atomic():
            return format_number(value, nc_type, default_format(nc_type, precision))
        case Opaque():
            digits: str = value.hex()
            return f"0X{digits.upper()}"
        case Enumeration(members=members):
            label = next((label for label, number in members if number == value), None)
            return str(value) if label is None else escape_name(label)
        case Vlen(base=Atomic.CHAR):
            return '{"' + escape_chars("".join(value)) + '"}'  # its length is the text's
        case Vlen(base=base):
            return _braced(data_value(v, base, precision) for v in value)
        case Compound(fields=fields):
            pairs = zip(fields, value, strict=True)
            return _braced(_field_value(v, field, precision) for field, v in pairs)


def _field_value(value: Value, field: Field, precision: Precision) -> str:
    if not field.shape:
        return data_value(value, field.type, precision)
    if field.type is Atomic.CHAR:
        text, length = "".join(value), max(1, field.shape[-1])
        rows = (text[i : i + length] for i in range(0, max(1, len(text)), length))
        return _braced(f'"{escape_chars(row.rstrip(chr(0)))}"' for row in rows)
    return _braced(data_value(v, field.type, precision) for v in value)


def _braced(texts: Iterable[str]) -> str:
    return "{" + ", ".join(texts) + "}"


_CHAR_ESCAPES = _ESCAPES | {code: f"\\{code:03o}" for code in range(128, 256)}
_CHAR_LINES = _CHAR_ESCAPES | {ord("\n"): '\\n",\n    "'}


def escape_chars(text: str) -> str:
    """Chars, one to a byte, between quotes: all but ASCII is octal."""
    return text.translate(_CHAR_ESCAPES)


def escape_char_lines(text: str) -> str:
    """As `escape_chars`, but the text is cut in two after a newline."""
    return text.translate(_CHAR_LINES)
