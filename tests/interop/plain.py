"""Values in one form for all readers, and as JSON; needs only numpy.

Readers in separate environments import this and nothing of ncz.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np

Values = np.ndarray[Any, Any]


def plain(values: Any) -> Values:
    """`values` in native byte order: texts as objects of `str`."""
    array = np.asarray(values)
    kind = array.dtype.kind
    if kind == "O" or kind in "SUT":
        flat = np.empty(array.size, "O")
        flat[:] = [_object(value) for value in array.reshape(-1).tolist()]
        return flat.reshape(array.shape)
    return array.astype(array.dtype.newbyteorder("="))


def _object(value: Any) -> Any:
    """Text without the NULs at its end; a date of cftime with its calendar; a missing value."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return value.rstrip("\0")
    if value is None or value != value:
        return None
    calendar = getattr(value, "calendar", None)
    return value if calendar is None else f"{value.isoformat()} {calendar}"


def to_json(values: Values) -> dict[str, Any]:
    """Plain values as JSON, for readers that run in a separate process."""
    if values.dtype == object:
        return {"shape": list(values.shape), "texts": values.reshape(-1).tolist()}
    if not values.dtype.itemsize:
        raise ValueError(f"elements of {values.dtype} have no bytes")
    data = base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
    dtype: Any = values.dtype.descr if values.dtype.names else values.dtype.str
    return {"shape": list(values.shape), "dtype": dtype, "data": data}


def from_json(told: Mapping[str, Any]) -> Values:
    """Plain values from their JSON."""
    shape = tuple(told["shape"])
    if "texts" in told:
        flat = np.empty(len(told["texts"]), "O")
        flat[:] = [_object(value) for value in told["texts"]]
        return flat.reshape(shape)
    given = told["dtype"]
    dtype = np.dtype(given if isinstance(given, str) else [tuple(f) for f in given])
    return plain(np.frombuffer(base64.b64decode(told["data"]), dtype).reshape(shape))
