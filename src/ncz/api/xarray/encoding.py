"""How a variable is stored, as xarray's encodings describe it.

`to_netcdf` and `to_zarr` take from an encoding what they know, so that a dataset that is read and
written again keeps its chunks, its data types and its deflate level.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from ncz.model.filters import DEFLATE, FLETCHER32, SHUFFLE, to_hdf5
from ncz.model.grid import IrregularGrid
from ncz.model.types import Atomic, Enumeration

if TYPE_CHECKING:
    from ncz.api.dataset.variable import Variable


def encoding_of(variable: Variable) -> dict[str, Any]:
    """Return the encoding of a variable: dtype, chunks, compression, shape and source."""
    encoding: dict[str, Any] = {
        "source": variable.source,
        "original_shape": variable.shape,
        **_dtype(variable),
        **_chunks(variable),
        **_compression(variable),
    }
    if variable.codecs:
        encoding["codecs"] = variable.codecs
    return encoding


def _dtype(variable: Variable) -> dict[str, Any]:
    import numpy as np

    nc_type = variable.record.type
    if nc_type is Atomic.STRING:
        return {"dtype": str}
    if isinstance(nc_type, Enumeration):
        metadata = {
            "enum": dict(nc_type.members),
            "enum_name": nc_type.name.rpartition("/")[2],
        }
        return {"dtype": np.dtype(variable.dtype, metadata=metadata)}
    return {"dtype": variable.dtype} if isinstance(nc_type, Atomic) else {}


def _chunks(variable: Variable) -> dict[str, Any]:
    """Return the chunks as xarray's engines for Zarr and for netCDF files name them."""
    chunks: tuple[Any, ...] | None = variable.chunks
    grid = None if variable.record.data is None else variable.record.data.grid
    if isinstance(grid, IrregularGrid):
        lengths = tuple(
            tuple(b - a for a, b in itertools.pairwise(borders)) for borders in grid.borders
        )
        return {"preferred_chunks": dict(zip(variable.dims, lengths, strict=True))}
    if chunks is None:
        return {"contiguous": True} if variable.ndim else {}
    found: dict[str, Any] = {
        "chunks": chunks,
        "chunksizes": chunks,
        "contiguous": False,
        "preferred_chunks": dict(zip(variable.dims, chunks, strict=True)),
    }
    if variable.shards is not None:
        found["shards"] = variable.shards
    return found


def _compression(variable: Variable) -> dict[str, Any]:
    """Return the filters that every netCDF-4 library has."""
    filters = variable.record.storage.filters or ()
    by_number = {same.id: same for codec in filters if (same := to_hdf5(codec)) is not None}
    deflate = by_number.get(DEFLATE)
    found: dict[str, Any] = {"zlib": deflate is not None}
    found["complevel"] = deflate.parameters[0] if deflate is not None else 0
    found["shuffle"] = SHUFFLE in by_number
    found["fletcher32"] = FLETCHER32 in by_number
    return found
