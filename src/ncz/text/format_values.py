"""Format single values in the notation of ncdump (netcdf-c 4.10.1).

Numbers of attributes have a suffix for their type, numbers among data a printf format, and text has
escapes. CDL, NcML and the summary share this notation; `ncz.text.format_numbers` formats arrays.
This module does not import numpy, as headers are printed without it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence

from ncz.model.tree import Attribute
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


@record
class Precision:
    """Significant digits of float and double; None means ncdump's defaults, 7 and 15.

    `over_attribute` is true if they prevail over the attribute ``C_format``.
    """

    float: int | None = None
    double: int | None = None
    over_attribute: bool = True

    def of(self, nc_type: Atomic) -> int:
        """Return the digits of one of the two types."""
        return (self.float or 7) if nc_type is Atomic.FLOAT else (self.double or 15)

    def is_given(self, nc_type: NcType) -> bool:
        """Return whether the user chose the digits of that type."""
        return (nc_type is Atomic.FLOAT and self.float is not None) or (
            nc_type is Atomic.DOUBLE and self.double is not None
        )

    def prevails(self, nc_type: NcType) -> bool:
        """Return whether the user's digits of that type replace the attribute ``C_format``."""
        return self.over_attribute and self.is_given(nc_type)


@record
class NumberFormat:
    """A printf format that Python's ``%`` accepts.

    With `bits`, a negative integer is printed as its two's complement with this number of bits.
    """

    text: str
    bits: int | None = None


def default_format(nc_type: Atomic, precision: Precision) -> NumberFormat:
    """Return ``%d`` for integers, ``%.7g`` and ``%.15g`` for float and double by default."""
    return NumberFormat(f"%.{precision.of(nc_type)}g" if nc_type.is_floating else "%d")


def format_number(value: float, nc_type: Atomic, style: NumberFormat) -> str:
    """Format one number as among data."""
    if nc_type.is_floating and not math.isfinite(value):
        return format_nonfinite(value, nc_type)
    if style.bits is not None:
        value = int(value) & ((1 << style.bits) - 1)
    return style.text % value


def format_nonfinite(value: float, nc_type: Atomic) -> str:
    """Format NaN or an infinity, with the suffix of its type."""
    text = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return text + _SUFFIXES[nc_type]


def encode_text(text: str) -> bytes:
    """Encode as UTF-8; surrogate escapes become their bytes, other surrogates three bytes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def escape_text(text: str) -> str:
    """Escape the text of an attribute or string; characters beyond ASCII are kept."""
    return text if is_plain(text) else text.translate(_ESCAPES)


def is_plain(text: str) -> bool:
    """Return whether a text surely needs no escapes. Most do not, and to translate takes longer."""
    return text.isprintable() and not ("\\" in text or '"' in text or "'" in text)


def quote(text: Value) -> str:
    """Format a string constant; None is NIL."""
    return "NIL" if text is None else f'"{escape_text(text)}"'


def quote_lines(text: str) -> str:
    """Format a text of netCDF's classic data model: as constants that end after each newline."""
    return '"' + '\\n",\n\t\t\t"'.join(map(escape_text, text.split("\n"))) + '"'


def format_attribute_number(value: float, nc_type: Atomic, precision: Precision) -> str:
    """Format one number of an attribute, with a point or a suffix that shows its type."""
    if nc_type.is_integer:
        return f"{value}{_SUFFIXES[nc_type]}"
    if not math.isfinite(value):
        return format_nonfinite(value, nc_type)
    mantissa, e, exponent = f"{value:#.{precision.of(nc_type)}g}".partition("e")
    return mantissa.rstrip("0") + e + exponent + _SUFFIXES[nc_type]


def format_attribute(attribute: Attribute) -> str:
    """Format the values of an attribute for people: a single text has no quotes."""
    if attribute.type in (Atomic.CHAR, Atomic.STRING) and len(attribute.values) == 1:
        return str(attribute.values[0] or "").rstrip("\0")
    return format_attribute_values(attribute.type, attribute.values, Precision())


def format_attribute_values(nc_type: NcType, values: Sequence[Value], precision: Precision) -> str:
    """Format the values of an attribute. An empty attribute of any type is ``""``."""
    return ", ".join(attribute_texts(nc_type, values, precision)) or '""'


def attribute_texts(nc_type: NcType, values: Sequence[Value], precision: Precision) -> list[str]:
    """Format each value of an attribute; chars are one text."""
    if nc_type is Atomic.CHAR:
        return [quote("".join(values).rstrip("\0"))]
    if nc_type is Atomic.STRING:
        return list(map(quote, values))
    if isinstance(nc_type, Atomic):
        return [format_attribute_number(value, nc_type, precision) for value in values]
    return [format_value(value, nc_type, precision) for value in values]


def format_value(value: Value, nc_type: NcType, precision: Precision) -> str:
    """Format one value of any type as among data, or inside a value of a user-defined type."""
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
            return '{"' + escape_chars("".join(value)) + '"}'  # the text has the length
        case Vlen(base=base):
            return _in_braces(format_value(v, base, precision) for v in value)
        case Compound(fields=fields):
            pairs = zip(fields, value, strict=True)
            return _in_braces(_format_field(v, field, precision) for field, v in pairs)


def _format_field(value: Value, field: Field, precision: Precision) -> str:
    if not field.shape:
        return format_value(value, field.type, precision)
    if field.type is Atomic.CHAR:
        text, length = "".join(value), max(1, field.shape[-1])
        rows = (text[i : i + length] for i in range(0, max(1, len(text)), length))
        return _in_braces(f'"{escape_chars(row.rstrip(chr(0)))}"' for row in rows)
    return _in_braces(format_value(v, field.type, precision) for v in value)


def is_shortened(value: Value, nc_type: NcType, precision: Precision) -> bool:
    """Return whether the text of a value, or of a number within it, is read back as another."""
    match nc_type:
        case Atomic():
            if not nc_type.is_floating or precision.is_given(nc_type) or not math.isfinite(value):
                return False
            return bool(_read_back(value, nc_type, precision) != value)
        case Vlen(base=base):
            return any(is_shortened(each, base, precision) for each in value)
        case Compound(fields=fields):
            return any(
                is_shortened(each, part.type, precision)
                for part, part_value in zip(fields, value, strict=True)
                for each in (part_value if part.shape else [part_value])
            )
        case _:
            return False


def _read_back(value: float, nc_type: Atomic, precision: Precision) -> float:
    """Return the number that a reader parses from the text of a number."""
    number = float(f"{value:.{precision.of(nc_type)}g}")
    return struct.unpack("<f", struct.pack("<f", number))[0] if nc_type is Atomic.FLOAT else number


def _in_braces(texts: Iterable[str]) -> str:
    return "{" + ", ".join(texts) + "}"


CHAR_ESCAPES = _ESCAPES | {code: f"\\{code:03o}" for code in range(128, 256)}


def escape_chars(text: str) -> str:
    """Escape chars, one per byte: bytes beyond ASCII become octal."""
    return text if text.isascii() and is_plain(text) else text.translate(CHAR_ESCAPES)
