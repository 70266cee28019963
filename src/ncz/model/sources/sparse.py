"""Arrays of many chunks of which few exist: missing ones are not looked up one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from ncz.model.chunk.encoded import ListedSource
from ncz.model.chunk.presence import Presence
from ncz.model.data import ChunkSource, touching
from ncz.model.grid import Box, Grid, Index, whole
from ncz.model.types import NcType, Value

if TYPE_CHECKING:
    from ncz.model.data import Values

MANY = 1 << 14
"""Number of chunks from which on it is worth to list those that exist."""

_PATIENCE = 32
"""Number of missing chunks in a row after which the chunks that exist are listed."""


@dataclass(slots=True)
class SparseReading:
    """A `SelectingSource` over a source that can list its chunks, for one pass over the values.

    Chunks are read without a list until many in a row are missing. So an array that is complete is
    never listed. What is listed once is not listed again: chunks that appear later are missing.
    """

    source: ListedSource
    patience: int = _PATIENCE
    _missed: int = 0
    _present: Presence | None = None

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks."""
        return self.source.grid

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.source.type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.source.fill

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing."""
        values = self.source.chunk(index)
        self._missed = self._missed + 1 if values is None else 0
        return values

    def touching(self, box: Box) -> Iterator[Index]:
        """Yield the indices of chunks that touch `box`; see `SelectingSource`."""
        start = None
        if self._present is None:
            for index in self.grid.indices(box):
                if self._missed >= self.patience:
                    start = index
                    break
                yield index
            else:
                return
            self._present = Presence(self.source.layout.grid, self.source.present())
        for index in self._known(self._present, box):
            if start is None or index >= start:
                yield index

    def _known(self, present: Presence, box: Box) -> Iterator[Index]:
        """Yield the chunks that touch `box` in stored chunks that exist."""
        layout = self.source.layout
        if self.grid == layout.grid:
            yield from present.within(box)
            return
        for outer in present.within(box):
            common = layout.grid.box(outer).intersect(box)
            if common is not None:
                yield from self.grid.indices(common)


def sparse(source: ChunkSource) -> ChunkSource:
    """Return a source for one pass over the values, in which few of many chunks may exist."""
    return SparseReading(source) if lists_many(source) else source


def chunks_of(source: ChunkSource) -> Iterator[Values]:
    """Yield the values of all chunks that exist."""
    source = sparse(source)
    for index in touching(source, whole(source.grid.shape)):
        values = source.chunk(index)
        if values is not None:
            yield values


def lists_many(source: ChunkSource) -> TypeGuard[ListedSource]:
    """Return whether a source has many chunks, and can list those that exist."""
    return source.grid.size >= MANY and isinstance(source, ListedSource) and source.is_listed
