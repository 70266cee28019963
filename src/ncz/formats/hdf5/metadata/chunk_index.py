"""The places of the chunks of a dataset: the indexes of chunks of all versions, as columns.

Source: HDF5 File Format Specification, "Version 1 B-trees" (III.A.1), "Version 2 B-trees" (III.A.2)
and the appendix "Types of Indexes for Dataset Chunks".
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

from ncz.formats.hdf5.metadata.array_index import (
    IndexElements,
    read_extensible_array,
    read_fixed_array,
)
from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.btree import (
    CHUNK_NODES,
    CHUNKS,
    FILTERED_CHUNKS,
    BTree2,
    read_btree1,
)
from ncz.formats.hdf5.metadata.dataspace import Dataspace
from ncz.formats.hdf5.metadata.faults import PARSE_ERRORS, DamageError
from ncz.formats.hdf5.metadata.storage import Layout
from ncz.formats.hdf5.metadata.superblock import Sizes
from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[Any]


@record
class ChunkColumns:
    """The chunks of a dataset that are stored.

    Attributes
    ----------
    indices
        The index of each chunk, of shape (chunks, rank).
    offsets, sizes
        Its address and the number of its bytes, of shape (chunks,).
    skipped
        Its filter mask: bit N is set if filter N was skipped.
    """

    indices: Column
    offsets: Column
    sizes: Column
    skipped: Column

    def where(self, mask: Column) -> ChunkColumns:
        """Return the rows where `mask` is true."""
        return ChunkColumns(
            self.indices[mask], self.offsets[mask], self.sizes[mask], self.skipped[mask]
        )


def read_chunk_index(
    source: MetadataSource,
    sizes: Sizes,
    layout: Layout,
    space: Dataspace,
    *,
    is_filtered: bool,
    item_size: int,
) -> ChunkColumns:
    """Return the places of the chunks of a dataset. Raises `DamageError` if they cannot be read.

    Parameters
    ----------
    source, sizes
        The file.
    layout, space
        The layout and the dataspace of the dataset.
    is_filtered
        Whether it has filters.
    item_size
        The bytes of an element.
    """
    chunks = layout.chunks[:-1]
    if len(chunks) != len(space.shape):
        raise DamageError("chunks have an impossible shape")
    if layout.address is None:
        return _none(len(chunks))
    size = math.prod(chunks) * item_size
    try:
        columns = _read(source, sizes, layout, space, size if not is_filtered else None)
        source.verify()
    except PARSE_ERRORS as error:
        raise DamageError(f"the index of chunks cannot be parsed ({error})") from error
    if layout.leaves_edges:
        columns = _edges_without_filters(columns, chunks, space.shape)
    return columns


def _read(
    source: MetadataSource, sizes: Sizes, layout: Layout, space: Dataspace, size: int | None
) -> ChunkColumns:
    """Return the columns; `size` is the bytes of a chunk without filters."""
    chunks, rank = layout.chunks[:-1], len(space.shape)
    assert layout.address is not None
    if layout.index == "btree1":
        return _read_btree1(source, sizes, layout.address, chunks)
    if layout.index == "btree2":
        return _read_btree2(source, sizes, layout.address, rank, size)
    if layout.index == "single":
        place, mask = layout.single or (size or 0, 0)
        row = np.zeros((1, rank), "i8")
        return ChunkColumns(row, *(np.array([n], "i8") for n in (layout.address, place, mask)))
    largest = [length if most is None else most
               for length, most in zip(space.shape, space.largest, strict=True)]  # fmt: skip
    counts = [-(-length // chunk) for length, chunk in zip(largest, chunks, strict=True)]
    if layout.index == "implicit":
        count = math.prod(counts)
        if size is None or count * size > source.size:
            raise DamageError("chunks are beyond the end of the file")
        numbers = np.arange(count)
        offsets = layout.address + numbers * size
        return ChunkColumns(
            _indices(numbers, counts, 0), offsets, np.full(count, size), np.zeros(count, "i8")
        )
    slowest = 0
    if layout.index == "extensible array":
        slowest = next((n for n, most in enumerate(space.largest) if most is None), 0)
        elements = read_extensible_array(source, sizes, layout.address)
    else:
        elements = read_fixed_array(source, sizes, layout.address)
    if elements.is_filtered == (size is not None):
        raise DamageError("an index of chunks has elements of another kind")
    return _of_elements(elements, sizes, counts, slowest, size)


def _none(rank: int) -> ChunkColumns:
    return ChunkColumns(np.empty((0, rank), "i8"), *(np.empty(0, "i8") for _ in range(3)))


@functools.lru_cache(32)
def _entry_of_btree1(rank: int, offset_size: int) -> np.dtype[Any]:
    """Return the layout of an entry: the key of a chunk, and its address."""
    return np.dtype([
        ("size", "<u4"), ("mask", "<u4"), ("start", "<u8", (rank + 1,)),
        ("address", f"<u{offset_size}"),
    ])  # fmt: skip


def _read_btree1(
    source: MetadataSource, sizes: Sizes, address: int, chunks: tuple[int, ...]
) -> ChunkColumns:
    rank = len(chunks)
    entry = _entry_of_btree1(rank, sizes.offset_size)
    leaves = read_btree1(source, sizes, address, CHUNK_NODES, entry.itemsize - sizes.offset_size)
    table = np.frombuffer(b"".join(leaves), entry)
    return ChunkColumns(
        table["start"][:, :rank].astype("i8") // chunks,
        table["address"].astype("i8"),
        table["size"].astype("i8"),
        table["mask"].astype("i8"),
    )


def _read_btree2(
    source: MetadataSource, sizes: Sizes, address: int, rank: int, size: int | None
) -> ChunkColumns:
    tree = BTree2(source, sizes, address, CHUNKS if size is not None else FILTERED_CHUNKS)
    data = b"".join(tree.records())
    table = np.frombuffer(data, "u1").reshape(-1, tree.record_size)
    end = tree.record_size - 8 * rank
    if end < sizes.offset_size:
        raise DamageError("a B-tree of chunks has records of an impossible size")
    indices = np.ascontiguousarray(table[:, end:]).view("<u8").astype("i8")
    return ChunkColumns(indices, *_places(table[:, :end], sizes, size))


def _of_elements(
    elements: IndexElements, sizes: Sizes, counts: list[int], slowest: int, size: int | None
) -> ChunkColumns:
    """Return the chunks of the elements of an array; missing chunks have no address."""
    offsets, lengths, skipped = _places(elements.table, sizes, size)
    no_offset = sizes.no_offset if sizes.offset_size < 8 else -1
    stored = offsets != no_offset
    indices = _indices(elements.numbers[stored], counts, slowest)
    return ChunkColumns(indices, offsets[stored], lengths[stored], skipped[stored])


def _indices(numbers: Column, counts: list[int], slowest: int) -> Column:
    """Return the indices of chunks by their numbers, which count along the axis `slowest` last."""
    order = [slowest, *(axis for axis in range(len(counts)) if axis != slowest)]
    indices = np.empty((len(numbers), len(counts)), "i8")
    rest = numbers.astype("i8")
    for axis in reversed(order[1:]):
        rest, indices[:, axis] = np.divmod(rest, max(1, counts[axis]))
    indices[:, order[0]] = rest
    return indices


def _places(table: Column, sizes: Sizes, size: int | None) -> tuple[Column, Column, Column]:
    """Return addresses, sizes and filter masks from the bytes of elements, of shape (n, bytes)."""
    count, width = table.shape
    offset_size = sizes.offset_size
    offsets = _column(table[:, :offset_size])
    if size is not None:
        return offsets, np.full(count, size, "i8"), np.zeros(count, "i8")
    end = width - 4
    if not 0 < end - offset_size <= 8:
        raise DamageError("an index of chunks has elements of an impossible size")
    return offsets, _column(table[:, offset_size:end]), _column(table[:, end:])


def _column(table: Column) -> Column:
    """Return little-endian integers of up to 8 bytes."""
    wide = np.zeros((len(table), 8), "u1")
    wide[:, : table.shape[1]] = table
    return wide.view("<u8")[:, 0].astype("i8")


def _edges_without_filters(
    columns: ChunkColumns, chunks: tuple[int, ...], shape: tuple[int, ...]
) -> ChunkColumns:
    """Return the columns of a dataset whose chunks at the edge have no filters."""
    ends = (columns.indices + 1) * np.array(chunks, "i8")
    is_cut = (ends > np.array(shape, "i8")).any(axis=1)
    return ChunkColumns(
        columns.indices,
        columns.offsets,
        columns.sizes,
        np.where(is_cut, np.int64(0xFFFFFFFF), columns.skipped),
    )
