"""The chunks that were decoded last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ncz.commands.view.request import StaleRequest
from ncz.model.data import ChunkSource, DerivedSource
from ncz.model.grid import Index
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values

KEPT = 256 << 20
"""Bytes of decoded chunks that are kept."""

ITEM_SIZE = 64
"""Estimated size of a string or a value of a user-defined type."""


class ChunkCache:
    """Decoded chunks in at most `most` bytes; the least recently used are dropped."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._size = 0
        self._chunks: OrderedDict[object, Values | None] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The bytes of all chunks that are kept."""
        return self._size

    def get(self, key: object, read: Callable[[], Values | None]) -> Values | None:
        """Return a chunk, which is read unless it is kept."""
        with self._lock:
            if key in self._chunks:
                self._chunks.move_to_end(key)
                return self._chunks[key]
        values = read()
        cost = _cost_of(values)
        with self._lock:
            if key not in self._chunks and cost <= self._most:
                self._chunks[key] = values
                self._size += cost
                while self._size > self._most:
                    _, old = self._chunks.popitem(last=False)
                    self._size -= _cost_of(old)
        return values


def _cost_of(values: Values | None) -> int:
    if values is None:
        return 200
    return 200 + (values.size * ITEM_SIZE if values.dtype.kind == "O" else values.nbytes)


@record
class CachedSource(DerivedSource):
    """The chunks of a source, through a cache; `is_stale` is true if they are not needed."""

    source: ChunkSource
    number: int
    cache: ChunkCache
    is_stale: Callable[[], bool]

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values | None:
        if self.is_stale():
            raise StaleRequest
        return self.cache.get((self.number, index), lambda: self.source.chunk(index))
