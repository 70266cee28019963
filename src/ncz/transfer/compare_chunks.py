"""Compare two arrays that are stored in the same way, chunk by chunk, without decoding equal ones.

Equal bytes decode to equal values, so that only chunks whose bytes differ are decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from ncz.model.data import Values, fill_array, read_box
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Box, Index
from ncz.model.presence import Presence
from ncz.model.sparse_source import lists_many
from ncz.model.types import Value
from ncz.parallel.threads import ThreadPool

Step = Callable[[int], None]
"""Called with a number of values that were compared."""

_COPIES = 5
"""Arrays of the size of a chunk that are in memory for a chunk whose bytes differ."""


def are_stored_alike(ours: EncodedSource, theirs: EncodedSource) -> bool:
    """Return whether chunks of equal bytes have equal values in both arrays."""
    return (
        ours.layout == theirs.layout
        and ours.type == theirs.type
        and ours.stored_dtype == theirs.stored_dtype
        and ours.item_size == theirs.item_size
        and _is_same(ours.fill, theirs.fill)
    )


def _is_same(one: Value, other: Value) -> bool:
    """Return whether two fill values are equal, or both NaN."""
    return bool(one == other or (one != one and other != other))


def unequal_chunks(
    ours: EncodedSource, theirs: EncodedSource, pool: ThreadPool, step: Step = lambda _: None
) -> Iterator[tuple[Box, Values, Values]]:
    """Yield the box and the values of each chunk whose bytes differ.

    Parameters
    ----------
    ours, theirs
        Arrays that are stored alike; see `are_stored_alike`.
    pool
        The threads that read, compare and decode; its memory is the limit.
    step
        Called with the number of values of each chunk that was compared.
    """
    grid = ours.layout.grid

    def compare(index: Index) -> tuple[Box, Values, Values] | int:
        box = grid.box(index)
        is_stored = ours.is_stored(index) and theirs.is_stored(index)
        if is_stored and ours.encoded_chunk(index) == theirs.encoded_chunk(index):
            return box.size
        return box, _values(ours, box, index), _values(theirs, box, index)

    cost = _COPIES * ours.layout.chunk_size * max(1, ours.item_size)
    for block in pool.each(compare, _indices(ours, theirs), cost):
        if isinstance(block, int):
            step(block)
        else:
            step(block[0].size)
            yield block


def _indices(ours: EncodedSource, theirs: EncodedSource) -> Iterator[Index]:
    """Return the indices of the chunks to compare: of large arrays, chunks that exist in one."""
    grid = ours.layout.grid
    if not (lists_many(ours) and lists_many(theirs)):
        return grid.indices()
    return Presence(grid, chain(ours.present(), theirs.present())).indices()


def _values(source: EncodedSource, box: Box, index: Index) -> Values:
    if source.layout.shard is not None:
        return read_box(source, box)  # decodes one chunk of a shard at a time
    values = source.stored_values(index)
    return fill_array(box.shape, source.type, source.fill) if values is None else values
