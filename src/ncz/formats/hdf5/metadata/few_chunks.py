"""The places of the chunks of a dataset with few chunks, read without numpy.

Files with thousands of small variables have as many of these indexes. Others are read as columns by
`ncz.formats.hdf5.metadata.chunk_index`.

Source: HDF5 File Format Specification, "Version 1 B-trees" (III.A.1) and "Single Chunk Index"
(VII.A).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from struct import Struct

from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.btree import CHUNK_NODES
from ncz.formats.hdf5.metadata.storage import Layout
from ncz.formats.hdf5.metadata.superblock import Sizes
from ncz.model.grid import Index
from ncz.record import record

_WITHOUT_NUMPY = 64
"""Number of chunks that are not worth the use of numpy."""

_INTEGERS = {2: "H", 4: "I", 8: "Q"}


@record
class StoredChunk:
    """The place of a chunk in the file, and the filters that were skipped when it was written.

    Bit N of `skipped` is set if filter N of the dataset was skipped.
    """

    offset: int
    size: int
    skipped: int = 0


def read_few_chunks(
    source: MetadataSource, sizes: Sizes, layout: Layout, *, chunk_size: int
) -> Mapping[Index, StoredChunk] | None:
    """Return the places of the chunks of a dataset whose index is one node with few entries.

    Parameters
    ----------
    source, sizes
        The file.
    layout
        The layout of the dataset.
    chunk_size
        The bytes of a chunk; 0 if it has filters.

    Returns
    -------
    Mapping
        The place of each chunk that is stored; None if the index has another form, or is damaged.
    """
    chunks = layout.chunks[:-1]
    if layout.leaves_edges or 0 in chunks:
        return None
    if layout.address is None:
        return {}
    if layout.index == "single":
        size, skipped = layout.single or (chunk_size, 0)
        return {(0,) * len(chunks): StoredChunk(layout.address + source.base, size, skipped)}
    if layout.index != "btree1" or sizes.offset_size not in _INTEGERS:
        return None
    head = source.peek(layout.address, 8 + 2 * sizes.offset_size)
    count = int.from_bytes(head[6:8], "little")
    if head[:4] != b"TREE" or head[4] != CHUNK_NODES or head[5] or count > _WITHOUT_NUMPY:
        return None
    entry = _entry(len(chunks), sizes.offset_size)
    entries = source.peek(layout.address + len(head), count * entry.size)
    if len(entries) < count * entry.size:
        return None
    return {
        tuple([start // chunk for start, chunk in zip(starts, chunks, strict=False)]): StoredChunk(
            address + source.base, size, skipped
        )
        for size, skipped, *starts, address in entry.iter_unpack(entries)
    }


@functools.cache
def _entry(rank: int, offset_size: int) -> Struct:
    """Return the layout of an entry: bytes, filter mask and start of a chunk, and its address."""
    return Struct(f"<II{rank + 1}Q{_INTEGERS[offset_size]}")
