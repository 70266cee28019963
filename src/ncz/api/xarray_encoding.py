"""The storage of a variable, as xarray's encodings describe it.

`to_netcdf` and `to_zarr` take the known parts of an encoding, so that a dataset that is read and
written again keeps its chunks, its data types and its deflate level.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np

from ncz.api.variable import Variable
from ncz.api.xarray_values import TEXT, elements_of, fill_of, length_of_bytes, native_time_of
from ncz.codec.catalogue import is_kind
from ncz.formats.native_elements import NativeElements
from ncz.model.filters import DEFLATE, FLETCHER32, SHUFFLE
from ncz.model.grid import IrregularGrid
from ncz.model.hdf5_filters import to_hdf5
from ncz.model.types import Atomic, Enumeration


def encoding_of(variable: Variable) -> dict[str, Any]:
    """Return the encoding of a variable: dtype, chunks, compression, shape and source."""
    encoding: dict[str, Any] = {
        "source": variable.filepath(),
        "original_shape": variable.shape,
        **_dtype(variable),
        **_chunks(variable),
        **_compression(variable),
    }
    if variable.codecs:
        encoding["codecs"] = variable.codecs
    elements = elements_of(variable)
    if elements is not None:
        encoding["shards"] = variable.shards
        if not elements.fill_is_mask:  # in Zarr V3, the mask is an attribute
            encoding["fill_value"] = fill_of(variable)
        encoding.update(_zarr_codecs(elements))
        is_text = variable.record.type is Atomic.STRING and elements.length_of_bytes is None
        if is_text and elements.item_size:
            encoding.pop("filters", None)  # without them, to_zarr adds the one that text needs
    return encoding


def _zarr_codecs(elements: NativeElements) -> dict[str, Any]:
    """Return the filters and compressors as the engine for Zarr names them, which needs zarr.

    They are left out if the store is of another version of Zarr than `to_zarr` writes by default,
    as xarray refuses the codecs of the other version.
    """
    zarr_format = 2 if elements.fill_is_mask else 3
    try:
        if zarr_format != _default_zarr_format():
            return {}
        if zarr_format == 2:
            import numcodecs

            documents = elements.codecs()
            codecs = [*map(numcodecs.get_codec, documents)]
            count = len(codecs) - (bool(codecs) and is_kind(documents[-1], "compressor"))
            return {"filters": (*codecs[:count],), "compressors": (*codecs[count:],)}
        from zarr.abc.codec import ArrayArrayCodec, BytesBytesCodec
        from zarr.registry import get_codec_class

        instances = [get_codec_class(one["name"]).from_dict(one) for one in elements.codecs()]
    except (ImportError, ValueError, KeyError):  # a codec of ncz that the others do not have
        return {}
    kinds = {"filters": ArrayArrayCodec, "compressors": BytesBytesCodec}
    return {
        name: tuple(c for c in instances if isinstance(c, kind)) for name, kind in kinds.items()
    }


def _default_zarr_format() -> int:
    """Return the version of Zarr that `to_zarr` writes; 3 before zarr-python is imported."""
    zarr = sys.modules.get("zarr")
    if zarr is None:
        return 3
    config = getattr(zarr, "config", None)  # missing in zarr-python 2
    return 2 if config is None else int(config.get("default_zarr_format", 3))


def _dtype(variable: Variable) -> dict[str, Any]:
    nc_type = variable.record.type
    if length_of_bytes(variable) is not None or native_time_of(variable) is not None:
        return {}
    if nc_type is Atomic.STRING and elements_of(variable) is not None:
        return {"dtype": TEXT}
    if nc_type is Atomic.STRING:  # as netCDF4: xarray reads all values to find their length
        return {"dtype": str}
    if isinstance(nc_type, Enumeration):
        metadata = {
            "enum": dict(nc_type.members),
            "enum_name": nc_type.name.rpartition("/")[2],
        }
        return {"dtype": np.dtype(variable.dtype, metadata=metadata)}
    return {"dtype": variable.dtype} if isinstance(nc_type, Atomic) else {}


def _chunks(variable: Variable) -> dict[str, Any]:
    """Return the chunks as xarray's engines for Zarr and for netCDF files name them.

    The encodings of a file are for other files only, so that `to_zarr` writes the chunks of Dask.
    """
    chunks: tuple[Any, ...] | None = variable.chunks
    grid = None if variable.record.data is None else variable.record.data.grid
    if isinstance(grid, IrregularGrid):
        lengths = tuple(
            tuple(b - a for a, b in itertools.pairwise(borders)) for borders in grid.borders
        )
        return {"preferred_chunks": dict(zip(variable.dims, lengths, strict=True))}
    if chunks is None:
        return {"contiguous": True} if variable.ndim else {}
    encoding: dict[str, Any] = {
        **({} if elements_of(variable) is None else {"chunks": chunks}),
        "chunksizes": chunks,
        "contiguous": False,
        "preferred_chunks": dict(zip(variable.dims, chunks, strict=True)),
    }
    if variable.shards is not None:
        encoding["shards"] = variable.shards
    return encoding


def _compression(variable: Variable) -> dict[str, Any]:
    """Return the filters of HDF5 as netCDF4 names them."""
    storage = variable.record.storage
    filters = storage.filters or ()
    by_number = {same.id: same for codec in filters if (same := to_hdf5(codec)) is not None}
    if storage.hdf5_filters is not None:
        by_number = {same.id: same for same in storage.hdf5_filters}
    deflate = by_number.get(DEFLATE)
    encoding: dict[str, Any] = {"shuffle": SHUFFLE in by_number}
    encoding["fletcher32"] = FLETCHER32 in by_number
    if _LZF in by_number:  # as h5netcdf names it; netCDF4 has no name for it
        return encoding | {"compression": "lzf", "compression_opts": None}
    encoding["zlib"] = deflate is not None
    encoding["complevel"] = deflate.parameters[0] if deflate is not None else 0
    if elements_of(variable) is not None:  # `to_netcdf` writes no others without plugins
        return encoding
    for number, name in _PLUGINS.items():
        hdf5_filter = by_number.get(number)
        encoding[name] = hdf5_filter is not None
        if hdf5_filter is not None and hdf5_filter.parameters:
            encoding["complevel"] = hdf5_filter.parameters[0]
    blosc, szip = by_number.get(_BLOSC), by_number.get(_SZIP)
    encoding["blosc"] = encoding["szip"] = False
    if blosc is not None and len(blosc.parameters) > _BLOSC_CODE:
        *_, encoding["complevel"], shuffle, code = blosc.parameters[: _BLOSC_CODE + 1]
        name = _BLOSC_NAMES[code] if code < len(_BLOSC_NAMES) else "blosc"
        encoding["blosc"] = {"compressor": name, "shuffle": shuffle}
    if szip is not None and len(szip.parameters) > 1:
        mask, pixels, *_ = szip.parameters
        coding = "nn" if mask & _NEAREST_NEIGHBOUR else "ec"
        encoding["szip"] = {"coding": coding, "pixels_per_block": pixels}
    return encoding


_PLUGINS = {307: "bzip2", 32015: "zstd"}
_SZIP, _LZF, _BLOSC = 4, 32000, 32001
_NEAREST_NEIGHBOUR = 32
"""The bit of szip's options for the nearest-neighbour coding."""
_BLOSC_CODE = 6
"""The position of the compressor in the parameters of Blosc, after the level and the shuffle."""
_BLOSC_NAMES = (
    "blosc_lz", "blosc_lz4", "blosc_lz4hc", "blosc_snappy", "blosc_zlib", "blosc_zstd",
)  # fmt: skip
