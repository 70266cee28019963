"""The places of the chunks of an array of a repository, as icechunk 2.3 reports them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.zmap.byte_range import ByteRange

if TYPE_CHECKING:
    from icechunk import IcechunkStore

_AT_ONCE = 100_000
"""Number of chunks in one request to the library."""


def tells_places(store: IcechunkStore) -> bool:
    """Return whether the library reports where chunks are, as icechunk does from version 2.3."""
    return hasattr(store, "array_chunk_iterator")


async def read_places(store: IcechunkStore, array: str, virtual: object) -> ChunkPlaces:
    """Return the places of the virtual chunks of an array; `virtual` is the kind of these."""
    found = ChunkPlaces()
    async for batch in store.array_chunk_iterator(array, _AT_ONCE):
        found.add(batch, int(virtual))  # type: ignore[call-overload]
    return found


class ChunkPlaces:
    """The places of virtual chunks, as columns: an array may have millions of chunks."""

    def __init__(self) -> None:
        self._urls: dict[str, int] = {}
        self._parts: list[Any] = []
        self._rows: Any = None
        self._names: list[str] = []

    def add(self, batch: Sequence[Any], virtual: int) -> None:
        """Add chunks as the library says them."""
        coords, kinds, urls, offsets, lengths, _ = batch
        chosen = np.flatnonzero(np.asarray(kinds) == virtual)
        if not chosen.size:
            return
        numbers = [self._urls.setdefault(urls[row], len(self._urls)) for row in chosen]
        columns = [
            np.asarray(coords, "i8").reshape(len(kinds), -1)[chosen],
            np.asarray(numbers, "i8")[:, None],
            np.asarray(offsets, "i8")[chosen, None],
            np.asarray(lengths, "i8")[chosen, None],
        ]
        self._parts.append(np.hstack(columns))

    def find(self, index: Sequence[int]) -> ByteRange | None:
        """Return the part of a file that is a chunk; None if it is not virtual."""
        if self._rows is None:
            self._sort()
        if not len(self._rows):
            return None
        rank = self._rows.shape[1] - 3
        low, high = 0, len(self._rows)
        for axis, at in enumerate(index[:rank]):
            column = self._rows[low:high, axis]
            first, last = np.searchsorted(column, at, "left"), np.searchsorted(column, at, "right")
            low, high = low + int(first), low + int(last)
        if high - low != 1:
            return None
        number, offset, length = self._rows[low, rank:].tolist()
        return ByteRange(self._names[number], offset, length)

    def _sort(self) -> None:
        rows = np.vstack(self._parts) if self._parts else np.zeros((0, 3), "i8")
        rank = rows.shape[1] - 3
        if rank and len(rows):
            rows = rows[np.lexsort(tuple(rows[:, axis] for axis in reversed(range(rank))))]
        self._rows, self._names = rows, [*self._urls]
        self._parts.clear()
