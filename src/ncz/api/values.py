"""Convert values of chunks and attributes to numpy, and types to dtypes.

Strings are `str`, with "" for NIL. User-defined types have the dtypes that netCDF4-python gives
them: the base type for an enum, a structured dtype for a compound, void for opaque values, and
objects (arrays of the base type) for variable-length sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.tree import Attribute
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
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
    return array_of(values.reshape(-1).tolist(), nc_type).reshape(values.shape)


def array_of(values: Sequence[Value], nc_type: NcType) -> Values:
    """Return values of the model as an array of one dimension of the dtype `numpy_dtype`.

    Each field of records is converted for all of them together, which is several times faster than
    one record after the other.
    """
    match nc_type:
        case Compound(fields=fields):
            records = np.empty(len(values), numpy_dtype(nc_type))
            for number, field in enumerate(fields):
                column = [value[number] for value in values]
                flat = list(chain.from_iterable(column)) if field.shape else column
                records[field.name] = array_of(flat, field.type).reshape(len(column), *field.shape)
            return records
        case Vlen(base=base):
            return np.fromiter((array_of(value, base) for value in values), "O", len(values))
        case Atomic.STRING:
            texts = ("" if value is None else value for value in values)
            return np.fromiter(texts, "O", len(values))
        case Atomic.CHAR:
            return np.array([_char(value) for value in values], numpy_dtype(nc_type))
        case _:
            return np.array(values, numpy_dtype(nc_type))


def _char(value: Value) -> Any:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


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
    element = array_of([zero_value(nc_type) if fill is None else fill], nc_type)[0]
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
    array = array_of(values, nc_type)
    if nc_type is Atomic.STRING:
        texts = [readable_text(v) if isinstance(v, str) else v for v in array]
        return texts[0] if len(texts) == 1 else texts
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
