"""Attributes of HDF5 objects, as netCDF-C reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ncz.errors import Notice, Notify
from ncz.formats.netcdf.elements import MEMORY, MemoryReferences, decode, in_memory, layout_of
from ncz.formats.netcdf.hdf5.file import hdf5_errors
from ncz.formats.netcdf.hdf5.types import read_type, text_of, type_name
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, UserType, Value

if TYPE_CHECKING:
    from h5py.h5a import AttrID
    from h5py.h5g import GroupID
    from h5py.h5t import TypeID

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
    obj: GroupID, location: str, find_type: FindType, notify: Notify
) -> tuple[Attribute, ...]:
    """Return the attributes of a group or a dataset, without reserved ones.

    `find_type` returns the user-defined type of a datatype, or None.
    """
    attributes = []
    for name in attribute_names(obj):
        if name not in RESERVED:
            attribute = _read(obj, name, location, find_type, notify)
            if attribute is not None:
                attributes.append(attribute)
    return tuple(attributes)


def _read(
    obj: GroupID, name: str, location: str, find_type: FindType, notify: Notify
) -> Attribute | None:
    from h5py import h5a

    with hdf5_errors(f"{location}:{name}"):
        attribute = h5a.open(obj, name.encode("utf-8", "surrogateescape"))
        datatype, space = attribute.get_type(), attribute.get_space()
        known = read_type(datatype)
        count = space.get_simple_extent_npoints()
        user_type = find_type(datatype) if known is None else None
        if user_type is not None and count * datatype.get_size() <= _LARGEST:
            values = _values(attribute, user_type)
            return Attribute(name=name, type=user_type, values=values)
        if known is None or count * datatype.get_size() > _LARGEST:
            reason = "too large" if known is not None else type_name(datatype)
            message = f"attribute {name} is {reason}, which ncz cannot read; it is left out"
            notify(Notice("attribute-left-out", message, location, lost=True))
            return None
        is_scalar = space.get_simple_extent_ndims() == 0
        if known.length is not None and is_scalar:
            values = (_decoded(_bytes(attribute, known.length)),) if count else ()
            return Attribute(name=name, type=Atomic.CHAR, values=values)
        if known.type is Atomic.CHAR and not is_scalar:
            return Attribute(name=name, type=Atomic.STRING, values=_strings(attribute, count, 1))
        if known.type is Atomic.STRING:
            values = _strings(attribute, count, known.length)
        elif known.type is Atomic.CHAR:
            values = (_decoded(_bytes(attribute, 1)),) if count else ()
        else:
            assert isinstance(known.type, Atomic)
            values = _numbers(attribute, known.type, count)
        return Attribute(name=name, type=known.type, values=values)


def _values(attribute: AttrID, nc_type: UserType) -> tuple[Value, ...]:
    """Return the values of an attribute of a user-defined type."""
    import numpy as np

    if not attribute.get_space().get_simple_extent_npoints():
        return ()
    memory = in_memory(attribute.get_type())
    layout = layout_of(memory, nc_type, MEMORY)
    if layout is None:
        raise TypeError("its numbers are of an unusual size")
    stored = np.zeros(_shape(attribute), layout.dtype)
    attribute.read(stored, memory)
    return tuple(decode(stored.reshape(-1), layout, MemoryReferences()))


def _shape(attribute: AttrID) -> tuple[int, ...]:
    return tuple(attribute.get_space().get_simple_extent_dims())


def _numbers(attribute: AttrID, nc_type: Atomic, count: int) -> tuple[Value, ...]:
    import numpy as np

    if not count:
        return ()
    values = np.empty(_shape(attribute), nc_type.dtype)
    attribute.read(values)
    return tuple(values.reshape(-1).tolist())


def _bytes(attribute: AttrID, size: int) -> bytes:
    """Return the bytes of texts of fixed length, with their NULs."""
    import numpy as np

    values = np.empty(_shape(attribute), f"S{size}")
    attribute.read(values, attribute.get_type())
    return values.tobytes()


def _strings(attribute: AttrID, count: int, length: int | None) -> tuple[Value, ...]:
    if not count:
        return ()
    if length is not None:
        data = _bytes(attribute, length)
        parts = (data[at : at + length] for at in range(0, count * length, length))
        return tuple(_decoded(part.partition(b"\0")[0]) for part in parts)
    import numpy as np

    values = np.empty(_shape(attribute), attribute.get_type().dtype)
    attribute.read(values)
    texts = [string_of(value) for value in values.reshape(-1).tolist()]
    if all(texts):
        return tuple(texts)
    return tuple(
        text if pointer else None for text, pointer in zip(texts, _pointers(attribute), strict=True)
    )


def _pointers(attribute: AttrID) -> list[int]:
    """Return the addresses of strings in memory: NIL is 0, unlike an empty string."""
    import numpy as np
    from h5py import h5t

    as_pointer = h5t.C_S1.copy()
    as_pointer.set_size(h5t.VARIABLE)
    as_pointer.set_cset(attribute.get_type().get_cset())
    pointers = np.zeros(_shape(attribute), np.uintp)
    attribute.read(pointers, as_pointer)
    return list(pointers.reshape(-1).tolist())


def string_of(value: Any) -> str:
    """Return a string of variable length as text."""
    if not value:
        return ""
    return value if isinstance(value, str) else _decoded(value)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def read_integers(obj: GroupID, name: str) -> list[int] | None:
    """Return the values of an integer attribute; None if it does not exist."""
    from h5py import h5a, h5t

    key = name.encode()
    if not h5a.exists(obj, key):
        return None
    attribute = h5a.open(obj, key)
    if attribute.get_type().get_class() != h5t.INTEGER:
        return None
    values = _numbers(attribute, Atomic.INT64, attribute.get_space().get_simple_extent_npoints())
    return list(values)


def read_text(obj: GroupID, name: str) -> str | None:
    """Return the text of an attribute; None if it does not exist, or is not a text."""
    from h5py import h5a

    if not h5a.exists(obj, name.encode()):
        return None
    attribute = _read(obj, name, name, lambda _: None, lambda _: None)
    if attribute is None or not attribute.values or attribute.type not in _TEXTS:
        return None
    return str(attribute.values[0] or "").rstrip("\0")


_TEXTS = (Atomic.CHAR, Atomic.STRING)
