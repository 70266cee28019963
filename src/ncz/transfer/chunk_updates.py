"""Write some chunks of an existing array: new chunks, and chunks that become fuller."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ncz.formats.chunks import encoded_box
from ncz.model.data import ChunkSource
from ncz.model.encoded_arrays import EncodedSource, EncodedTarget
from ncz.model.grid import Index
from ncz.parallel.threads import ThreadPool
from ncz.transfer.chunk_references import refer_to
from ncz.transfer.move import MoveResult, encoded_fill
from ncz.zmap import ReferringZmap, WritableZmap

if TYPE_CHECKING:
    from ncz.transfer.move import Report


_WriteChunk = Callable[["Index", str], "int | None"]
"""Writes the chunk of an index to a key; returns its size, or None for a missing chunk."""


def write_some(
    source: ChunkSource,
    array: EncodedTarget,
    indices: Iterable[Index],
    zmap: WritableZmap,
    pool: ThreadPool,
    report: Report,
) -> None:
    """Encode and write chunks.

    Parameters
    ----------
    source
        The values of the whole array.
    array
        How chunks are encoded.
    indices
        The chunks to write. A chunk that `source` lacks is deleted from the store.
    zmap
        The store, which many threads can write.
    pool
        The threads that read, encode and put.
    report
        Called for every chunk that is written.
    """

    def write(index: Index, key: str) -> int | None:
        return _encode(source, array, index, zmap, key)

    _write(write, array, indices, zmap, pool, report)


def move_some(
    source: EncodedSource,
    array: EncodedTarget,
    indices: Iterable[Index],
    zmap: WritableZmap,
    pool: ThreadPool,
    report: Report,
) -> None:
    """Copy stored chunks, or refer to them, and encode chunks that are made.

    `write_some` describes the parameters.
    """

    def write(index: Index, key: str) -> int | None:
        if source.is_stored(index):
            is_referred = isinstance(zmap, ReferringZmap) and refer_to(source, index, zmap, key)
            return 0 if is_referred else next(source.copy((index,), zmap, (key,)))
        return _encode(source, array, index, zmap, key)

    _write(write, array, indices, zmap, pool, report)


def _encode(
    source: ChunkSource, array: EncodedTarget, index: Index, zmap: WritableZmap, key: str
) -> int | None:
    data = encoded_box(source, array, index, zmap.where)
    if data is None:
        return None
    zmap.put(key, data)
    return len(data)


def _write(
    write: _WriteChunk,
    array: EncodedTarget,
    indices: Iterable[Index],
    zmap: WritableZmap,
    pool: ThreadPool,
    report: Report,
) -> None:
    filling = functools.cache(lambda: encoded_fill(array) if array.fills_missing else None)

    def work(index: Index) -> MoveResult:
        key = array.chunk_key(index)
        size = write(index, key)
        if size is None and (data := filling()) is not None:
            zmap.put(key, data)
            size = len(data)
        if size is None:
            zmap.delete(key)  # an interrupted run may have written it
            return MoveResult()
        return MoveResult(1, size)

    cost = 4 * array.layout.chunk_size * max(array.item_size, 1)
    for step in pool.each(work, indices, cost):
        report(step)
