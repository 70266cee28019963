"""Convert values of chunks and attributes to numpy, and types to dtypes.

Strings are `str`, with "" for NIL. User-defined types have the dtypes that netCDF4-python gives
them: the base type for an enum, a structured dtype for a compound, void for opaque values, and
objects (arrays of the base type) for variable-length sequences.
"""

from __future__ import annotations

import math
from typing import Any

from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.tree import Attribute
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    Value,
    Vlen,
    readable_text,
    zero_value,
)


def numpy_dtype(nc_type: NcType) -> np.dtype[Any]:
    """Return the dtype, in native byte order, of the arrays that a program receives."""
    match nc_type:
        case Atomic():
            return np.dtype(nc_type.dtype)
        case Enumeration(base=base):
            return np.dtype(base.dtype)
        case Opaque(size=size):
            return np.dtype((np.void, size))
        case Compound(fields=fields):
            return np.dtype([(f.name, numpy_dtype(f.type), f.shape) for f in fields])
        case Vlen():
            return np.dtype("O")


def number_type(dtype: np.dtype[Any]) -> Atomic | None:
    """Return the type of numbers with a dtype in any byte order, or None if netCDF lacks it."""
    native = dtype.newbyteorder("=")
    return next((t for t in Atomic if t.kind in "iuf" and np.dtype(t.dtype) == native), None)


def to_numpy(values: Values, nc_type: NcType) -> Values:
    """Convert an array of values of the model to the dtype `numpy_dtype`."""
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return values
    if isinstance(nc_type, Enumeration):
        return values.astype(nc_type.base.dtype)
    flat = [to_python(value, nc_type) for value in values.reshape(-1).tolist()]
    if nc_type is Atomic.STRING or isinstance(nc_type, Vlen):
        return np.fromiter(flat, "O", len(flat)).reshape(values.shape)
    return np.array(flat, numpy_dtype(nc_type)).reshape(values.shape)


def to_python(value: Value, nc_type: NcType) -> Any:
    """Return one value as numpy takes it for an element of `numpy_dtype`."""
    match nc_type:
        case Atomic.STRING:
            return "" if value is None else value
        case Atomic.CHAR:
            return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
        case Compound(fields=fields):
            return tuple(_field(v, f) for v, f in zip(value, fields, strict=True))
        case Vlen(base=base):
            result = np.empty(len(value), numpy_dtype(base))
            for i, element in enumerate(value):
                result[i] = to_python(element, base)
            return result
        case _:
            return value


def _field(value: Value, field: Field) -> Any:
    if not field.shape:
        return to_python(value, field.type)

    flat = np.empty(math.prod(field.shape), numpy_dtype(field.type))
    for i, element in enumerate(value):
        flat[i] = to_python(element, field.type)
    return flat.reshape(field.shape)


def fill_scalar(fill: Value, nc_type: NcType) -> Any:
    """Return a fill value as a numpy scalar, or `str` for a string; None if it is undefined.

    A fill of None is NIL for a string, which is "".
    """
    if fill is None and nc_type is not Atomic.STRING:
        return None
    return full_array((), nc_type, fill)[()]


def full_array(shape: tuple[int, ...], nc_type: NcType, fill: Value) -> Values:
    """Return an array of dtype `numpy_dtype` filled with `fill`."""
    dtype = numpy_dtype(nc_type)
    if fill is None and dtype.kind != "O":
        return np.zeros(shape, dtype)
    element = to_python(zero_value(nc_type) if fill is None else fill, nc_type)
    values = np.empty(shape, dtype)
    if dtype.kind == "O":
        values.fill(element)
    else:
        values[...] = element
    return values


def attribute_value(attribute: Attribute) -> Any:
    """Return the value of an attribute.

    Returns
    -------
    str, list of str, numpy scalar, ndarray, or a JSON value
        Text is `str`, and several strings are a list. Latin-1 is assumed of text that
        is not UTF-8. A single number is a numpy scalar of the
        attribute's type, and several are an array. JSON values of a Zarr store that netCDF has no
        type for, such as objects and booleans, are given as `json.loads` returns them.
    """
    nc_type, values, kept = attribute.type, attribute.values, attribute.kept_original
    if kept is not None and isinstance(nc_type, Atomic) and _is_beyond_netcdf(kept[0]):
        return kept[0]
    if nc_type is Atomic.CHAR:
        return readable_text(attribute.text)
    converted = [to_python(value, nc_type) for value in values]
    if nc_type is Atomic.STRING:
        converted = [readable_text(v) if isinstance(v, str) else v for v in converted]
        return converted[0] if len(converted) == 1 else converted
    array = np.empty(len(converted), numpy_dtype(nc_type))
    for i, element in enumerate(converted):
        array[i] = element
    return array[0] if len(array) == 1 else array


def _is_beyond_netcdf(value: Any) -> bool:
    """Return whether a JSON value has a type that no netCDF attribute has."""
    if isinstance(value, list):
        kinds = {type(element) for element in value}
        return (
            not value
            or bool(kinds & {bool, dict, list, type(None)})
            or (str in kinds and len(kinds) > 1)
        )
    return value is None or isinstance(value, bool | dict)
