"""Filters that only the HDF5 library has: chunks are decoded in a file in memory.

HDF5 finds plug-ins in the folders of the environment variable ``HDF5_PLUGIN_PATH``; the package
hdf5plugin brings many.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import math
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import CodecError, CodecMissing
from ncz.formats.hdf5.chunks import ChunkBytes, ChunkIndex, OpenFile
from ncz.formats.hdf5.errors import DAMAGED
from ncz.formats.hdf5.metadata.few_chunks import StoredChunk
from ncz.formats.hdf5.metadata.storage import PipelineFilter
from ncz.late import numpy as np
from ncz.model.filters import Hdf5Filter
from ncz.model.grid import ChunkGrid, Index
from ncz.model.user_types import numpy_dtype
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values

_BUILT_IN = frozenset({*range(1, 7), 32_000})
"""The numbers of the filters of HDF5 itself, deflate to scale-offset, and of h5py's lzf."""

_BY_TYPE = frozenset({4, 5, 6})
"""The numbers of filters that need to know the datatype: szip, n-bit, scale-offset."""

_HINT = "set HDF5_PLUGIN_PATH to the folder of the plugin"

_MOST_GROWTH = 1 << 16
"""Bytes that a filter may add to a chunk, besides its size twice."""


def has_filter(number: int) -> bool:
    """Return whether HDF5 has a filter, after adding hdf5plugin's if it is installed."""
    from h5py import h5z

    if number not in _BUILT_IN:
        _prefer_hdf5plugin(number)
    return bool(h5z.filter_avail(number))


_preferred: set[int] = set()
"""The numbers of filters that need not be replaced, or are."""


def _prefer_hdf5plugin(number: int) -> None:
    """Replace the filter of a plugin that the environment names by hdf5plugin's.

    Importing netCDF4 sets ``HDF5_PLUGIN_PATH`` to its own plugins. They belong to its copy of HDF5,
    and some of them fail in the library of h5py. Importing hdf5plugin replaces no filter that HDF5
    finds. HDF5 replaces no filter that an open dataset uses, so that this is tried again at the
    next call.
    """
    if number in _preferred:
        return
    with contextlib.suppress(ImportError):
        import hdf5plugin

        name = next((name for name, n in hdf5plugin.FILTERS.items() if n == number), "")
        if hdf5plugin.get_config().registered_filters.get(name) != "unknown" or _register(name):
            _preferred.add(number)


def _register(name: str) -> bool:
    """Register a filter of hdf5plugin; return whether no open dataset prevents it."""
    import hdf5plugin

    for _ in range(2):
        try:
            return bool(hdf5plugin.register(name))
        except RuntimeError:  # a dataset that uses the old filter is open, or is garbage
            gc.collect()
    return False


@record(kw_only=True)
class LibraryChunks:
    """The elements of the chunks of a dataset with a filter that has no Zarr codec.

    `datatype` is the encoded datatype of the dataset, `inner` the number of axes within its
    elements, `dtype` the numpy dtype of items, and `where` names the dataset in messages.
    """

    file: OpenFile
    index: ChunkIndex
    grid: ChunkGrid
    filters: tuple[PipelineFilter, ...]
    datatype: bytes
    inner: int
    item_size: int
    dtype: Any
    where: str

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks that are within the array."""
        return self.index.present()

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return all elements of chunks; None for each that is not stored."""
        return [self._elements(index) for index in indices]

    def _elements(self, index: Index) -> Values | None:
        stored = self.index.find(index)
        if stored is None:
            return None
        size = math.prod(self.grid.chunks) * self.item_size
        source = ChunkBytes(self.file, self.index, 2 * size + _MOST_GROWTH, self.where)
        data = source.read(stored, index)
        decoded = self._decode(data, stored, size, source.locate(index))
        return np.frombuffer(decoded, numpy_dtype(self.dtype)).reshape(self.grid.chunks)

    def _decode(self, data: bytes, stored: StoredChunk, size: int, location: str) -> bytes:
        """Return the decoded bytes of a chunk."""
        used = [f for number, f in enumerate(self.filters) if not stored.skipped >> number & 1]
        if not used:
            if len(data) != size:
                raise CodecError(f"it has {len(data)} bytes, and needs {size}", location, DAMAGED)
            return data
        _require(used, self.where)
        from ncz.codec.hdf5_library import LibraryFilter, decode_by_hdf5

        outer = len(self.grid.chunks) - self.inner
        item_size = self.item_size * math.prod(self.grid.chunks[outer:])
        is_typed = any(each.number in _BY_TYPE for each in self.filters)
        with _library_errors(used, location):
            return decode_by_hdf5(
                data,
                [LibraryFilter(each.number, each.parameters) for each in self.filters],
                mask=stored.skipped,
                datatype=self.datatype if is_typed else opaque_message(item_size),
                chunks=self.grid.chunks[:outer],
                item_size=item_size,
            )


def opaque_message(size: int) -> bytes:
    """Return the datatype of elements that are only bytes."""
    return struct.pack("<BBBBI", 0x15, 8, 0, 0, size) + bytes(8)


def _require(filters: list[PipelineFilter], location: str) -> None:
    """Raise `CodecMissing` if HDF5 lacks a filter, or h5py is not installed."""
    names = [Hdf5Filter(each.number, each.parameters).description for each in filters]
    if importlib.util.find_spec("h5py") is None:
        what = f"HDF5 filter {names[0]} needs h5py, which is not installed"
        raise CodecMissing(what, location, "pip install h5py")
    for used, name in zip(filters, names, strict=True):
        if not has_filter(used.number):
            has_plugins = importlib.util.find_spec("hdf5plugin") is not None
            hint = _HINT if has_plugins else f"pip install hdf5plugin, or {_HINT}"
            raise CodecMissing(f"HDF5 filter {name} is not available", location, hint)


@contextlib.contextmanager
def _library_errors(filters: list[PipelineFilter], location: str) -> Iterator[None]:
    """Turn the errors of h5py into `CodecError`."""
    try:
        yield
    except (OSError, RuntimeError, ValueError, TypeError, KeyError, OverflowError) as error:
        names = ", ".join(Hdf5Filter(f.number, f.parameters).description for f in filters)
        reason = str(error.args[0] if error.args else error)
        raise CodecError(
            f"the chunk cannot be decoded by HDF5 filters {names}: {reason}", location, DAMAGED
        ) from error
