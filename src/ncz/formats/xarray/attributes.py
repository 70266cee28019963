"""Attributes of xarray as attributes of netCDF."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ncz.errors import LossError, ignore_notice
from ncz.formats.zarr.documents.attributes import read_attribute
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Enumeration, NcType, Value

TYPES = {
    ("b", 1): Atomic.BYTE, ("i", 1): Atomic.BYTE, ("i", 2): Atomic.SHORT, ("i", 4): Atomic.INT,
    ("i", 8): Atomic.INT64, ("u", 1): Atomic.UBYTE, ("u", 2): Atomic.USHORT, ("u", 4): Atomic.UINT,
    ("u", 8): Atomic.UINT64, ("f", 2): Atomic.FLOAT, ("f", 4): Atomic.FLOAT,
    ("f", 8): Atomic.DOUBLE,
}  # fmt: skip
"""The type of a kind and size of numpy."""


def attributes_of(
    values: Mapping[Any, Any], where: str, nc_type: NcType | None = None
) -> tuple[Attribute, ...]:
    """Return the attributes of a variable or a group. Raises `LossError`."""
    attributes = []
    for name, value in values.items():
        if not isinstance(name, str) or not name:
            raise LossError(
                f"the name of an attribute must be a text that is not empty, not {name!r}", where
            )
        attributes.append(attribute_of(name, value, where, nc_type))
    return tuple(attributes)


def attribute_of(name: str, value: Any, where: str, nc_type: NcType | None) -> Attribute:
    """Return an attribute; one that only JSON can say is kept as JSON for pure Zarr."""
    if name == "_FillValue" and nc_type is not None:
        mask = nc_type.base if isinstance(nc_type, Enumeration) else nc_type
        if isinstance(mask, Atomic):
            return Attribute(name=name, type=nc_type, values=typed_values(value, mask, where, name))
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return Attribute(name=name, type=Atomic.CHAR, values=(str(value),) if value else ())
    if isinstance(value, list | tuple) and any(isinstance(each, np.generic) for each in value):
        with contextlib.suppress(ValueError):
            value = np.array(value)
    if isinstance(value, np.ndarray | np.generic):
        kind, size = value.dtype.kind, value.dtype.itemsize
        if kind in "iuf" and (kind, size) in TYPES and value.ndim < 2:
            nc_type = TYPES[kind, size]
            return Attribute(
                name=name, type=nc_type, values=typed_values(value, nc_type, where, name)
            )
        value = value.tolist()
    try:
        plain = json.loads(json.dumps(value, default=plain_value))
    except (TypeError, ValueError):
        raise LossError(
            f"the value of the attribute {name} cannot be stored: it is of type"
            f" {type(value).__name__}",
            where,
            "use text, numbers, or lists of them",
        ) from None
    return read_attribute(name, plain, notify=ignore_notice)


def plain_value(value: Any) -> Any:
    """Return numpy values within lists and dictionaries as Python values."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufU":
        return value.tolist()
    raise TypeError(type(value).__name__)


def typed_values(value: Any, nc_type: Atomic, where: str, name: str) -> tuple[Value, ...]:
    """Return the values of an attribute of a type."""
    array = np.atleast_1d(np.asarray(value)).ravel()
    if nc_type in (Atomic.CHAR, Atomic.STRING):
        texts = [each.decode("latin-1" if nc_type is Atomic.CHAR else "utf-8")
                 if isinstance(each, bytes) else str(each) for each in array.tolist()]  # fmt: skip
        return tuple(texts) if nc_type is Atomic.STRING else ("".join(texts) or "\0",)
    converted = array.astype(nc_type.dtype)
    if nc_type.is_integer and not np.array_equal(converted, array):
        raise LossError(
            f"{name} {value!r} is not a value of its type {nc_type.word}",
            where,
            f"change {name} in its encoding",
        )
    return tuple(converted.tolist())
