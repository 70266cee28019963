"""The groups, datasets, attributes and types of an HDF5 file, as netCDF-C sees them.

That is the order of creation where the file notes it, and otherwise the order of names. Links into
other files are not followed: a file that somebody else made must not open files of the reader.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ncz.errors import Notice, Notify
from ncz.formats.hdf5.elements import MEMORY, MemoryReferences, decode, in_memory, layout_of
from ncz.formats.hdf5.file import Hdf5File, address_of, hdf5_errors
from ncz.model.grid import Shape
from ncz.model.tree import Attribute, Endianness, join, parent
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    UserType,
    Value,
    Vlen,
)
from ncz.model.user_types import TypeLimits
from ncz.record import record

if TYPE_CHECKING:
    from h5py.h5a import AttrID
    from h5py.h5d import DatasetID
    from h5py.h5g import GroupID
    from h5py.h5t import TypeID

# The netCDF types of HDF5 datatypes, as netCDF-C maps them.
#
# User-defined types are the committed datatypes of a file, and those of datasets and attributes
# that equal none of them. As in netCDF-C, a datatype is that of the first known one that equals it,
# because the types of fields and of items do not say where they are declared.

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


_MOST_KNOWN = 1000
"""Number of different types of numbers and texts that are remembered."""

_known: dict[bytes, Hdf5Type | None] = {}


def read_type(datatype: TypeID) -> Hdf5Type | None:
    """Return the netCDF type of a datatype; None for user-defined types and references.

    The types of numbers and texts are remembered by their encoded form: a file has few of them, and
    HDF5 is asked for each several times.
    """
    from h5py import h5t

    if datatype.get_class() not in (h5t.STRING, h5t.INTEGER, h5t.FLOAT):
        return None
    encoded = datatype.encode()
    if encoded not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[encoded] = _read_type(datatype)
    return _known[encoded]


def _read_type(datatype: TypeID) -> Hdf5Type | None:
    from h5py import h5t

    kind = datatype.get_class()
    if kind == h5t.STRING:
        if datatype.is_variable_str():
            return Hdf5Type(Atomic.STRING, None)
        length = datatype.get_size()
        if length > 1:
            return Hdf5Type(Atomic.STRING, None, None, length)
        return Hdf5Type(Atomic.CHAR, "S1")
    return _number(datatype)


def _number(datatype: TypeID) -> Hdf5Type | None:
    from h5py import h5t

    try:
        dtype = datatype.dtype
    except (TypeError, ValueError):
        return None  # a number of a size or precision that numpy does not have
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
        return tuple(user_type for _, user_type in self._known if parent(user_type.name) == fqn)

    def find(self, datatype: TypeID, group: str) -> UserType | None:
        """Return the type of a datatype in a group; None if netCDF has none.

        HDF5 does not name the types of fields and items. Of equal types, that of the nearest group
        around is taken.
        """
        equal = [(known, user_type) for known, user_type in self._known if datatype.equal(known)]
        if len(equal) > 1 and datatype.committed():
            address = address_of(datatype)
            equal.sort(key=lambda pair: address_of(pair[0]) != address)
        elif len(equal) > 1:
            equal.sort(key=lambda pair: _depth(pair[1], group), reverse=True)
        return equal[0][1] if equal else None

    def has(self, dataset: Hdf5Dataset) -> bool:
        """Return whether netCDF has a type for the values of a dataset."""
        return dataset.plain is not None or self.find(dataset.type, "") is not None

    def add(self, datatype: TypeID, fqn: str) -> str | None:
        """Add a type with its name. Return why it cannot be used, in a few words, or None."""
        user_type = self._read(datatype, fqn)
        fault = "netCDF has no such type" if user_type is None else self._limits.fault(user_type)
        if user_type is not None and fault is None:
            self._known.append((datatype, user_type))
        return fault

    def find_or_name(self, datatype: TypeID, group: str) -> UserType | None:
        """Return the type of a datatype, which a group declares if it has no name in the file."""
        from h5py import h5t

        found = self.find(datatype, group)
        is_refused = datatype.get_class() == h5t.REFERENCE
        if found is not None or is_refused or any(map(datatype.equal, self._refused)):
            return found
        self._count += 1
        count = len(self._known)
        name = f"_Anonymous{_word(datatype)}{self._count}"
        if self.add(datatype, self._free(group, name)) is not None:
            del self._known[count:]  # the parts of a type that cannot be used
            self._refused.append(datatype)
        return self.find(datatype, group)

    def _free(self, group: str, name: str) -> str:
        """Return the FQN of a new type in a group."""
        names = {user_type.name for _, user_type in self._known}
        fqn = join(group, name)
        while fqn in names:
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
        group, name = fqn.rsplit("/", 1)
        found = self.find(datatype, group)
        if found is None:
            self.add(datatype, self._free(group, name))
            found = self.find(datatype, group)
        return found


def _depth(user_type: UserType, group: str) -> int:
    """Return how deep the group of a type is, -1 if it is not `group` or around it."""
    declared = parent(user_type.name)
    is_around = f"{group}/".startswith(f"{declared}/")
    return declared.count("/") if is_around else -1


def read_types(root: Hdf5Group, url: str, notify: Notify) -> FileTypes:
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
            if dataset.plain is None:
                found.find_or_name(dataset.type, group.fqn)
    return found


def _read_enumeration(datatype: TypeID, fqn: str) -> Enumeration | None:
    base = read_type(datatype.get_super())
    if base is None or not isinstance(base.type, Atomic) or not base.type.is_integer:
        return None
    # The values are the end of an encoded type. h5py itself does not tell large ones apart.
    size = base.type.size
    stored = datatype.encode()[-size * datatype.get_nmembers() :]
    order: Literal["big", "little"] = "big" if base.endianness == "big" else "little"
    is_signed = base.type.kind == "i"
    members = tuple(
        (
            text_of(datatype.get_member_name(number)),
            int.from_bytes(stored[number * size :][:size], order, signed=is_signed),
        )
        for number in range(datatype.get_nmembers())
    )
    return Enumeration(name=fqn, base=base.type, members=members) if members else None


def text_of(name: bytes | str) -> str:
    """Return the name of an object."""
    return name if isinstance(name, str) else name.decode("utf-8", "surrogateescape")


@record
class Hdf5Dataset:
    """A dataset of HDF5, with what is asked for more than once, as each call of HDF5 takes time.

    `address` identifies it in the file, `plain` is its type if that is not user-defined, and
    `extent` has the length of each axis, and whether it is unlimited. `is_null` says that it has
    no elements, not even one.
    """

    name: str
    fqn: str
    id: DatasetID
    address: int
    type: TypeID
    plain: Hdf5Type | None
    extent: tuple[tuple[int, bool], ...]
    is_null: bool
    attributes: tuple[str, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The length of each axis."""
        return tuple(size for size, _ in self.extent)


def open_dataset(name: str, fqn: str, dataset: DatasetID) -> Hdf5Dataset:
    """Return a dataset that HDF5 has opened."""
    from h5py import h5s

    datatype, space = dataset.get_type(), dataset.get_space()
    kind = space.get_simple_extent_type()
    extent: tuple[tuple[int, bool], ...] = ()
    if kind == h5s.SIMPLE:
        largest = space.get_simple_extent_dims(maxdims=True)
        pairs = zip(space.get_simple_extent_dims(), largest, strict=True)
        extent = tuple((size, most == h5s.UNLIMITED) for size, most in pairs)
    return Hdf5Dataset(
        name,
        fqn,
        dataset,
        address_of(dataset),
        datatype,
        read_type(datatype),
        extent,
        kind == h5s.NULL,
        tuple(attribute_names(dataset)),
    )


@record
class CommittedType:
    """A committed datatype of HDF5."""

    fqn: str
    id: TypeID


@record
class Hdf5Group:
    """A group of HDF5, with its datasets, groups and committed datatypes."""

    name: str
    fqn: str
    id: GroupID
    attributes: tuple[str, ...]
    datasets: tuple[Hdf5Dataset, ...]
    groups: tuple[Hdf5Group, ...]
    types: tuple[CommittedType, ...] = ()

    def walk(self) -> Iterator[Hdf5Group]:
        """Yield this group and all below it, parents first."""
        yield self
        for child in self.groups:
            yield from child.walk()


def walk_file(file: Hdf5File, notify: Notify) -> Hdf5Group:
    """Return the root group of a file, with everything below it."""
    from h5py import h5g

    with hdf5_errors(file.url):
        return _Walk(file, notify).group(h5g.open(file.id, b"/"), "", "", frozenset())


_DEEPEST = 256
"""Number of groups that may lie within each other."""


class _Walk:
    """The walk through one file. A group is listed once, whatever links lead to it."""

    def __init__(self, file: Hdf5File, notify: Notify) -> None:
        self.file = file
        self.notify = notify
        self.visited: set[int] = set()

    def group(self, group: GroupID, name: str, fqn: str, above: frozenset[int]) -> Hdf5Group:
        """Return a group; datasets come before groups."""
        from h5py import h5i

        self.visited.add(address_of(group))
        datasets: list[Hdf5Dataset] = []
        children: list[tuple[str, GroupID]] = []
        types: list[CommittedType] = []
        for link in self.links(group):
            label = text_of(link)
            found = self.open(group, link, join(fqn, label))
            if found is None:
                continue
            kind = h5i.get_type(found)
            if kind == h5i.DATASET:
                path = join(fqn, label)
                datasets.append(open_dataset(label, path, found))
            elif kind == h5i.GROUP:
                children.append((label, found))
            elif kind == h5i.DATATYPE:
                types.append(CommittedType(join(fqn, label), found))
        groups = []
        for label, child in children:
            path = join(fqn, label)
            if address_of(child) in self.visited or path.count("/") > _DEEPEST:
                self.leave_out(path, "it is linked a second time, or too deep")
                continue
            groups.append(self.group(child, label, path, above))
        names = tuple(attribute_names(group))
        return Hdf5Group(name, fqn, group, names, tuple(datasets), tuple(groups), tuple(types))

    def links(self, group: GroupID) -> list[bytes]:
        """Return the names of the links of a group, in order."""
        from h5py import h5, h5p

        order = group.get_create_plist().get_link_creation_order()
        by = h5.INDEX_CRT_ORDER if order & h5p.CRT_ORDER_TRACKED else h5.INDEX_NAME
        names: list[bytes] = []
        group.links.iterate(names.append, idx_type=by, order=h5.ITER_INC)
        return names

    def open(self, group: GroupID, link: bytes, path: str) -> GroupID | None:
        """Open what a link leads to; return None, with a notice, if that is not in this file."""
        from h5py import h5l, h5o

        kind = group.links.get_info(link).type
        if kind == h5l.TYPE_SOFT and not _stays_inside(group, group.links.get_val(link)):
            kind = h5l.TYPE_EXTERNAL
        if kind not in (h5l.TYPE_HARD, h5l.TYPE_SOFT):
            self.leave_out(path, "it is a link into another file")
            return None
        try:
            return h5o.open(group, link)
        except (KeyError, RuntimeError) as error:
            if kind == h5l.TYPE_HARD:
                raise
            self.leave_out(path, f"it is a broken link ({error})")
            return None

    def leave_out(self, path: str, reason: str) -> None:
        """Say that an object is left out."""
        location = f"{self.file.url}: {path}"
        message = f"this object of HDF5 is left out: {reason}"
        self.notify(Notice("object-left-out", message, location, lost=True))


def _stays_inside(group: GroupID, path: bytes, depth: int = 0) -> bool:
    """Return whether HDF5 follows no link into another file on a path, which may be broken."""
    from h5py import h5g, h5i, h5l, h5o

    at = h5g.open(group, b"/") if path.startswith(b"/") else group
    for name in path.split(b"/"):
        if name in (b"", b"."):
            continue
        try:
            kind = at.links.get_info(name).type
            if kind == h5l.TYPE_SOFT:
                target = at.links.get_val(name)
                if depth < _MOST_LINKS and not _stays_inside(at, target, depth + 1):
                    return False
            elif kind != h5l.TYPE_HARD:
                return False
            at = h5o.open(at, name)
        except (KeyError, RuntimeError):
            return True  # it is broken
        if h5i.get_type(at) != h5i.GROUP:
            return True  # the rest of the path, if any, is broken
    return True


_MOST_LINKS = 16
"""Number of soft links that may lead to each other; HDF5 follows no more."""


# Attributes of HDF5 objects, as netCDF-C reads them.

CLASSIC_MODEL = "_nc3_strict"
PROPERTIES = "_NCProperties"
DIMENSION_ID = "_Netcdf4Dimid"
COORDINATES = "_Netcdf4Coordinates"

RESERVED = frozenset({
    "CLASS", "DIMENSION_LIST", "NAME", "REFERENCE_LIST", "_ARRAY_DIMENSIONS", "_Codecs", "_Format",
    "_IsNetcdf4", PROPERTIES, COORDINATES, DIMENSION_ID, "_SuperblockVersion", CLASSIC_MODEL,
    "_nczarr_attr", "_nczarr_group", "_nczarr_array", "_nczarr_superblock",
})  # fmt: skip
"""The attributes that netCDF-C uses itself, and does not show."""

FindType = Callable[["TypeID"], UserType | None]
"""Returns the user-defined type of a datatype; None if it is not one."""

_LARGEST = 256 << 20
"""Bytes of the largest attribute that is read."""


def attribute_names(obj: GroupID) -> list[str]:
    """Return the names of all attributes of an object, in the order of their creation."""
    from h5py import h5, h5a

    names: list[str] = []
    for order in (h5.INDEX_CRT_ORDER, h5.INDEX_NAME):
        try:
            h5a.iterate(obj, lambda name: names.append(text_of(name)), index_type=order)
            break
        except RuntimeError:  # the order of creation is not known
            names.clear()
    return names


def read_attributes(
    node: Hdf5Group | Hdf5Dataset, location: str, find_type: FindType, notify: Notify
) -> tuple[Attribute, ...]:
    """Return the attributes of a group or a dataset, without reserved ones.

    `find_type` returns the user-defined type of a datatype, or None.
    """
    attributes = []
    for name in node.attributes:
        if name not in RESERVED:
            attribute = _read_attribute(node.id, name, location, find_type, notify)
            if attribute is not None:
                attributes.append(attribute)
    return tuple(attributes)


def _read_attribute(
    obj: GroupID, name: str, location: str, find_type: FindType, notify: Notify
) -> Attribute | None:
    from h5py import h5a

    with hdf5_errors(f"{location}:{name}"):
        attribute = h5a.open(obj, name.encode("utf-8", "surrogateescape"))
        datatype, shape = attribute.get_type(), attribute.shape
        known = read_type(datatype)
        count = _count(attribute, shape)
        user_type = find_type(datatype) if known is None else None
        if user_type is not None and count * datatype.get_size() <= _LARGEST:
            values = _values(attribute, shape, user_type) if count else ()
            return Attribute(name=name, type=user_type, values=values)
        if known is None or count * datatype.get_size() > _LARGEST:
            reason = "too large" if known is not None else type_name(datatype)
            message = f"attribute {name} is {reason}, which ncz cannot read; it is left out"
            notify(Notice("attribute-left-out", message, location, lost=True))
            return None
        is_scalar = not shape
        if known.length is not None and is_scalar:
            values = (_decoded(_bytes(attribute, datatype, shape, known.length)),) if count else ()
            return Attribute(name=name, type=Atomic.CHAR, values=values)
        if known.type is Atomic.CHAR and not is_scalar:
            return Attribute(
                name=name, type=Atomic.STRING, values=_strings(attribute, datatype, shape, count, 1)
            )
        if known.type is Atomic.STRING:
            values = _strings(attribute, datatype, shape, count, known.length)
        elif known.type is Atomic.CHAR:
            values = (_decoded(_bytes(attribute, datatype, shape, 1)),) if count else ()
        else:
            values = _numbers(attribute, datatype, shape, known) if count else ()
        return Attribute(name=name, type=known.type, values=values)


def _count(attribute: AttrID, shape: Shape) -> int:
    """Return the number of elements; one that has none at all has the shape of a scalar."""
    if shape:
        return math.prod(shape)
    try:
        attribute.get_storage_size()
    except RuntimeError:  # so h5py calls 0 bytes
        return 0
    return 1


def _values(attribute: AttrID, shape: Shape, nc_type: UserType) -> tuple[Value, ...]:
    """Return the values of an attribute of a user-defined type."""
    memory = in_memory(attribute.get_type())
    layout = layout_of(memory, nc_type, MEMORY)
    if layout is None:
        raise TypeError("its numbers are of an unusual size")
    stored = np.zeros(shape, layout.dtype)
    attribute.read(stored, memory)
    return tuple(decode(stored.reshape(-1), layout, MemoryReferences()))


def _numbers(
    attribute: AttrID, datatype: TypeID, shape: Shape, known: Hdf5Type
) -> tuple[Value, ...]:
    if known.stored_dtype is None:
        assert isinstance(known.type, Atomic)
        values = np.empty(shape, known.type.dtype)
        attribute.read(values)
    else:  # the bytes as they are stored, which HDF5 need not convert
        values = np.empty(shape, known.stored_dtype)
        attribute.read(values, datatype)
    return tuple(values.reshape(-1).tolist())


def _bytes(attribute: AttrID, datatype: TypeID, shape: Shape, size: int) -> bytes:
    """Return the bytes of texts of fixed length, with their NULs."""
    values = np.empty(shape, f"S{size}")
    attribute.read(values, datatype)
    return values.tobytes()


def _strings(
    attribute: AttrID, datatype: TypeID, shape: Shape, count: int, length: int | None
) -> tuple[Value, ...]:
    if not count:
        return ()
    if length is not None:
        data = _bytes(attribute, datatype, shape, length)
        parts = (data[at : at + length] for at in range(0, count * length, length))
        return tuple(_decoded(part.partition(b"\0")[0]) for part in parts)
    values = np.empty(shape, datatype.dtype)
    attribute.read(values)
    texts = [string_of(value) for value in values.reshape(-1).tolist()]
    if all(texts):
        return tuple(texts)
    return tuple(
        text if pointer else None
        for text, pointer in zip(texts, _pointers(attribute, shape), strict=True)
    )


def _pointers(attribute: AttrID, shape: Shape) -> list[int]:
    """Return the addresses of strings in memory: NIL is 0, unlike an empty string."""
    from h5py import h5t

    as_pointer = h5t.C_S1.copy()
    as_pointer.set_size(h5t.VARIABLE)
    as_pointer.set_cset(attribute.get_type().get_cset())
    pointers = np.zeros(shape, np.uintp)
    attribute.read(pointers, as_pointer)
    return list(pointers.reshape(-1).tolist())


def string_of(value: Any) -> str:
    """Return a string of variable length as text."""
    if not value:
        return ""
    return value if isinstance(value, str) else _decoded(value)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def read_integers(node: Hdf5Dataset, name: str) -> list[int] | None:
    """Return the values of an integer attribute; None if it does not exist."""
    from h5py import h5a

    if name not in node.attributes:
        return None
    attribute = h5a.open(node.id, name.encode())
    known = read_type(datatype := attribute.get_type())
    if known is None or not isinstance(known.type, Atomic) or not known.type.is_integer:
        return None
    if not _count(attribute, shape := attribute.shape):
        return []
    values = _numbers(attribute, datatype, shape, known)
    return [value for value in values if isinstance(value, int)]


def read_text(node: Hdf5Group, name: str) -> str | None:
    """Return the text of an attribute; None if it does not exist, or is not a text."""
    if name not in node.attributes:
        return None
    attribute = _read_attribute(node.id, name, name, lambda _: None, lambda _: None)
    if attribute is None or not attribute.values or attribute.type not in _TEXTS:
        return None
    return str(attribute.values[0] or "").rstrip("\0")


_TEXTS = (Atomic.CHAR, Atomic.STRING)
