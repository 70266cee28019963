"""Plan the storage of the variables of a dataset in a netCDF-4 file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ncz.codec import chain
from ncz.errors import Notice, Notify, list_names
from ncz.formats.hdf5.codecs import hdf5_codecs
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.data import Values, fill_array
from ncz.model.default_chunks import default_chunks
from ncz.model.filters import BUILT_IN, Filter
from ncz.model.grid import Index
from ncz.model.hdf5_filters import to_hdf5
from ncz.model.tree import (
    Dataset,
    Dimension,
    StorageClass,
    Variable,
    dimensions_by_fqn,
    missing_fill,
    variables_by_fqn,
)
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Compound, NcType, Value, zero_value
from ncz.model.user_types import numpy_dtype, pack, packed_layout
from ncz.record import record


@record(kw_only=True)
class Hdf5Array:
    """The plan of one variable; the `ncz.model.encoded_arrays.EncodedTarget` of an HDF5 file.

    `fill` is the fill value of the HDF5 dataset; None leaves it undefined.
    """

    fqn: str
    variable: Variable
    layout: ChunkLayout
    type: NcType
    storage_class: StorageClass
    stored_dtype: Any
    """The dtype of elements: "O" for strings and for other values of variable size."""
    fill: Value

    @property
    def item_size(self) -> int:
        """Bytes of an element; 0 for strings and for other values of variable size."""
        return fixed_size(self.type)

    @property
    def fills_missing(self) -> bool:
        """Whether missing values are written, because HDF5 does not give their fill value.

        It gives no value of variable size from a file that is open for reading only, so that
        netCDF-C fails; and h5py passes chars in structures to it as none.
        """
        if self.fill is None or (isinstance(self.type, Atomic) and self.type is not Atomic.STRING):
            return False
        if self.type is Atomic.STRING:
            return True
        is_known = self.item_size and not _has_chars(self.type)
        return not is_known and self.fill != zero_value(self.type)

    @property
    def encoded_target(self) -> Hdf5Array | None:
        """The array itself if its HDF5 dataset has chunks, of elements of one size."""
        return self if self.storage_class == "chunked" and self.item_size else None

    def chunk_key(self, index: Index) -> str:
        """Return a name for a chunk; HDF5 does not name chunks."""
        return f"{self.fqn.lstrip('/')}/{'.'.join(map(str, index)) or '0'}"

    def chunk_keys(self, indices: Sequence[Index]) -> list[str]:
        """Return names of chunks."""
        return [self.chunk_key(index) for index in indices]

    def fill_element(self) -> Values:
        """Return the fill value as one element; zero bytes if it is undefined."""
        return self.to_elements(fill_array((), self.type, self.fill))

    def to_elements(self, values: Values) -> Values:
        """Convert values to elements in the byte order of the file."""
        if isinstance(self.type, Atomic):
            return values.astype(self.stored_dtype, copy=False)
        dtype = numpy_dtype(self.stored_dtype)
        return pack(values.reshape(-1).tolist(), self.type, dtype).reshape(values.shape)

    def encode(self, elements: Values, location: str) -> bytes:
        """Apply the HDF5 filters to the elements of a chunk."""
        return chain.encode(
            [codec.to_json() for codec in self.layout.codecs],
            elements,
            item_size=self.item_size,
            location=location,
        )


def _has_chars(nc_type: NcType) -> bool:
    """Return whether values of a type of fixed size have chars."""
    if isinstance(nc_type, Compound):
        return any(_has_chars(part.type) for part in nc_type.fields)
    return nc_type is Atomic.CHAR


_LARGEST_CHUNK = 2**32 - 1
"""Bytes of the largest chunk in HDF5."""

_LARGEST_COMPACT = 60_000
"""Bytes of the largest variable whose values are stored next to its metadata."""


def plan_arrays(dataset: Dataset) -> tuple[Hdf5Array, ...]:
    """Plan the storage of each variable of a dataset."""
    dimensions = dimensions_by_fqn(dataset.root)
    return tuple(
        _plan_array(fqn, variable, [dimensions[d] for d in variable.dimensions])
        for fqn, variable in variables_by_fqn(dataset.root)
    )


def _plan_array(fqn: str, variable: Variable, dimensions: Sequence[Dimension]) -> Hdf5Array:
    storage = variable.storage
    shape = tuple(d.size for d in dimensions)
    codecs = _codecs(variable, variable.type) if dimensions else ()
    storage_class = _storage_class(variable, dimensions, codecs)
    chunks = tuple(max(1, n) for n in shape)
    if storage_class == "chunked":
        chunks = _chunks(variable, dimensions)
    order = ">" if storage.endianness == "big" and isinstance(variable.type, Atomic) else "<"
    return Hdf5Array(
        fqn=fqn,
        variable=variable,
        layout=ChunkLayout(shape=shape, chunks=chunks, order=in_order(len(shape)), codecs=codecs),
        type=variable.type,
        storage_class=storage_class,
        # Types other than numbers are little-endian.
        stored_dtype=packed_layout(variable.type, order) if fixed_size(variable.type) else "O",
        fill=missing_fill(variable),
    )


def _codecs(variable: Variable, nc_type: NcType) -> tuple[Filter, ...]:
    """Return the codecs; empty for values of variable size, whose bytes are not in the chunks."""
    size = fixed_size(nc_type)
    return hdf5_codecs(variable.storage.filters or (), size) if size else ()


def _storage_class(
    variable: Variable, dimensions: Sequence[Dimension], codecs: Sequence[Filter]
) -> StorageClass:
    """Return the storage class: as asked, unless dimensions or filters need chunks.

    As in netcdf-c, a variable without any of these is contiguous.
    """
    if not dimensions:
        return "contiguous"
    has_values = all(d.size or d.unlimited for d in dimensions)
    if has_values and (codecs or any(d.unlimited for d in dimensions)):
        return "chunked"
    if not has_values and not any(d.unlimited for d in dimensions):
        return "contiguous"
    requested = variable.storage.storage_class
    if requested == "compact" and math.prod(d.size for d in dimensions) * 8 <= _LARGEST_COMPACT:
        return "compact"
    if any(d.unlimited for d in dimensions):
        return "chunked"
    if requested == "chunked" or (requested is None and variable.storage.chunks is not None):
        return "chunked"
    return "contiguous"


def _chunks(variable: Variable, dimensions: Sequence[Dimension]) -> tuple[int, ...]:
    """Return the chunk shape: as asked within the dimensions, or netcdf-c's default.

    A chunk of HDF5 is not longer than a dimension of fixed length.
    """
    size = fixed_size(variable.type)
    default = default_chunks(dimensions, size)
    source = variable.data
    requested = variable.storage.chunks or ()
    if not requested and source is not None:
        requested = source.preferred_chunks() or ()
    if len(requested) != len(dimensions):
        requested = default
    fitted = tuple(
        (n or d) if dimension.unlimited or not dimension.size else min(n or d, dimension.size)
        for n, d, dimension in zip(requested, default, dimensions, strict=True)
    )
    return fitted if math.prod(fitted) * max(8, size) <= _LARGEST_CHUNK else default


def notify_of_plugins(arrays: Sequence[Hdf5Array], notify: Notify) -> None:
    """Report filters that HDF5 reads with a plugin only."""
    names: dict[str, list[str]] = {}
    for array in arrays:
        for codec in array.layout.codecs:
            hdf5 = to_hdf5(codec)
            if hdf5 is not None and hdf5.id not in BUILT_IN:
                names.setdefault(codec.id, []).append(array.fqn)
    for name, fqns in names.items():
        message = f"readers need an HDF5 plugin for the filter {name}: {list_names(fqns)}"
        hint = "use -d 4 for a filter that every reader has"
        notify(Notice("filter-plugin", message, hint=hint))
