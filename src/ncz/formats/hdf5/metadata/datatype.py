"""Datatypes of HDF5.

Source: HDF5 File Format Specification, "The Datatype Message" (IV.A.2.d).
"""

from __future__ import annotations

import enum
import math
from struct import Struct

from ncz.formats.hdf5.metadata.faults import DamageError, UnsupportedError


class TypeClass(enum.IntEnum):
    """The class of a datatype."""

    INTEGER = 0
    FLOAT = 1
    TIME = 2
    STRING = 3
    BITFIELD = 4
    OPAQUE = 5
    COMPOUND = 6
    REFERENCE = 7
    ENUM = 8
    VLEN = 9
    ARRAY = 10
    COMPLEX = 11


class Padding(enum.IntEnum):
    """The end of a string that is shorter than its datatype."""

    NULL_TERMINATED = 0
    NULL_PADDED = 1
    SPACE_PADDED = 2


class Fields:
    """The positions of the parts of a floating-point number among its bits."""

    __slots__ = ("bias", "exponent", "exponent_size", "mantissa", "mantissa_size", "normal", "sign")

    def __init__(self, *parts: int) -> None:
        (
            self.sign,
            self.exponent,
            self.exponent_size,
            self.mantissa,
            self.mantissa_size,
            self.bias,
            self.normal,
        ) = parts

    @property
    def parts(self) -> tuple[int, ...]:
        """All of them."""
        return (self.sign, self.exponent, self.exponent_size, self.mantissa, self.mantissa_size,
                self.bias, self.normal)  # fmt: skip


IMPLIED = 2
"""`Fields.normal` of numbers whose mantissa begins with a bit 1 that is not stored."""

IEEE = {
    2: (15, 10, 5, 0, 10, 15, IMPLIED),
    4: (31, 23, 8, 0, 23, 127, IMPLIED),
    8: (63, 52, 11, 0, 52, 1023, IMPLIED),
}
"""`Fields.parts` of the numbers of IEEE 754, by their size in bytes."""


class Datatype:
    """A datatype. The meaning of its attributes depends on `kind`.

    Attributes
    ----------
    size
        The bytes of an element in the file.
    is_big
        Whether numbers are big-endian.
    is_vax
        Whether floating-point numbers have the byte order of a VAX.
    is_signed
        Whether integers are signed.
    offset, precision
        The first bit of a number, and its number of bits.
    fields
        The parts of a floating-point number.
    padding
        The end of strings; see `Padding`.
    variant
        The kind of a reference, or 1 for strings of variable length.
    members
        The fields of a compound: names, offsets, datatypes; the members of an enumeration: names,
        bytes of values.
    base
        The datatype of the elements of an array, an enumeration, or of values of variable length.
    shape
        The shape of an array.
    tag
        The text that describes an opaque datatype.
    address
        The address of the object that names the datatype, if one does.
    """

    __slots__ = (
        "_key", "address", "base", "character_set", "encoded", "fields", "is_big", "is_signed",
        "is_vax", "kind", "members", "offset", "padding", "precision", "shape", "size", "tag",
        "variant",
    )  # fmt: skip

    def __init__(self, kind: TypeClass, size: int) -> None:
        self.kind = kind
        self.size = size
        self.is_big = self.is_vax = self.is_signed = False
        self.offset = self.precision = self.padding = self.character_set = self.variant = 0
        self.fields: Fields | None = None
        self.members: tuple[tuple[bytes, int, Datatype], ...] | tuple[tuple[bytes, bytes], ...] = ()
        self.base: Datatype | None = None
        self.shape: tuple[int, ...] = ()
        self.tag = b""
        self.address: int | None = None
        self.encoded = b""
        self._key: tuple[object, ...] | None = None

    @property
    def element(self) -> Datatype:
        """The datatype of the elements, for kinds that have one."""
        if self.base is None:
            raise DamageError("a datatype has no elements")
        return self.base

    @property
    def parts(self) -> tuple[tuple[bytes, int, Datatype], ...]:
        """The fields of a compound; a complex number has its parts r and i."""
        if self.kind is TypeClass.COMPLEX:
            half = self.element
            return (b"r", 0, half), (b"i", half.size, half)
        return self.members  # type: ignore[return-value]

    @property
    def labels(self) -> tuple[tuple[bytes, bytes], ...]:
        """The names and the bytes of the members of an enumeration."""
        return self.members  # type: ignore[return-value]

    @property
    def is_string(self) -> bool:
        """Whether elements are strings of variable length."""
        return self.kind is TypeClass.VLEN and self.variant == 1

    @property
    def is_integer(self) -> bool:
        """Whether elements are integers; bit fields are unsigned ones, as in h5py."""
        return self.kind in (TypeClass.INTEGER, TypeClass.BITFIELD)

    @property
    def is_whole(self) -> bool:
        """Whether all bits of an integer belong to it."""
        return self.offset == 0 and self.precision == 8 * self.size

    @property
    def is_ieee(self) -> bool:
        """Whether it is a floating-point number of IEEE 754 of 2, 4 or 8 bytes."""
        is_one = self.fields is not None and self.fields.parts == IEEE.get(self.size)
        return is_one and self.is_whole and not self.is_vax

    @property
    def key(self) -> tuple[object, ...]:
        """A value that is equal for datatypes which HDF5 considers equal, wherever they are."""
        if self._key is None:
            if self.kind in (TypeClass.COMPOUND, TypeClass.COMPLEX):
                members: object = tuple(sorted((n, at, part.key) for n, at, part in self.parts))
            else:
                members = tuple(sorted(self.labels))
            self._key = (
                self.kind, self.size, self.is_big, self.is_vax, self.is_signed, self.offset,
                self.precision, self.fields and self.fields.parts, self.padding, self.character_set,
                self.tag, self.variant, self.shape, self.base and self.base.key, members,
            )  # fmt: skip
        return self._key


_HEAD = Struct("<BBBBI").unpack_from
_SHORT = Struct("<H").unpack_from
_INTEGER = Struct("<HH").unpack_from
_FLOAT = Struct("<HHBBBBI").unpack_from
_OFFSET = Struct("<I").unpack_from
_OLD_FIELD = Struct("<IB3x4x4x4I").unpack_from

_DEEPEST = 32
"""Number of datatypes that may be within each other."""

MOST_AXES = 32
"""The axes of a dataspace, or of elements that are arrays."""


def parse_datatype(data: bytes) -> Datatype:
    """Return the datatype of a message."""
    datatype, end = _parse(data, 0, 0)
    datatype.encoded = data[:end]
    return datatype


def _parse(data: bytes, at: int, depth: int) -> tuple[Datatype, int]:
    """Return a datatype, and the end of its encoding."""
    head, first, second, _, size = _HEAD(data, at)
    number, version = head & 15, head >> 4
    if depth > _DEEPEST:
        raise DamageError("a datatype has too many datatypes within each other")
    if number > TypeClass.COMPLEX:
        raise UnsupportedError(f"a datatype is of the unknown class {number}")
    if not 1 <= version <= 5:
        raise UnsupportedError(f"a datatype has the unknown version {version}")
    if not size:
        raise DamageError("a datatype has no bytes")
    datatype = Datatype(TypeClass(number), size)
    end = _PARSERS[number](datatype, data, at + 8, version, first | second << 8, depth)
    if end > len(data):
        raise DamageError("a datatype is longer than its message")
    return datatype, end


def _parse_integer(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    datatype.is_big, datatype.is_signed = bool(bits & 1), bool(bits & 8)
    datatype.offset, datatype.precision = _INTEGER(data, at)
    _check_bits(datatype)
    return at + 4


def _parse_float(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    order = bits & 1 | bits >> 5 & 2
    if order == 2:
        raise DamageError("a floating-point number has an unknown byte order")
    datatype.is_big, datatype.is_vax = order == 1, order == 3
    datatype.offset, datatype.precision, *parts, bias = _FLOAT(data, at)
    datatype.fields = Fields(bits >> 8, *parts, bias, bits >> 4 & 3)
    _check_bits(datatype)
    return at + 12


def _check_bits(datatype: Datatype) -> None:
    if not 0 < datatype.precision <= 8 * datatype.size - datatype.offset:
        raise DamageError("a number has more bits than its bytes")


def _parse_time(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    datatype.is_big = bool(bits & 1)
    (datatype.precision,) = _SHORT(data, at)
    return at + 2


def _parse_string(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    datatype.padding, datatype.character_set = bits & 15, bits >> 4 & 15
    return at


def _parse_opaque(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    length = bits & 255
    datatype.tag = data[at : at + length].partition(b"\0")[0]
    return at + length


def _parse_compound(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    width = (datatype.size.bit_length() + 7) // 8
    members = []
    for _ in range(bits):
        name, at = _parse_name(data, at, version)
        shape: tuple[int, ...] = ()
        if version >= 3:
            offset = int.from_bytes(data[at : at + width], "little")
            at += width
        elif version == 2:
            (offset,) = _OFFSET(data, at)
            at += 4
        else:
            offset, rank, *lengths = _OLD_FIELD(data, at)
            if rank > 4:
                raise DamageError("a field of a compound has too many dimensions")
            shape = tuple(lengths[:rank])
            at += 32
        part, at = _parse(data, at, depth + 1)
        if shape:
            part = _array_of(part, shape)
        if offset + part.size > datatype.size:
            raise DamageError("a field is not within its compound")
        members.append((name, offset, part))
    datatype.members = tuple(members)
    return at


def _array_of(part: Datatype, shape: tuple[int, ...]) -> Datatype:
    """Return the array that a field of the oldest version is."""
    array = Datatype(TypeClass.ARRAY, part.size * math.prod(shape))
    array.base, array.shape = part, shape
    return array


def _parse_name(data: bytes, at: int, version: int) -> tuple[bytes, int]:
    """Return a name, and the offset after it: old names have multiples of 8 bytes."""
    end = data.index(b"\0", at)
    return data[at:end], end + 1 if version >= 3 else at + (end - at) // 8 * 8 + 8


def _parse_reference(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    datatype.variant = bits & 15
    return at


def _parse_enumeration(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    datatype.base, at = _parse(data, at, depth + 1)
    names = []
    for _ in range(bits):
        name, at = _parse_name(data, at, version)
        names.append(name)
    width = datatype.base.size
    if width != datatype.size:
        raise DamageError("an enumeration has another size than its integers")
    end = at + width * len(names)
    if end > len(data):
        raise DamageError("an enumeration is longer than its message")
    values = [data[start : start + width] for start in range(at, end, width)]
    datatype.members = tuple(zip(names, values, strict=True))
    return end


def _parse_vlen(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    datatype.variant, datatype.padding = bits & 15, bits >> 4 & 15
    datatype.character_set = bits >> 8 & 15
    if datatype.variant > 1:
        raise UnsupportedError(
            f"values of variable length are of the unknown kind {datatype.variant}"
        )
    datatype.base, at = _parse(data, at, depth + 1)
    return at


def _parse_array(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    rank = data[at]
    if rank > MOST_AXES:
        raise DamageError("an array has too many dimensions")
    at += 4 if version < 3 else 1
    datatype.shape = Struct(f"<{rank}I").unpack_from(data, at)
    at += 4 * rank * (2 if version < 3 else 1)  # old ones have a permutation, which is unused
    datatype.base, at = _parse(data, at, depth + 1)
    if datatype.base.size * math.prod(datatype.shape) != datatype.size:
        raise DamageError("an array has another size than its elements")
    return at


def _parse_complex(
    datatype: Datatype, data: bytes, at: int, version: int, bits: int, depth: int
) -> int:
    """Read a complex number of HDF5 2.0: two floating-point numbers."""
    datatype.base, at = _parse(data, at, depth + 1)
    if 2 * datatype.base.size != datatype.size or datatype.base.kind is not TypeClass.FLOAT:
        raise DamageError("a complex number has another size than its parts")
    return at


_PARSERS = (
    _parse_integer, _parse_float, _parse_time, _parse_string, _parse_integer, _parse_opaque,
    _parse_compound, _parse_reference, _parse_enumeration, _parse_vlen, _parse_array,
    _parse_complex,
)  # fmt: skip
"""The parser of each class, by its number."""
