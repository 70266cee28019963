"""The netCDF types of HDF5 datatypes, as netCDF-C maps them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.model.tree import Endianness
from ncz.model.types import Atomic, NcType
from ncz.record import record

if TYPE_CHECKING:
    from h5py.h5t import TypeID

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
