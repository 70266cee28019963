"""Numbers of HDF5 that numpy lacks: with fewer bits, or in other floating-point formats.

Source: HDF5 File Format Specification, "Class specific information for Fixed-Point Numbers" and
"for Floating-Point Numbers" (IV.A.2.d).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.formats.hdf5.metadata.datatype import IMPLIED, Datatype
from ncz.late import numpy as np
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.model.data import Values

_INTEGERS = {(t.kind, t.size): t for t in Atomic if t.is_integer}

_FLOATS = ((Atomic.FLOAT, 23, 128, -126), (Atomic.DOUBLE, 52, 1024, -1022))
"""Types, the bits of their mantissas, and their largest and smallest exponents."""


def number_type(datatype: Datatype) -> Atomic | None:
    """Return the type that has all values of a number, or None.

    As in netCDF-C and h5py, an integer keeps its size; a floating-point number gets the smaller
    type that has all of its values.
    """
    if datatype.is_integer:
        return _INTEGERS.get(("i" if datatype.is_signed else "u", datatype.size))
    fields = datatype.fields
    if fields is None or datatype.is_vax or datatype.size > 8:
        return None
    if datatype.is_ieee:
        return Atomic.DOUBLE if datatype.size == 8 else Atomic.FLOAT
    if fields.normal != IMPLIED:
        return None
    for nc_type, mantissa, largest, smallest in _FLOATS:
        is_large = (1 << fields.exponent_size) - fields.bias - 1 > largest
        is_small = 1 - fields.bias < smallest
        if fields.mantissa_size <= mantissa and not is_large and not is_small:
            return nc_type
    return None


def convert(data: bytes, datatype: Datatype) -> Values:
    """Return elements of a number that has a `number_type`, in one dimension, as values of it."""
    nc_type = number_type(datatype)
    assert nc_type is not None
    if datatype.is_ieee:
        order = ">" if datatype.is_big else "<"
        return np.frombuffer(data, f"{order}f{datatype.size}").astype(nc_type.dtype)
    parts = np.frombuffer(data, "u1").reshape(-1, datatype.size)
    if datatype.is_big:
        parts = parts[:, ::-1]
    wide = np.zeros((len(parts), 8), "u1")
    wide[:, : datatype.size] = parts
    bits = wide.view("<u8")[:, 0]
    if datatype.is_integer:
        values = _part(bits, datatype.offset, datatype.precision)
        if datatype.is_signed:
            unused = np.uint64(64 - datatype.precision)
            values = (values << unused).view("i8") >> unused.astype("i8")
        return values.astype(nc_type.dtype)
    return _floats(bits, datatype).astype(nc_type.dtype)


def _part(bits: Values, start: int, size: int) -> Values:
    mask = (1 << size) - 1
    return bits >> np.uint64(start) & np.uint64(mask)


def _floats(bits: Values, datatype: Datatype) -> Values:
    """Return floating-point numbers of any format as doubles."""
    fields = datatype.fields
    assert fields is not None
    exponent = _part(bits, fields.exponent, fields.exponent_size).astype("i8")
    mantissa: Any = _part(bits, fields.mantissa, fields.mantissa_size).astype("f8")
    is_negative = _part(bits, fields.sign, 1) == 1
    is_subnormal = exponent == 0
    is_special = exponent == (1 << fields.exponent_size) - 1
    whole = np.where(is_subnormal, mantissa, mantissa + float(1 << fields.mantissa_size))
    power = np.where(is_subnormal, 1, exponent) - fields.bias - fields.mantissa_size
    values = np.ldexp(whole, power.astype("i4"))
    values = np.where(is_special, np.where(mantissa == 0, np.inf, np.nan), values)
    return np.where(is_negative, -values, values)
