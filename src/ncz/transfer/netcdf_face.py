"""A dataset as a netCDF-4 file that is never written: only its skeleton exists.

The skeleton is the file without chunks, and has an index of them: the place and the size of each
chunk are known before it is read. A chunk that the source stores as HDF5 does is passed on
unchanged, and one of gzip becomes one of zlib. Any other is decoded when it is requested, and has
no filters, so that its size is the size of its elements.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
import threading
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import BinaryIO

import numpy as np

from ncz.errors import Notify
from ncz.formats.chunks import (
    check_chunk_size,
    encoded_box,
    pad,
    padding_of,
    values_to_write,
    write_boxes,
    write_chunks,
)
from ncz.formats.hdf5.plan import Hdf5Array, notify_of_plugins
from ncz.formats.hdf5.skeleton import (
    IndexedChunks,
    addresses_of,
    index_size,
    print_index,
    row_major,
    set_end,
    set_index,
)
from ncz.formats.hdf5.write import create_hdf5
from ncz.formats.netcdf.file_plan import FilePlan, plan_file
from ncz.formats.write_plan import refuse_losses_of
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.data import ChunkSource
from ncz.model.default_chunks import default_chunks
from ncz.model.encoded_arrays import EncodedSource, lists_present
from ncz.model.filters import BUILT_IN
from ncz.model.grid import ChunkGrid, Index
from ncz.model.hdf5_filters import to_hdf5
from ncz.model.tree import Dataset, Dimension, dimensions_by_fqn
from ncz.record import record, replace
from ncz.system_errors import changed_object_error
from ncz.transfer.chunk_cache import Budget, ChunkCache
from ncz.transfer.move import transfer_for
from ncz.transfer.wrapped_chunks import WrappedChunks

_LARGEST = 16 << 20
"""Bytes of the largest chunk that is decoded; longer ones of the source are divided."""

_DECODED = 4
"""The memory for decoding a chunk, as a multiple of its size."""

_KEPT = 32 << 20
"""Bytes of decoded chunks that are kept for the next requests of their parts."""

_ALIGNED = 8


@record(kw_only=True)
class _VirtualArray:
    """A variable whose chunks are beyond the skeleton.

    `raw` has the chunks that are passed on; None if all are decoded. With `wrapped`, they get
    another wrapper. `values` are the decoded ones.
    """

    array: Hdf5Array
    raw: EncodedSource | None
    values: ChunkSource | None
    wrapped: WrappedChunks | None = None

    @property
    def filters(self) -> int:
        """The bits of all filters."""
        return (1 << len(self.array.layout.codecs)) - 1

    @property
    def plain_size(self) -> int:
        """The bytes of a chunk without filters."""
        return self.array.layout.chunk_size * self.array.item_size


@record(kw_only=True)
class _PlacedArray:
    """A virtual array, with the places of its chunks in the file."""

    virtual: _VirtualArray
    chunks: IndexedChunks


class NetcdfFace:
    """The file, which can be read in ranges by many threads.

    Attributes
    ----------
    size
        Its bytes.
    version
        A text that is the same just if the bytes of the file are.
    """

    def __init__(
        self,
        skeleton: BinaryIO,
        skeleton_size: int,
        arrays: Sequence[_PlacedArray],
        size: int,
        version: str,
        url: str,
        memory: int,
    ) -> None:
        self.size, self.version = size, version
        self._url = url
        self._skeleton, self._skeleton_size = skeleton, skeleton_size
        self._lock = threading.Lock()
        self._arrays = arrays
        self._firsts = [int(placed.chunks.offsets[0]) for placed in arrays]
        self._budget = Budget(memory)
        self._kept = ChunkCache(_KEPT)

    def read(self, start: int, count: int) -> bytes:
        """Return bytes from an offset; fewer at the end of the file.

        Raises
        ------
        NczError
            If a chunk cannot be read, or has changed.
        """
        end = min(start + count, self.size)
        parts = []
        while start < end:
            data = self._piece(start, end - start)
            parts.append(data)
            start += len(data)
        return b"".join(parts)

    def _piece(self, start: int, count: int) -> bytes:
        """Return one or more bytes from an offset: of the skeleton, or of one chunk."""
        number = bisect_right(self._firsts, start) - 1
        if number < 0:
            end = self._firsts[0] if self._firsts else self.size
            return self._of_skeleton(start, min(count, end - start))
        placed = self._arrays[number]
        chunks = placed.chunks
        place = int(np.searchsorted(chunks.offsets, start, "right")) - 1
        size, skip = int(chunks.sizes[place]), start - int(chunks.offsets[place])
        if skip >= size:  # between two arrays
            end = self._firsts[number + 1] if number + 1 < len(self._firsts) else self.size
            return bytes(min(count, end - start))
        index = tuple(chunks.indices[place].tolist())
        is_raw = placed.virtual.raw is not None and not chunks.skipped[place]
        return self._of_chunk(placed.virtual, index, size, is_raw, skip, min(count, size - skip))

    def _of_skeleton(self, start: int, count: int) -> bytes:
        with self._lock:
            self._skeleton.seek(start)
            data = self._skeleton.read(count)
        return data + bytes(count - len(data))

    def _of_chunk(
        self, virtual: _VirtualArray, index: Index, size: int, is_raw: bool, skip: int, count: int
    ) -> bytes:
        """Return a part of a chunk."""
        wrapped = virtual.wrapped
        if is_raw and wrapped is None:
            source = virtual.raw
            assert source is not None
            with self._budget.spend(size):
                if count == size:
                    data = source.encoded_chunk(index)
                else:
                    data = source.encoded_part(index, skip, count)
            if data is None or len(data) != count:
                raise changed_object_error(source.locate(index))
            return data

        def make() -> bytes:
            with self._budget.spend(_DECODED * virtual.plain_size):
                if is_raw and wrapped is not None:
                    return wrapped.wrapped_chunk(index, size)
                return _plain_chunk(virtual, index, self._url)

        whole = self._kept.get((virtual.array.fqn, index), make)
        if whole is None or len(whole) != size:
            raise changed_object_error(f"{self._url}: {virtual.array.fqn}")
        return whole[skip : skip + count]

    def close(self) -> None:
        """Forget the chunks that are kept."""
        self._kept.clear()


def _plain_chunk(virtual: _VirtualArray, index: Index, url: str) -> bytes:
    """Return the elements of a chunk as bytes, without filters."""
    array = virtual.array
    plain = replace(array, layout=replace(array.layout, codecs=()))
    data = None
    if virtual.values is not None:
        data = encoded_box(virtual.values, plain, index, lambda key: f"{url}: {key}")
    if data is None:  # nothing is stored there, but the index has promised it
        shape = array.layout.grid.box(index).shape
        filled = np.broadcast_to(array.fill_element(), shape)
        data = plain.encode(pad(filled, array.layout.chunks, padding_of(plain)), url)
    return data


@contextlib.contextmanager
def netcdf_face(
    dataset: Dataset,
    notify: Notify,
    *,
    allow_loss: bool,
    memory: int,
    filters: Collection[int] = BUILT_IN,
) -> Iterator[NetcdfFace]:
    """Make the skeleton of a dataset, which is a temporary file until the context ends.

    Parameters
    ----------
    dataset
        The dataset, which must stay open.
    notify
        Receives notices.
    allow_loss
        Whether losses are permitted.
    memory
        Bytes that all chunks in the making take together. A larger one is made alone.
    filters
        The numbers of the HDF5 filters of chunks that are passed on.

    Raises
    ------
    LossError
        If a netCDF file cannot represent the dataset.
    NczError
        If values cannot be read that the skeleton has.
    """
    plan = plan_file(dataset, notify)
    refuse_losses_of("a netCDF file", plan.losses, dataset, notify, allowed=allow_loss, use="serve")
    folder = tempfile.mkdtemp(prefix="ncz-")
    try:
        path = os.path.join(folder, "skeleton.nc")
        dimensions = dimensions_by_fqn(plan.dataset.root)
        virtual = [_virtual(array, dimensions, filters) for array in plan.arrays]
        notify_of_plugins([each.array for each in virtual if each is not None], notify)
        _write(path, plan, virtual)
        with open(path, "r+b") as file:
            face = _index_chunks(file, path, plan, [v for v in virtual if v is not None], memory)
            with contextlib.closing(face):
                yield face
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _virtual(
    array: Hdf5Array, dimensions: Mapping[str, Dimension], filters: Collection[int]
) -> _VirtualArray | None:
    """Return the way to serve the chunks of a variable; None if its values are in the skeleton.

    Those are scalars and values of variable size.
    """
    source, shape = array.variable.data, array.layout.shape
    is_empty = source is None and not array.fills_missing
    if not array.item_size or not math.prod(shape) or not shape or is_empty:
        return None
    chunked = replace(array, storage_class="chunked")
    if isinstance(source, EncodedSource) and _is_alike(source, chunked, filters):
        transfer = transfer_for(source, chunked)
        if transfer.way == "raw":
            return _VirtualArray(array=chunked, raw=source, values=source)
        if transfer.is_rewrapped:
            wrapped = WrappedChunks(transfer)
            return _VirtualArray(array=chunked, raw=source, values=source, wrapped=wrapped)
    lengths = [dimensions[fqn] for fqn in array.variable.dimensions]
    layout = ChunkLayout(
        shape=shape, chunks=_plain_chunks(array, lengths), order=in_order(len(shape))
    )
    plain = replace(chunked, layout=layout)
    check_chunk_size(plain)
    return _VirtualArray(array=plain, raw=None, values=values_to_write(plain))


def _is_alike(source: EncodedSource, array: Hdf5Array, filters: Collection[int]) -> bool:
    """Return whether each chunk of a source is one of an HDF5 file with only these filters."""
    needed = [to_hdf5(codec) for codec in array.layout.codecs]
    return (
        source.layout.shape == array.layout.shape
        and source.layout.lengths is None
        and source.stores_all
        and not array.fills_missing
        and all(each is not None and each.id in filters for each in needed)
    )


def _plain_chunks(array: Hdf5Array, dimensions: Sequence[Dimension]) -> tuple[int, ...]:
    """Return the shape of chunks that are decoded: the source's, unless it is too large."""
    source = array.variable.data
    chunks = array.layout.chunks
    if source is not None and isinstance(source.grid, ChunkGrid):
        chunks = source.grid.chunks
    pairs = zip(chunks, dimensions, strict=True)
    fitted = tuple(n if d.unlimited else max(1, min(n, d.size)) for n, d in pairs)
    if math.prod(fitted) * array.item_size <= _LARGEST:
        return fitted
    return default_chunks(dimensions, array.item_size, _LARGEST)


def _write(path: str, plan: FilePlan, virtual: Sequence[_VirtualArray | None]) -> None:
    """Write the file without the chunks of virtual arrays."""
    arrays = [
        array if each is None else each.array
        for array, each in zip(plan.arrays, virtual, strict=True)
    ]
    url = plan.dataset.name
    with create_hdf5(path, plan.dataset, arrays, url, strict=False) as stores:
        for array, each in zip(arrays, virtual, strict=True):
            source = values_to_write(array) if each is None else None
            if source is None:
                continue
            if array.encoded_target is not None:
                write_chunks(stores[array.fqn], source, array.encoded_target)
            else:
                write_boxes(stores[array.fqn], source, array.layout.shape)


def _index_chunks(
    file: BinaryIO, path: str, plan: FilePlan, virtual: Sequence[_VirtualArray], memory: int
) -> NetcdfFace:
    """Add the indexes of chunks to the file, and return it with its chunks."""
    stamp = blake2b(digest_size=16)
    listed = [(each, _list_chunks(each, stamp.update)) for each in virtual]
    tables = [(each, table) for each, table in listed if table is not None]
    end = file.seek(0, os.SEEK_END)
    index_start = _align(end)
    indexes = sum(index_size(len(t.sizes), len(t.shape)) for _, t in tables)
    offset = _align(index_start + indexes)
    placed = []
    for each, table in tables:
        starts = offset + np.concatenate([[0], np.cumsum(table.sizes)])
        placed.append(_PlacedArray(virtual=each, chunks=replace(table, offsets=starts[:-1])))
        offset = _align(int(starts[-1]))
    addresses = addresses_of(path, plan.dataset) if placed else {}
    for array in placed:
        index, root = print_index(array.chunks, index_start)
        file.seek(index_start)
        file.write(index)
        index_start += len(index)
        set_index(file, addresses[array.virtual.array.fqn], root)
    set_end(file, offset)
    file.flush()
    file.seek(0)
    while block := file.read(1 << 20):
        stamp.update(block)
    return NetcdfFace(
        file, index_start, placed, offset, stamp.hexdigest(), plan.dataset.name, memory
    )


def _align(offset: int) -> int:
    return -(-offset // _ALIGNED) * _ALIGNED


def _list_chunks(virtual: _VirtualArray, stamp: Callable[[bytes], None]) -> IndexedChunks | None:
    """Return the chunks of an array that are in the file, without offsets; None if none exist.

    `stamp` receives the data that identify them later.
    """
    rank = len(virtual.array.layout.shape)
    raw: list[Index] = []
    sizes: dict[Index, int] = {}
    others: list[Index] = []
    if virtual.raw is None:
        others = list(_plain_indices(virtual))
    else:
        for index, stored in _stored_sizes(virtual.raw, stamp):
            size = stored if virtual.wrapped is None else virtual.wrapped.size(stored)
            if size is None:
                others.append(index)
            else:
                sizes[index] = size
    raw = list(sizes)
    indices = row_major([*raw, *others], rank)
    if not len(indices):
        return None
    listed = list(map(tuple, indices.tolist()))
    is_plain = np.fromiter((index not in sizes for index in listed), bool, len(listed))
    lengths = np.fromiter(
        (sizes.get(index, virtual.plain_size) for index in listed), np.int64, len(listed)
    )
    stamp(lengths.tobytes())
    return IndexedChunks(
        indices=indices,
        offsets=np.zeros(len(listed), np.int64),
        sizes=lengths,
        skipped=np.where(is_plain, virtual.filters, 0).astype(np.uint32),
        shape=virtual.array.layout.chunks,
    )


def _plain_indices(virtual: _VirtualArray) -> Iterator[Index]:
    """Yield the chunks that are decoded: all except known missing ones."""
    source, array = virtual.array.variable.data, virtual.array
    is_alike = isinstance(source, EncodedSource) and source.layout.grid == array.layout.grid
    is_known = is_alike and isinstance(source, EncodedSource) and not array.fills_missing
    if is_known and isinstance(source, EncodedSource) and lists_present(source):
        yield from source.present()
    else:
        yield from array.layout.grid.indices()


def _stored_sizes(
    source: EncodedSource, stamp: Callable[[bytes], None]
) -> Iterator[tuple[Index, int | None]]:
    """Yield the chunks of a source with their sizes; None for a chunk that must be decoded."""
    tables, others = source.places()
    for table in tables:
        stamp(table.offsets.tobytes())
        yield from zip(map(tuple, table.indices.tolist()), table.lengths.tolist(), strict=True)
    for index in others:
        if isinstance(source, ZarrArray):
            size = source.stored_size(index)
            if size is not None:
                yield index, size
        else:
            place = source.place(index)
            yield index, None if place is None else place.length
