"""Names of variable members in zarr-python, netCDF4 and h5py, with the same meaning."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from ncz.api.callable_properties import Filters
from ncz.api.dimension import NamedDimension
from ncz.api.group_names import OF_BOTH, root_of
from ncz.api.growth import append, resize
from ncz.api.point_selection import blocks, masked_values, outer, points
from ncz.late import numpy as np
from ncz.model.filters import DEFLATE, FLETCHER32, SHUFFLE
from ncz.model.hdf5_filters import to_hdf5


def hdf5_filters(variable: Any) -> dict[int, tuple[int, ...]]:
    """Return the parameters of the filters that HDF5 has, by their numbers."""
    storage = variable.record.storage
    if storage.hdf5_filters is not None:
        return {each.id: tuple(each.parameters) for each in storage.hdf5_filters}
    found = (to_hdf5(codec) for codec in storage.filters or ())
    return {each.id: tuple(each.parameters) for each in found if each is not None}


_SETTINGS = (
    ("zlib", DEFLATE),
    ("szip", 4),
    ("zstd", 32015),
    ("bzip2", 307),
    ("blosc", 32001),
    ("shuffle", SHUFFLE),
    ("fletcher32", FLETCHER32),
)
"""The filters of HDF5, by their names in netCDF4's ``Variable.filters``."""


def _filters(variable: Any) -> Filters:
    known = hdf5_filters(variable)
    level = known.get(DEFLATE, (0,))
    result = Filters(variable.codecs)
    result.settings = {name: number in known for name, number in _SETTINGS}
    result.settings["complevel"] = level[0] if level else 0
    return result


_COMPRESSIONS = {
    DEFLATE: "gzip",
    4: "szip",
    32000: "lzf",
    307: "bzip2",
    32015: "zstd",
    32001: "blosc",
}
"""The compressors of HDF5 by their numbers, as h5py and netCDF4 name them."""


def _compression(variable: Any) -> str | None:
    known = hdf5_filters(variable)
    return next((name for number, name in _COMPRESSIONS.items() if number in known), None)


def _compression_opts(variable: Any) -> Any:
    known = hdf5_filters(variable)
    found = next((known[number] for number in _COMPRESSIONS if number in known), ())
    return (found[0] if len(found) == 1 else found) or None


def _chunks(variable: Any) -> list[int] | str:
    return "contiguous" if variable.chunks is None else [*variable.chunks]


def _chunk_counts(variable: Any) -> tuple[int, ...]:
    chunks = variable.shards or variable.chunks or variable.shape
    return tuple(-(-n // max(1, c)) for n, c in zip(variable.shape, chunks, strict=True))


def _slices(variable: Any) -> Iterator[tuple[slice, ...]]:
    """Yield the slices of each chunk, as h5py's ``iter_chunks`` does."""
    chunks = variable.chunks or variable.shape
    sides = [
        [slice(start, min(start + chunk, length), 1) for start in range(0, length, max(1, chunk))]
        for chunk, length in zip(chunks, variable.shape, strict=True)
    ]
    return itertools.product(*sides)


def _dimensions(variable: Any) -> tuple[NamedDimension, ...]:
    unlimited = variable.unlimited_dims
    return tuple(NamedDimension(n, size, n in unlimited) for n, size in variable.sizes.items())


def _metadata(variable: Any) -> SimpleNamespace:
    """Return the metadata of an array, with zarr-python's names."""
    return SimpleNamespace(
        shape=variable.shape,
        data_type=variable.dtype,
        dtype=variable.dtype,
        dimension_names=variable.dims,
        chunks=variable.chunks,
        shards=variable.shards,
        codecs=variable.codecs,
        fill_value=variable.fill_value,
        attributes=dict(variable.attrs),
    )


def _census(variable: Any) -> Any:
    """Return the number of stored chunks and their bytes."""
    from ncz.commands.variable_storage import describe, with_census
    from ncz.parallel.threads import ThreadPool

    variable._handle.check_open()
    info = describe(variable.path, variable.record, variable.shape)
    with ThreadPool(64 << 20, variable._handle.threads) as pool:
        return with_census(info, variable.record, pool)


def _read_direct(variable: Any, target: Any, source_sel: Any = ..., dest_sel: Any = ...) -> None:
    """Read values into an array, as h5py does."""
    target[... if dest_sel is None else dest_sel] = variable[
        ... if source_sel is None else source_sel
    ]


def _write_direct(variable: Any, source: Any, source_sel: Any = ..., dest_sel: Any = ...) -> None:
    values = np.asarray(source)[... if source_sel is None else source_sel]
    variable[... if dest_sel is None else dest_sel] = values


def _group(variable: Any) -> Any:
    path = variable.path.rpartition("/")[0]
    root = root_of(variable)
    return root[path] if path else root


OF_VARIABLES: Mapping[str, Callable[[Any], Any]] = {
    **OF_BOTH,
    "dimensions": lambda variable: variable.dims,
    "get_dims": lambda variable: lambda: _dimensions(variable),
    "group": lambda variable: lambda: _group(variable),
    "parent": _group,
    "chunking": lambda variable: lambda: _chunks(variable),
    "filters": _filters,
    "compressor": lambda variable: variable.codecs[-1] if variable.codecs else None,
    "compressors": lambda variable: variable.codecs,
    "compression": _compression,
    "compression_opts": _compression_opts,
    "shuffle": lambda variable: SHUFFLE in hdf5_filters(variable),
    "fletcher32": lambda variable: FLETCHER32 in hdf5_filters(variable),
    "is_virtual": lambda _: False,
    "order": lambda _: "C",
    "endian": lambda variable: lambda: variable.record.storage.endianness or "native",
    "datatype": lambda variable: variable.dtype,
    "fillvalue": lambda variable: variable.fill_value,
    "get_fill_value": lambda variable: lambda: variable.fill_value,
    "maxshape": lambda variable: tuple(
        None if name in variable.unlimited_dims else size for name, size in variable.sizes.items()
    ),
    "metadata": _metadata,
    "cdata_shape": _chunk_counts,
    "nchunks": lambda variable: int(np.prod(_chunk_counts(variable), dtype="i8")),
    "nchunks_initialized": lambda variable: _census(variable).chunks_present,
    "nbytes_stored": lambda variable: lambda: _census(variable).stored,
    "oindex": outer,
    "vindex": points,
    "blocks": blocks,
    "tolist": lambda variable: lambda: outer(variable)[...].tolist(),
    "get_basic_selection": lambda variable: lambda at=..., **_: outer(variable)[at],
    "get_orthogonal_selection": lambda variable: lambda at, **_: outer(variable)[at],
    "get_coordinate_selection": lambda variable: lambda found, **_: points(variable)[found],
    "get_mask_selection": lambda variable: lambda mask, **_: masked_values(variable, mask),
    "get_block_selection": lambda variable: lambda found, **_: blocks(variable)[found],
    "set_basic_selection": lambda variable: (
        lambda at, values, **_: variable.__setitem__(at, values)
    ),
    "set_orthogonal_selection": lambda variable: (
        lambda at, values, **_: variable.__setitem__(at, values)
    ),
    "set_coordinate_selection": lambda variable: (
        lambda at, values, **_: points(variable).__setitem__(at, values)
    ),
    "set_mask_selection": lambda variable: (
        lambda mask, values, **_: variable.__setitem__(np.asarray(mask, bool), values)
    ),
    "set_block_selection": lambda variable: (
        lambda at, values, **_: blocks(variable).__setitem__(at, values)
    ),
    "append": lambda variable: lambda values, axis=0: append(variable, values, axis),
    "resize": lambda variable: lambda *shape, axis=None: resize(variable, *shape, axis=axis),
    "getValue": lambda variable: lambda: outer(variable)[...],
    "assignValue": lambda variable: lambda values: variable.__setitem__(..., values),
    "read_direct": lambda variable: lambda *given: _read_direct(variable, *given),
    "write_direct": lambda variable: lambda *given: _write_direct(variable, *given),
    "iter_chunks": lambda variable: lambda *_: _slices(variable),
    "asstr": lambda variable: lambda *_, **__: variable,
    "len": lambda variable: lambda: len(variable),
}
"""Names of variables, and the function that returns their value."""
