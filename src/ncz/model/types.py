"""The types of the netCDF-4 data model: twelve atomic types and four user-defined kinds.

This module has the properties of types that do not depend on a format: CDL keyword, size and
default fill value (netCDF User's Guide, "Fill Values"; netcdf.h ``NC_FILL_*``). It does not import
numpy, as headers are printed without it.
"""

from __future__ import annotations

import enum
import math
from typing import Any

from ncz.record import record

Value = Any
"""One value of any type, as plain Python:

integers `int`; float and double `float` (a float represents a single-precision number exactly);
char `str` of one byte as latin-1 in data, the whole text in an attribute; string `str`, or None
for NIL; enum its `int`; opaque `bytes`; vlen and compound `tuple`. Text that is not UTF-8 keeps
its bytes as surrogate escapes.
"""


NOT_A_TIME = -(2**63)
"""The number of a datetime or timedelta that is missing, as numpy stores it."""

_DEFAULT_FLOAT = float.fromhex("0x1.ep+122")
"""The default fill value of float and double; both types represent it exactly."""

_FACTS: dict[str, tuple[str, int, Value]] = {
    "byte": ("i", 1, -127),
    "char": ("S", 1, "\0"),
    "short": ("i", 2, -32767),
    "int": ("i", 4, -2147483647),
    "float": ("f", 4, _DEFAULT_FLOAT),
    "double": ("f", 8, _DEFAULT_FLOAT),
    "ubyte": ("u", 1, 255),
    "ushort": ("u", 2, 65535),
    "uint": ("u", 4, 4294967295),
    "int64": ("i", 8, -9223372036854775806),
    "uint64": ("u", 8, 18446744073709551614),
    "string": ("O", 0, ""),
}
"""The kind, the size and the default fill value of each atomic type."""


class Atomic(enum.Enum):
    """An atomic type; the value is its CDL keyword.

    Attributes
    ----------
    word
        The CDL keyword of the type.
    kind
        numpy's letter: i signed, u unsigned, f floating-point, S char, O string.
    size
        Bytes of one value in memory; 0 for string, which has no fixed size.
    default_fill
        The value of unwritten elements of a variable without ``_FillValue``.
    is_integer
        True for the eight integer types (char is text).
    is_floating
        True for float and double.
    """

    BYTE = "byte"
    CHAR = "char"
    SHORT = "short"
    INT = "int"
    FLOAT = "float"
    DOUBLE = "double"
    UBYTE = "ubyte"
    USHORT = "ushort"
    UINT = "uint"
    INT64 = "int64"
    UINT64 = "uint64"
    STRING = "string"

    def __init__(self, word: str) -> None:
        # Plain attributes, because headers of thousands of variables use them often.
        self.word = word
        self.kind, self.size, self.default_fill = _FACTS[word]
        self.is_integer = self.kind in "iu"
        self.is_floating = self.kind == "f"

    @property
    def dtype(self) -> str:
        """The numpy dtype, in native byte order, of this type's values in memory."""
        return "O" if self is Atomic.STRING else f"{self.kind}{self.size}"

    @property
    def limits(self) -> tuple[int, int]:
        """Smallest and largest value of an integer type."""
        bits = 8 * self.size
        return (0, 2**bits - 1) if self.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


@record(kw_only=True)
class Opaque:
    """A user-defined type of `size` uninterpreted bytes. `name` is the type's FQN."""

    name: str
    size: int


@record(kw_only=True)
class Enumeration:
    """A user-defined type of named integers of type `base`. `name` is the type's FQN."""

    name: str
    base: Atomic
    members: tuple[tuple[str, int], ...]


@record(kw_only=True)
class Vlen:
    """A user-defined type of sequences of `base`, of any length. `name` is the type's FQN."""

    name: str
    base: NcType


@record(kw_only=True)
class Field:
    """One field of a compound; `shape` is () for a single value."""

    name: str
    type: NcType
    shape: tuple[int, ...] = ()


@record(kw_only=True)
class Compound:
    """A user-defined record of named fields. `name` is the type's FQN."""

    name: str
    fields: tuple[Field, ...]


UserType = Opaque | Enumeration | Vlen | Compound
NcType = Atomic | Opaque | Enumeration | Vlen | Compound
"""Any type that a variable or an attribute can have."""


def readable_text(text: str) -> str:
    """Return a text that every program can read: Latin-1 is assumed of bytes that are not UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text


def plain_type(nc_type: NcType) -> Atomic:
    """Return the atomic type of an attribute for readers without user-defined types.

    It is the base type of an enum, and char, for text, of other user-defined types.
    """
    if isinstance(nc_type, Enumeration):
        return nc_type.base
    return nc_type if isinstance(nc_type, Atomic) else Atomic.CHAR


def zero_value(nc_type: NcType) -> Value:
    """Return the value whose bytes are all zero: NIL for a string, () for a vlen."""
    match nc_type:
        case Atomic.CHAR:
            return "\0"
        case Atomic.STRING:
            return None
        case Atomic():
            return 0.0 if nc_type.is_floating else 0
        case Opaque(size=size):
            return bytes(size)
        case Enumeration():
            return 0
        case Vlen():
            return ()
        case Compound(fields=fields):
            return tuple(_zero_of_field(field) for field in fields)


def _zero_of_field(field: Field) -> Value:
    zero = zero_value(field.type)
    return (zero,) * math.prod(field.shape) if field.shape else zero
