"""Values of user-defined types as numpy arrays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
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

if TYPE_CHECKING:
    from ncz.model.data import Values


def packed_layout(nc_type: NcType, order: str) -> Any:
    """Return the dtype of elements of fixed size, as `numpy_dtype` takes it.

    `order` is the byte order, "<" or ">". Arrays within compounds are always little-endian.
    """
    match nc_type:
        case Compound(fields=fields):
            return [
                [field.name, packed_layout(field.type, "<"), list(field.shape)]
                if field.shape
                else [field.name, packed_layout(field.type, order)]
                for field in fields
            ]
        case Opaque(size=size):
            return f"V{size}"
        case Enumeration(base=base):
            return packed_layout(base, order)
        case Atomic() if nc_type.size > 1:
            return f"{order}{nc_type.dtype}"
        case Atomic():
            return nc_type.dtype
        case _:
            raise TypeError(f"{nc_type} has no fixed size")


def numpy_dtype(layout: Any) -> np.dtype[Any]:
    """Return the dtype of a layout: a text, or a list of fields with name, layout and shape."""
    return np.dtype(_fields(layout)) if isinstance(layout, list) else np.dtype(layout)


def _fields(layout: list[Any]) -> list[tuple[Any, ...]]:
    return [
        (name, _fields(inner) if isinstance(inner, list) else inner, *(tuple(s) for s in shape))
        for name, inner, *shape in layout
    ]


def unpack(elements: Values, nc_type: NcType) -> list[Any]:
    """Return elements of a type, in one dimension, as a list of values."""
    match nc_type:
        case Atomic.STRING:
            return [_string(element) for element in elements.tolist()]
        case Atomic.CHAR:
            return list(elements.tobytes().decode("latin-1"))
        case Atomic():
            return list(elements.astype(nc_type.dtype, copy=False).tolist())
        case Enumeration(base=base):
            return unpack(elements, base)
        case Opaque():
            return [bytes(element) for element in elements.tolist()]
        case Vlen(base=base):
            return [
                () if e is None else tuple(unpack(np.asarray(e).reshape(-1), base))
                for e in elements
            ]
        case Compound(fields=fields):
            records = elements.view(_record_dtype(elements.dtype, fields))
            columns = [_column(records[field.name], field) for field in fields]
            return list(zip(*columns, strict=True))


def _record_dtype(dtype: np.dtype[Any], fields: Sequence[Field]) -> np.dtype[Any]:
    """Return the dtype of the records of a compound: h5py takes two numbers for a complex one."""
    if dtype.kind != "c":
        return dtype
    part = f"{dtype.byteorder}f{dtype.itemsize // 2}"
    return np.dtype([(field.name, part) for field in fields])


def _column(elements: Values, field: Field) -> list[Any]:
    """Return one field of all records; an array within a record becomes a flat tuple."""
    if not field.shape:
        return unpack(elements, field.type)
    values = unpack(elements.reshape(-1), field.type)
    size = math.prod(field.shape)
    return [tuple(values[i : i + size]) for i in range(0, len(values), size)]


def _string(element: Any) -> str | None:
    if isinstance(element, bytes):
        return element.decode("utf-8", "surrogateescape") or None
    return str(element) if element else None


def unpack_values(elements: Values, nc_type: UserType) -> Values:
    """Convert elements of any shape to an array of values, as `ncz.model.data` specifies it."""
    values = unpack(elements.reshape(-1), nc_type)
    # Unlike assignment to an array, takes a tuple as one element.
    return np.fromiter(values, "O", len(values)).reshape(elements.shape)


def from_elements(elements: Values, nc_type: NcType) -> Values:
    """Convert packed elements of any type but string to values in native byte order."""
    if isinstance(nc_type, Atomic):
        return elements.astype(nc_type.dtype, copy=False)
    return unpack_values(elements, nc_type)


def pack(values: Sequence[Value], nc_type: NcType, dtype: np.dtype[Any]) -> Values:
    """Return values as an array of one dimension.

    Objects of `dtype` are texts in UTF-8 or, if its metadata name the dtype "vlen" of their
    elements as h5py's do, arrays.
    """
    match nc_type:
        case Compound(fields=fields):
            records = np.zeros(len(values), _record_dtype(dtype, fields))
            for number, field in enumerate(fields):
                column = [value[number] for value in values]
                part = records.dtype[field.name]
                inner, shape = part.subdtype or (part, ())
                flat = itertools.chain.from_iterable(column) if field.shape else column
                packed = pack(list(flat), field.type, inner)
                records[field.name] = packed.reshape((len(values), *shape))
            return records.view(dtype)
        case Vlen(base=base):
            metadata: Mapping[str, Any] = dtype.metadata or {}
            item = metadata["vlen"]
            return np.fromiter((pack(v, base, item) for v in values), dtype, len(values))
        case Atomic.CHAR:
            return np.array(list("".join(values).encode("latin-1")), "u1").view("S1")
        case Atomic.STRING if dtype.kind == "U":
            return np.array([value or "" for value in values], dtype)
        case Atomic.STRING:
            texts = [(value or "").encode("utf-8", "surrogateescape") for value in values]
            return np.array(texts, dtype)
        case Opaque():
            return np.array(list(b"".join(values)), "u1").view(dtype)
        case _:
            return np.array(values, dtype)
