"""The netCDF types of HDF5 datatypes, as netCDF-C maps them.

User-defined types are the committed datatypes of a file, and those of datasets and attributes that
equal none of them. As in netCDF-C, a datatype is that of the first known one that equals it,
because the types of fields and of items do not say where they are declared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.errors import Notice, Notify
from ncz.formats.netcdf.hdf5.file import address_of
from ncz.model.tree import Endianness, join, parent
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen
from ncz.model.user_types.limits import TypeLimits
from ncz.record import record

if TYPE_CHECKING:
    from h5py.h5t import TypeID

    from ncz.formats.netcdf.hdf5.walk import GroupNode

_NUMBERS = {(t.kind, t.size): t for t in Atomic if t.kind in "iuf"}


@record
class Hdf5Type:
    """The netCDF type of a datatype, and its form in the file.

    `stored_dtype` is the dtype of elements in the file, as `numpy_dtype` takes it; None if
    their bytes must be converted by HDF5.
    """

    type: NcType
    stored_dtype: Any
    endianness: Endianness | None = None
    length: int | None = None
    """Bytes of a string of fixed length."""


def read_type(datatype: TypeID) -> Hdf5Type | None:
    """Return the netCDF type of a datatype; None for user-defined types and references."""
    from h5py import h5t

    kind = datatype.get_class()
    if kind == h5t.STRING:
        if datatype.is_variable_str():
            return Hdf5Type(Atomic.STRING, None)
        length = datatype.get_size()
        if length > 1:
            return Hdf5Type(Atomic.STRING, None, None, length)
        return Hdf5Type(Atomic.CHAR, "S1")
    if kind not in (h5t.INTEGER, h5t.FLOAT):
        return None
    return _number(datatype)


def _number(datatype: TypeID) -> Hdf5Type | None:
    from h5py import h5t

    try:
        dtype = datatype.dtype
    except TypeError:
        return None  # a number of a size that numpy does not have
    is_half = (dtype.kind, dtype.itemsize) == ("f", 2)
    nc_type = Atomic.FLOAT if is_half else _NUMBERS.get((dtype.kind, dtype.itemsize))
    order = datatype.get_order()
    if nc_type is None or order not in (h5t.ORDER_LE, h5t.ORDER_BE):
        return None
    big = order == h5t.ORDER_BE
    is_plain = not is_half and bool(datatype.equal(h5t.py_create(dtype)))
    order_mark = "" if nc_type.size == 1 else ">" if big else "<"
    return Hdf5Type(
        nc_type,
        f"{order_mark}{nc_type.dtype}" if is_plain else None,
        ("big" if big else "little") if nc_type.size > 1 else None,
    )


def type_name(datatype: TypeID) -> str:
    """Return what a datatype without a netCDF type is, for messages."""
    from h5py import h5t

    names = {
        h5t.ENUM: "an enumeration",
        h5t.COMPOUND: "a compound",
        h5t.OPAQUE: "opaque",
        h5t.VLEN: "of variable length",
        h5t.REFERENCE: "a reference",
        h5t.ARRAY: "an array",
        h5t.BITFIELD: "a bit field",
        h5t.TIME: "a time",
    }
    return names.get(datatype.get_class(), "a number of an unusual size")


def _word(datatype: TypeID) -> str:
    """Return the word for the kind of a type in the name that netCDF-C gives it."""
    from h5py import h5t

    words = {h5t.ENUM: "Enum", h5t.COMPOUND: "Compound", h5t.VLEN: "Vlen", h5t.OPAQUE: "Opaque"}
    return words.get(datatype.get_class(), "Unknown")


_LARGEST_MEMBER = 2**63 - 1


class FileTypes:
    """The types of a file, in the order of their declaration, and those that it does not name.

    netCDF-C names a type without a name by its kind and by a number that counts such types of
    variables through the file, in the order of the variables.
    """

    def __init__(self) -> None:
        self._known: list[tuple[TypeID, UserType]] = []
        self._refused: list[TypeID] = []
        self._limits = TypeLimits()
        self._count = 0

    def of_group(self, fqn: str) -> tuple[UserType, ...]:
        """Return the types that a group declares."""
        return tuple(made for _, made in self._known if parent(made.name) == fqn)

    def find(self, datatype: TypeID) -> UserType | None:
        """Return the type of a datatype; None if netCDF has none."""
        equal = [(known, made) for known, made in self._known if datatype.equal(known)]
        if len(equal) > 1 and datatype.committed():
            address = address_of(datatype)
            equal.sort(key=lambda pair: address_of(pair[0]) != address)
        return equal[0][1] if equal else None

    def has(self, datatype: TypeID) -> bool:
        """Return whether netCDF has a type for a datatype."""
        return read_type(datatype) is not None or self.find(datatype) is not None

    def add(self, datatype: TypeID, fqn: str) -> str | None:
        """Add a type with its name. Return why it cannot be used, in a few words, or None."""
        made = self._read(datatype, fqn)
        fault = "netCDF has no such type" if made is None else self._limits.fault(made)
        if made is not None and fault is None:
            self._known.append((datatype, made))
        return fault

    def find_or_name(self, datatype: TypeID, group: str) -> UserType | None:
        """Return the type of a datatype, which a group declares if it has no name in the file."""
        from h5py import h5t

        found = self.find(datatype)
        is_refused = datatype.get_class() == h5t.REFERENCE
        if found is not None or is_refused or any(map(datatype.equal, self._refused)):
            return found
        self._count += 1
        count = len(self._known)
        name = f"_Anonymous{_word(datatype)}{self._count}"
        if self.add(datatype, self._free(group, name)) is not None:
            del self._known[count:]  # the parts of a type that cannot be used
            self._refused.append(datatype)
        return self.find(datatype)

    def _free(self, group: str, name: str) -> str:
        """Return the FQN of a new type in a group."""
        taken = {made.name for _, made in self._known}
        fqn = join(group, name)
        while fqn in taken:
            fqn += "_"
        return fqn

    def _read(self, datatype: TypeID, fqn: str) -> UserType | None:
        from h5py import h5t

        kind = datatype.get_class()
        if kind == h5t.OPAQUE:
            return Opaque(name=fqn, size=datatype.get_size())
        if kind == h5t.VLEN:
            base = self._inner(datatype.get_super(), f"{fqn}_item")
            return None if base is None else Vlen(name=fqn, base=base)
        if kind == h5t.ENUM:
            return _read_enumeration(datatype, fqn)
        if kind == h5t.COMPOUND:
            fields = [self._field(datatype, n, fqn) for n in range(datatype.get_nmembers())]
            whole = tuple(part for part in fields if part is not None)
            return Compound(name=fqn, fields=whole) if whole and len(whole) == len(fields) else None
        return None

    def _field(self, datatype: TypeID, number: int, fqn: str) -> Field | None:
        """Return a field of a compound; a text of fixed length is an array of chars."""
        from h5py import h5t

        name = text_of(datatype.get_member_name(number))
        shape: tuple[int, ...] = ()
        inner = datatype.get_member_type(number)
        if inner.get_class() == h5t.ARRAY:
            shape, inner = tuple(inner.get_array_dims()), inner.get_super()
        plain = read_type(inner)
        if plain is not None and plain.length is not None:
            return Field(name=name, type=Atomic.CHAR, shape=(*shape, plain.length))
        nc_type = self._inner(inner, f"{fqn}_{name.replace('/', '_')}")
        return None if nc_type is None else Field(name=name, type=nc_type, shape=shape)

    def _inner(self, datatype: TypeID, fqn: str) -> NcType | None:
        """Return the type of a field or an item; `fqn` names it if the file does not."""
        plain = read_type(datatype)
        if plain is not None:
            return plain.type if plain.length is None else None
        found = self.find(datatype)
        if found is None:
            self.add(datatype, self._free(*fqn.rsplit("/", 1)))
            found = self.find(datatype)
        return found


def read_types(root: GroupNode, url: str, notify: Notify) -> FileTypes:
    """Return the types of a file; one that netCDF does not have is left out, with a notice."""
    found = FileTypes()
    for group in root.walk():
        for node in group.types:
            fault = found.add(node.id, node.fqn)
            if fault is not None:
                text = f"type {node.fqn}: {fault}; the type is left out"
                notify(Notice("type-left-out", text, f"{url}: {node.fqn}", lost=True))
    for group in root.walk():
        for dataset in group.datasets:
            datatype = dataset.id.get_type()
            if read_type(datatype) is None:
                found.find_or_name(datatype, group.fqn)
    return found


def _read_enumeration(datatype: TypeID, fqn: str) -> Enumeration | None:
    base = read_type(datatype.get_super())
    if base is None or not isinstance(base.type, Atomic) or not base.type.is_integer:
        return None
    members = []
    for number in range(datatype.get_nmembers()):
        value = int(datatype.get_member_value(number))
        if base.type is Atomic.UINT64 and value >= _LARGEST_MEMBER:
            return None  # h5py does not tell larger values from this one
        members.append((text_of(datatype.get_member_name(number)), value))
    return Enumeration(name=fqn, base=base.type, members=tuple(members)) if members else None


def text_of(name: bytes | str) -> str:
    """Return the name of an object."""
    return name if isinstance(name, str) else name.decode("utf-8", "surrogateescape")
