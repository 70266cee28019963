"""The netCDF types of HDF5 datatypes, as netCDF-C maps them.

User-defined types are the committed datatypes of a file, and datatypes of datasets and attributes
that equal none of them. As in netCDF-C, a datatype is the first known one that equals it, because
the types of fields and of items do not name their declaration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ncz.formats.hdf5.known_types import KnownTypes
from ncz.formats.hdf5.metadata.datatype import Datatype, TypeClass
from ncz.formats.hdf5.numbers import number_type
from ncz.model.tree import Endianness, join
from ncz.model.type_limits import TypeLimits
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen
from ncz.model.user_types import packed_layout
from ncz.record import record, replace


@record
class Hdf5Type:
    """The netCDF type of a datatype, and its form in the file.

    `stored_dtype` is the dtype of elements in the file, as `numpy_dtype` takes it; None if their
    bytes must be decoded one by one.
    """

    type: NcType
    stored_dtype: Any
    endianness: Endianness | None = None
    length: int | None = None
    """Bytes of a string of fixed length."""


def plain_type(datatype: Datatype) -> Hdf5Type | None:
    """Return the type of numbers and strings; None for other datatypes."""
    if datatype.kind is TypeClass.STRING:
        if datatype.size == 1:
            return Hdf5Type(Atomic.CHAR, "S1")
        return Hdf5Type(Atomic.STRING, None, None, datatype.size)
    if datatype.is_string:
        return Hdf5Type(Atomic.STRING, None)
    nc_type = number_type(datatype)
    if nc_type is None:
        return None
    mark = "" if nc_type.size == 1 else ">" if datatype.is_big else "<"
    return Hdf5Type(
        nc_type,
        f"{mark}{nc_type.dtype}" if is_plain(datatype, nc_type) else None,
        ("big" if datatype.is_big else "little") if nc_type.size > 1 else None,
    )


def is_plain(datatype: Datatype, nc_type: Atomic) -> bool:
    """Return whether elements of a datatype have the bits of a netCDF type."""
    has_bits = datatype.is_whole if datatype.is_integer else datatype.is_ieee
    return has_bits and datatype.size == nc_type.size


_NAMES = {
    TypeClass.ENUM: "an enumeration",
    TypeClass.COMPOUND: "a compound",
    TypeClass.OPAQUE: "opaque",
    TypeClass.VLEN: "of variable length",
    TypeClass.REFERENCE: "a reference",
    TypeClass.ARRAY: "an array",
    TypeClass.TIME: "a time",
    TypeClass.COMPLEX: "a complex number",
}

_WORDS = {
    TypeClass.ENUM: "Enum",
    TypeClass.COMPOUND: "Compound",
    TypeClass.COMPLEX: "Compound",
    TypeClass.VLEN: "Vlen",
    TypeClass.OPAQUE: "Opaque",
}
"""The words for kinds of types in the names that netCDF-C gives them."""


def type_name(datatype: Datatype) -> str:
    """Return a description, for messages, of a datatype that netCDF does not have."""
    return _NAMES.get(datatype.kind, "a number of an unusual size")


class FileTypes:
    """The types of a file, in the order of their declaration, and unnamed types.

    netCDF-C names a type without a name by its kind and by a number that counts such types of
    variables through the file, in the order of the variables.
    """

    def __init__(self) -> None:
        self._plain: dict[Datatype, Hdf5Type | None] = {}
        self._known = KnownTypes()
        self._refused: set[object] = set()
        self._limits = TypeLimits()
        self._count = 0

    def plain(self, datatype: Datatype) -> Hdf5Type | None:
        """Return the type of numbers and strings; None for other datatypes."""
        if datatype not in self._plain:
            self._plain[datatype] = plain_type(datatype)
        return self._plain[datatype]

    def of_group(self, fqn: str) -> tuple[UserType, ...]:
        """Return the types that a group declares."""
        return self._known.of_group(fqn)

    def find(self, datatype: Datatype, group: str) -> UserType | None:
        """Return the type of a datatype in a group; None if netCDF has no such type.

        HDF5 does not name the types of fields and items. Among equal types, the type in the nearest
        enclosing group is returned.
        """
        return self._known.find(datatype, group)

    def has(self, datatype: Datatype) -> bool:
        """Return whether netCDF has a type for a datatype."""
        return self.plain(datatype) is not None or self.find(datatype, "") is not None

    def add(self, datatype: Datatype, fqn: str) -> str | None:
        """Add a type with its name. Return in a few words why it cannot be used, or None."""
        user_type = self._read(datatype, fqn)
        fault = "netCDF has no such type" if user_type is None else self._limits.fault(user_type)
        if user_type is not None and fault is None:
            self._known.add(datatype, user_type)
        return fault

    def find_or_name(self, datatype: Datatype, group: str) -> UserType | None:
        """Return the type of a datatype, which a group declares if it has no name in the file."""
        found = self.find(datatype, group)
        if (
            found is not None
            or datatype.kind is TypeClass.REFERENCE
            or datatype.key in self._refused
        ):
            return found
        self._count += 1
        count = len(self._known)
        name = f"_Anonymous{_WORDS.get(datatype.kind, 'Unknown')}{self._count}"
        if self.add(datatype, self._free(group, name)) is not None:
            self._known.forget_after(count)  # the parts of a type that cannot be used
            self._refused.add(datatype.key)
        return self.find(datatype, group)

    def of_values(self, datatype: Datatype, group: str) -> Hdf5Type | None:
        """Return the type of the values of a dataset; None if netCDF has no such type."""
        plain = self.plain(datatype)
        if plain is not None:
            return plain
        found = self.find(datatype, group)
        if found is None:
            return None
        base = self.plain(datatype.element) if isinstance(found, Enumeration) else None
        if base is not None:
            return replace(base, type=found)
        is_packed = bool(fixed_size(found)) and self._is_packed(datatype, found)
        return Hdf5Type(found, packed_layout(found, "<") if is_packed else None)

    def _is_packed(self, datatype: Datatype, nc_type: NcType) -> bool:
        """Return whether elements are as `packed_layout` has them: little-endian, without gaps."""
        match nc_type:
            case Opaque():
                return True
            case Enumeration(base=base):
                return self._is_packed(datatype.element, base)
            case Atomic.CHAR:
                return datatype.kind is TypeClass.STRING
            case Atomic():
                is_little = nc_type.size == 1 or not datatype.is_big
                return is_little and is_plain(datatype, nc_type)
            case Compound(fields=fields):
                end = 0
                for part, (_, offset, member) in zip(fields, datatype.parts, strict=True):
                    inner = member.element if member.kind is TypeClass.ARRAY else member
                    if offset != end or not self._is_packed(inner, part.type):
                        return False
                    end += member.size
                return end == datatype.size
            case _:
                return False

    def _free(self, group: str, name: str) -> str:
        """Return the FQN of a new type in a group."""
        fqn = join(group, name)
        while self._known.has_name(fqn):
            fqn += "_"
        return fqn

    def _read(self, datatype: Datatype, fqn: str) -> UserType | None:
        if datatype.kind is TypeClass.OPAQUE:
            return Opaque(name=fqn, size=datatype.size)
        if datatype.kind is TypeClass.VLEN and not datatype.is_string:
            base = self._inner(datatype.element, f"{fqn}_item")
            return None if base is None else Vlen(name=fqn, base=base)
        if datatype.kind is TypeClass.ENUM:
            return self._read_enumeration(datatype, fqn)
        if datatype.kind in (TypeClass.COMPOUND, TypeClass.COMPLEX):
            fields = [self._field(name, part, fqn) for name, _, part in datatype.parts]
            whole = tuple(part for part in fields if part is not None)
            return Compound(name=fqn, fields=whole) if whole and len(whole) == len(fields) else None
        return None

    def _read_enumeration(self, datatype: Datatype, fqn: str) -> Enumeration | None:
        base = self.plain(datatype.element)
        if base is None or not isinstance(base.type, Atomic) or not base.type.is_integer:
            return None
        order: Literal["big", "little"] = "big" if datatype.element.is_big else "little"
        is_signed = base.type.kind == "i"
        members = tuple(
            (text_of(name), int.from_bytes(value, order, signed=is_signed))
            for name, value in datatype.labels
        )
        return Enumeration(name=fqn, base=base.type, members=members) if members else None

    def _field(self, label: bytes, datatype: Datatype, fqn: str) -> Field | None:
        """Return a field of a compound; a string of fixed length is an array of chars."""
        name = text_of(label)
        shape: tuple[int, ...] = ()
        if datatype.kind is TypeClass.ARRAY:
            shape, datatype = datatype.shape, datatype.element
        plain = self.plain(datatype)
        if plain is not None and plain.length is not None:
            return Field(name=name, type=Atomic.CHAR, shape=(*shape, plain.length))
        nc_type = self._inner(datatype, f"{fqn}_{name.replace('/', '_')}")
        return None if nc_type is None else Field(name=name, type=nc_type, shape=shape)

    def _inner(self, datatype: Datatype, fqn: str) -> NcType | None:
        """Return the type of a field or an item; `fqn` names it if the file does not."""
        plain = self.plain(datatype)
        if plain is not None:
            return plain.type if plain.length is None else None
        group, name = fqn.rsplit("/", 1)
        found = self.find(datatype, group)
        if found is None:
            self.add(datatype, self._free(group, name))
            found = self.find(datatype, group)
        return found


def text_of(data: bytes) -> str:
    """Return a name or a text; bytes that are not UTF-8 become surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


def texts_of(parts: Sequence[bytes]) -> tuple[str, ...]:
    """Return strings; each ends at its first NUL. Strings without NULs are decoded together."""
    together = b"\0".join(parts)
    if parts and together.count(b"\0") == len(parts) - 1:
        return tuple(text_of(together).split("\0"))
    return tuple([text_of(part.partition(b"\0")[0]) for part in parts])
