"""A group of an open dataset as a data store of xarray, whose values are read lazily."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray
from xarray.backends import AbstractDataStore, BackendArray
from xarray.core import indexing

from ncz.api.dataset.attributes import typed_attributes
from ncz.api.xarray.encoding import encoding_of
from ncz.formats.zarr.element.user_types import is_complex_type
from ncz.model.types import Atomic, Enumeration

if TYPE_CHECKING:
    from ncz.api.dataset.group import Group
    from ncz.api.dataset.variable import Variable


class LazyArray(BackendArray):  # type: ignore[misc]
    """The values of a variable, read when they are indexed; can be pickled."""

    __slots__ = ("dtype", "shape", "variable")

    def __init__(self, variable: Variable, *, is_zarr: bool) -> None:
        self.variable = variable
        self.shape = variable.shape
        self.dtype = variable.dtype
        if is_single_byte(variable):
            self.dtype = np.dtype("S1")
        elif variable.record.type is Atomic.STRING:
            self.dtype = np.dtype("O", metadata={"element_type": str})
        elif is_zarr and is_complex_type(variable.record.type):
            self.dtype = np.dtype(f"c{self.dtype.itemsize}")

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._read
        )

    def _read(self, key: tuple[Any, ...]) -> Any:
        values = self.variable[(*key, ...)]  # an array, also for one element
        if self.dtype == "S1" != values.dtype:
            flat = [text.encode("utf-8", "surrogateescape") for text in values.ravel()]
            return np.array(flat, "S1").reshape(values.shape)
        if self.dtype.kind == "c":  # a compound of two floats
            return np.ascontiguousarray(values).view(self.dtype).reshape(values.shape)
        return values


def is_single_byte(variable: Variable) -> bool:
    """Return whether elements are stored as single bytes: char, or ``|S1`` in pure Zarr.

    xarray joins them to strings along a dimension of characters, as its own engines let it do.
    """
    stored = getattr(variable.record.data, "stored_dtype", None)
    is_text = variable.record.type in (Atomic.CHAR, Atomic.STRING)
    return variable.record.type is Atomic.CHAR or (is_text and stored == "S1")


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
        attributes = typed_attributes(variable.record.attributes)
        mask = attributes.get("_FillValue")
        if is_single_byte(variable) and isinstance(mask, str):
            attributes["_FillValue"] = np.bytes_(mask.encode("utf-8", "surrogateescape"))
        is_zarr = self._group.dataset_record.provenance.zarr_format is not None
        values = LazyArray(variable, is_zarr=is_zarr)
        if values.dtype.kind == "c" and mask is not None:
            attributes["_FillValue"] = np.asarray(mask).view(values.dtype)[()]
        encoding = encoding_of(variable)
        # xarray raises for a mask of a type without masks, and decodes nothing but bytes as text.
        nc_type = variable.record.type
        has_mask = isinstance(nc_type, Atomic | Enumeration) or values.dtype.kind == "c"
        if not has_mask and "_FillValue" in attributes:
            encoding["_FillValue"] = attributes.pop("_FillValue")
        if values.dtype != "S1" and "_Encoding" in attributes:
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
        """Return where the dataset is, and which of its dimensions are unlimited."""
        used = {name for v in self._group.variables.values() for name in v.unlimited_dims}
        return {"source": self._group.source, "unlimited_dims": used}

    def close(self) -> None:
        """Close the dataset if it was opened for this store."""
        if self._close is not None:
            self._close()


def to_xarray(group: Group, **options: Any) -> xarray.Dataset:
    """Return the variables of an open group as an `xarray.Dataset`; see `Group.to_xarray`."""
    found: xarray.Dataset = xarray.open_dataset(GroupStore(group), **options)
    return found
