"""A group of an open dataset as a data store of xarray, whose values are read lazily."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray
from xarray.backends import AbstractDataStore, BackendArray
from xarray.core import indexing

from ncz.api.attributes import typed_attributes
from ncz.api.group import Group
from ncz.api.variable import Variable
from ncz.api.xarray_encoding import encoding_of
from ncz.api.xarray_values import (
    BYTES,
    TEXT,
    are_bytes_of_any_length,
    elements_of,
    fill_of,
    is_complex,
    length_of_bytes,
    native_time_of,
    native_times,
)
from ncz.model.types import Atomic, Enumeration, readable_text


class LazyArray(BackendArray):  # type: ignore[misc]
    """The values of a variable, read when they are indexed; can be pickled."""

    __slots__ = ("dtype", "holds_bytes", "shape", "variable")

    def __init__(self, variable: Variable) -> None:
        self.variable = variable
        self.shape = variable.shape
        self.dtype = variable.dtype
        self.holds_bytes = False
        length = length_of_bytes(variable)
        if length is not None:
            self.dtype = np.dtype(f"S{length}")
        elif variable.record.type is Atomic.STRING:
            self.holds_bytes = are_bytes_of_any_length(variable)
            self.dtype = BYTES if self.holds_bytes else TEXT
        elif is_complex(variable):
            self.dtype = np.dtype(f"c{self.dtype.itemsize}")
        elif (time := native_time_of(variable)) is not None:
            self.dtype = time

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._read
        )

    async def async_getitem(self, key: indexing.ExplicitIndexer) -> Any:
        """Return selected values, which another thread reads; for ``Dataset.load_async``."""
        import asyncio

        return await asyncio.to_thread(self.__getitem__, key)

    def _read(self, key: tuple[Any, ...]) -> Any:
        values = self.variable.stored((*key, ...))  # an array, also for one element
        if self.dtype.kind == "S" and self.dtype != values.dtype:
            flat = [_as_bytes(text) for text in values.ravel()]
            return np.array(flat, self.dtype).reshape(values.shape)
        if self.dtype.kind == "O" and self.variable.record.type is Atomic.STRING:
            as_object: Callable[[str], object] = _as_bytes if self.holds_bytes else readable_text
            objects = [as_object(text) for text in values.ravel()]
            return np.array([*objects, None], "O")[:-1].reshape(values.shape)
        if self.dtype.kind in "mM":
            return native_times(self.variable, values)
        if self.dtype.kind == "c":  # a compound of two floats
            return np.ascontiguousarray(values).view(self.dtype).reshape(values.shape)
        return values


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class GroupStore(AbstractDataStore):  # type: ignore[misc]
    """The variables and attributes of one group.

    `close` is called when xarray closes the store.
    """

    __slots__ = ("_close", "_group")

    def __init__(self, group: Group, close: Callable[[], None] | None = None) -> None:
        self._group = group
        self._close = close

    def get_variables(self) -> dict[str, xarray.Variable]:
        """Return the variables, not yet decoded."""
        return {name: self._variable(v) for name, v in self._group.variables.items()}

    def _variable(self, variable: Variable) -> xarray.Variable:
        record = variable.record
        own = record.attributes
        if (
            native_time_of(variable) is not None
        ):  # without the attributes that mark numbers as times
            own = tuple(a for a in own if a.original is not None)
        attributes = typed_attributes(own)
        elements = elements_of(variable)
        if elements is not None and elements.time_dtype is not None:
            fill = fill_of(variable) if elements.fill_is_mask else None
            attributes |= {} if fill is None else {"_FillValue": fill}
        mask = attributes.get("_FillValue")
        # A mask of chars is bytes, which no string equals.
        is_other = record.type is Atomic.STRING and any(
            each.name == "_FillValue" and each.type is Atomic.CHAR for each in record.attributes
        )
        values = LazyArray(variable)
        if isinstance(mask, str) and values.holds_bytes:
            attributes["_FillValue"] = _as_bytes(mask)
        elif isinstance(mask, str) and (is_other or values.dtype.kind == "S"):
            attributes["_FillValue"] = np.bytes_(_as_bytes(mask))
        if values.dtype.kind == "c" and mask is not None:
            attributes["_FillValue"] = np.asarray(mask).view(values.dtype)[()]
        encoding = encoding_of(variable)
        # xarray raises for a mask of a type without masks, and decodes only bytes as text.
        nc_type = variable.record.type
        has_mask = isinstance(nc_type, Atomic | Enumeration) or values.dtype.kind == "c"
        if not has_mask and "_FillValue" in attributes:
            encoding["_FillValue"] = attributes.pop("_FillValue")
        if values.dtype.kind == "S" and "_Encoding" in attributes:
            encoding["dtype"] = np.dtype("S1")  # bytes, for any length of the text
        elif "_Encoding" in attributes:
            encoding["_Encoding"] = attributes.pop("_Encoding")
        data = indexing.LazilyIndexedArray(values)
        return xarray.Variable(variable.dims, data, attributes, encoding)

    def get_attrs(self) -> dict[str, Any]:
        """Return the attributes of the group."""
        return typed_attributes(self._group.group_record.attributes)

    def get_dimensions(self) -> dict[str, int]:
        """Return the lengths of the dimensions."""
        return self._group.dims

    def get_encoding(self) -> dict[str, Any]:
        """Return the path or URL of the dataset, and the names of its unlimited dimensions."""
        unlimited = {name for v in self._group.variables.values() for name in v.unlimited_dims}
        return {"source": self._group.filepath(), "unlimited_dims": unlimited}

    def close(self) -> None:
        """Close the dataset if it was opened for this store."""
        if self._close is not None:
            self._close()
