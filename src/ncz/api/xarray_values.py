"""Values of a variable as xarray has them: strings, complex numbers and native times."""

from __future__ import annotations

from typing import Any

import numpy as np

from ncz.api.variable import Variable
from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.native_times import NativeTime
from ncz.formats.zarr.strings import are_bytes
from ncz.formats.zarr.user_types import is_complex_type
from ncz.model.types import Atomic, Compound

TEXT = np.dtype("O", metadata={"element_type": str})
"""The dtype of strings of any length, as the engines of xarray have it."""


BYTES = np.dtype("O")
"""The dtype of bytes of any length, as xarray's engine for Zarr has it."""


def length_of_bytes(variable: Variable) -> int | None:
    """Return the length of elements that are bytes: char, or ``|S5`` in pure Zarr; else None.

    xarray joins single bytes to strings along a dimension of characters, as its own engines let it
    do, and decodes bytes by the attribute ``_Encoding``.
    """
    data = variable.record.data
    if variable.record.type is Atomic.CHAR:
        return 1
    if variable.record.type is not Atomic.STRING or not isinstance(data, ZarrArray):
        return None
    is_pure = not variable._handle.dataset.provenance.superblock
    is_bytes = str(data.encoding.dtype).startswith("|S") and (is_pure or data.item_size == 1)
    return data.item_size if is_bytes else None


def are_bytes_of_any_length(variable: Variable) -> bool:
    """Return whether a store of Zarr holds bytes, and no annotation says that they are text.

    xarray's engine for Zarr gives them to programs as objects of Python.
    """
    record, provenance = variable.record, variable._handle.dataset.provenance
    if record.type is not Atomic.STRING or not isinstance(record.data, ZarrArray):
        return False
    return are_bytes(record) and not (provenance.superblock or provenance.annotated)


def is_complex(variable: Variable) -> bool:
    """Return whether values are complex numbers, as numpy names their parts in Zarr, or HDF5."""
    nc_type = variable.record.type
    if isinstance(variable.record.data, ZarrArray):
        return is_complex_type(nc_type)
    if not isinstance(nc_type, Compound) or [field.name for field in nc_type.fields] != ["r", "i"]:
        return False
    real, imaginary = nc_type.fields
    is_float = real.type in (Atomic.FLOAT, Atomic.DOUBLE)
    return is_float and real.type is imaginary.type and not (real.shape or imaginary.shape)


def native_time_of(variable: Variable) -> NativeTime | None:
    """Return the unit of elements of datetime64 or timedelta64 in Zarr; None for others.

    xarray's engine for Zarr gives them to programs as they are, whatever their unit.
    """
    data = variable.record.data
    return data.encoding.time if isinstance(data, ZarrArray) else None


def native_times(variable: Variable, numbers: Any) -> Any:
    """Return the native elements that stand for numbers of a variable."""
    time = native_time_of(variable)
    assert time is not None
    return time.elements(numbers, variable.name).astype("i8").view(time.dtype)


def fill_of(variable: Variable) -> Any:
    """Return the value of chunks that are missing, as Zarr has it; None if it is undefined."""
    fill = variable.fill_value
    data = variable.record.data
    if fill is None or native_time_of(variable) is None or not isinstance(data, ZarrArray):
        return fill
    if not data.has_fill:
        return None
    return native_times(variable, np.array([fill], "i8"))[0]
