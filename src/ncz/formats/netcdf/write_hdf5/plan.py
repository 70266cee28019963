"""Plan how the variables of a dataset are stored in a netCDF-4 file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ncz.errors import Notice, Notify, list_names
from ncz.formats.netcdf.write_hdf5.array import Hdf5Array
from ncz.formats.netcdf.write_hdf5.filters import BUILT_IN, hdf5_codecs
from ncz.model.chunk.chunking import default_chunks
from ncz.model.chunk.layout import ChunkLayout, in_order
from ncz.model.data import PreferringSource
from ncz.model.fill import missing_fill
from ncz.model.filters import Filter, to_hdf5
from ncz.model.tree import (
    Dataset,
    Dimension,
    StorageClass,
    Variable,
    dimensions_by_fqn,
    variables_by_fqn,
)
from ncz.model.types import Atomic, NcType
from ncz.model.user_types.arrays import packed_layout
from ncz.model.user_types.sizes import fixed_size

_LARGEST_CHUNK = 2**32 - 1
"""Bytes of the largest chunk in HDF5."""

_LARGEST_COMPACT = 60_000
"""Bytes of the largest variable whose values are stored beside its metadata."""


def plan_arrays(dataset: Dataset, notify: Notify) -> tuple[Hdf5Array, ...]:
    """Plan how each variable of a dataset is stored.

    Notifies of filters that HDF5 reads with a plugin only.
    """
    dimensions = dimensions_by_fqn(dataset.root)
    arrays = tuple(
        _plan_array(fqn, variable, [dimensions[d] for d in variable.dimensions])
        for fqn, variable in variables_by_fqn(dataset.root)
    )
    _notify_of_plugins(arrays, notify)
    return arrays


def _plan_array(fqn: str, variable: Variable, dimensions: Sequence[Dimension]) -> Hdf5Array:
    storage = variable.storage
    shape = tuple(d.size for d in dimensions)
    codecs = _codecs(variable, variable.type) if dimensions else ()
    storage_class = _storage_class(variable, dimensions, codecs)
    chunks = tuple(max(1, n) for n in shape)
    if storage_class == "chunked":
        chunks = _chunks(variable, dimensions)
    order = ">" if storage.endianness == "big" else "<"
    return Hdf5Array(
        fqn=fqn,
        variable=variable,
        layout=ChunkLayout(shape=shape, chunks=chunks, order=in_order(len(shape)), codecs=codecs),
        type=variable.type,
        storage_class=storage_class,
        stored_dtype=_stored_dtype(variable.type, order),
        fill=missing_fill(variable),
    )


def _stored_dtype(nc_type: NcType, order: str) -> Any:
    """Return the dtype of elements; types other than numbers and enums are little-endian."""
    if not fixed_size(nc_type):
        return "O"
    return packed_layout(nc_type, order if isinstance(nc_type, Atomic) else "<")


def _codecs(variable: Variable, nc_type: NcType) -> tuple[Filter, ...]:
    """Return the codecs; values of variable size have none: their bytes are not in the chunks."""
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
    asked = variable.storage.storage_class
    if asked == "compact" and math.prod(d.size for d in dimensions) * 8 <= _LARGEST_COMPACT:
        return "compact"
    if any(d.unlimited for d in dimensions):
        return "chunked"
    if asked == "chunked" or (asked is None and variable.storage.chunks is not None):
        return "chunked"
    return "contiguous"


def _chunks(variable: Variable, dimensions: Sequence[Dimension]) -> tuple[int, ...]:
    """Return the chunk shape: as asked within the dimensions, or netcdf-c's default.

    A chunk of HDF5 is not longer than a dimension of fixed length.
    """
    size = fixed_size(variable.type)
    default = default_chunks(dimensions, size)
    source = variable.data
    asked = variable.storage.chunks or ()
    if not asked and isinstance(source, PreferringSource):
        asked = source.preferred_chunks()
    if len(asked) != len(dimensions):
        asked = default
    fitted = tuple(
        (n or d) if dimension.unlimited or not dimension.size else min(n or d, dimension.size)
        for n, d, dimension in zip(asked, default, dimensions, strict=True)
    )
    return fitted if math.prod(fitted) * max(8, size) <= _LARGEST_CHUNK else default


def _notify_of_plugins(arrays: Sequence[Hdf5Array], notify: Notify) -> None:
    names: dict[str, list[str]] = {}
    for array in arrays:
        for codec in array.layout.codecs:
            hdf5 = to_hdf5(codec)
            if hdf5 is not None and hdf5.id not in BUILT_IN:
                names.setdefault(codec.id, []).append(array.fqn)
    for codec_id, fqns in names.items():
        notify(
            Notice(
                "filter-plugin",
                f"readers need an HDF5 plugin for the filter {codec_id}: {list_names(fqns)}",
                hint="use -d 4 for a filter that every reader has",
            )
        )
