"""Convert values of a variable for xarray: strings, complex numbers and native times."""

from __future__ import annotations

from typing import Any

import numpy as np

from ncz.api.variable import Variable
from ncz.formats.native_elements import NativeElements
from ncz.formats.opening import native_elements
from ncz.model.types import Atomic, Compound

TEXT = np.dtype("O", metadata={"element_type": str})
"""The dtype of strings of any length, as the engines of xarray have it."""


BYTES = np.dtype("O")
"""The dtype of bytes of any length, as xarray's engine for Zarr has it."""


def elements_of(variable: Variable) -> NativeElements | None:
    """Return the stored elements of a variable; None if it is in no store."""
    return native_elements(variable.record, variable._handle.dataset.provenance)


def length_of_bytes(variable: Variable) -> int | None:
    """Return the length of elements that are bytes: char, or ``|S5`` in pure Zarr; else None.

    xarray joins single bytes to strings along a dimension of characters, as its own engines let it
    do, and decodes bytes by the attribute ``_Encoding``.
    """
    if variable.record.type is Atomic.CHAR:
        return 1
    elements = elements_of(variable)
    return None if elements is None else elements.length_of_bytes


def are_bytes_of_any_length(variable: Variable) -> bool:
    """Return whether a store of Zarr contains bytes that no annotation marks as text.

    xarray's engine for Zarr gives them to programs as objects of Python.
    """
    elements = elements_of(variable)
    return elements is not None and elements.are_bytes


def is_complex(variable: Variable) -> bool:
    """Return whether values are complex numbers, as numpy names their parts in Zarr, or HDF5."""
    elements, nc_type = elements_of(variable), variable.record.type
    if elements is not None:
        return elements.is_complex
    if not isinstance(nc_type, Compound) or [field.name for field in nc_type.fields] != ["r", "i"]:
        return False
    real, imaginary = nc_type.fields
    is_float = real.type in (Atomic.FLOAT, Atomic.DOUBLE)
    return is_float and real.type is imaginary.type and not (real.shape or imaginary.shape)


def native_time_of(variable: Variable) -> np.dtype[Any] | None:
    """Return the dtype of elements of datetime64 or timedelta64 in Zarr; None for others.

    xarray's engine for Zarr passes them to programs unchanged, with any unit.
    """
    elements = elements_of(variable)
    if elements is None or elements.time_dtype is None:
        return None
    return np.dtype(elements.time_dtype)


def native_times(variable: Variable, numbers: Any) -> Any:
    """Return the native elements for numbers of a variable."""
    elements = elements_of(variable)
    assert elements is not None
    return elements.times(numbers)


def fill_of(variable: Variable) -> Any:
    """Return the value of missing chunks in Zarr; None if it is undefined."""
    fill, elements = variable.fill_value, elements_of(variable)
    if fill is None or elements is None or elements.time_dtype is None:
        return fill
    if not elements.has_fill:
        return None
    return elements.times(np.array([fill], "i8"))[0]
