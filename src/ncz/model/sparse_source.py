"""Sources with few existing chunks: these are listed, instead of looking up each chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from ncz.model.data import ChunkSource, DerivedSource, ListedChunks
from ncz.model.grid import Box, Index, whole
from ncz.model.presence import Presence

if TYPE_CHECKING:
    from ncz.model.data import Values


MANY = 1 << 14
"""For more chunks than this, listing the existing ones takes less time."""

_PATIENCE = 32
"""Existing chunks are listed after this number of consecutive missing chunks."""


@dataclass(slots=True)
class SparseSource(DerivedSource):
    """A view of a source that can list its chunks, for one pass over the values.

    Chunks are read without a list until many in a row are missing. A complete array is therefore
    never listed. The list is made once: chunks that appear later are missing.
    """

    source: ListedChunks
    patience: int = _PATIENCE
    _misses: int = 0
    _present: Presence | None = None

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        chunks = self.source.values_of(indices)
        for values in chunks:
            self._misses = self._misses + 1 if values is None else 0
        return chunks

    def indices_in(self, box: Box) -> Iterator[Index]:
        """Yield the indices of chunks that touch `box`, except some that are missing."""
        start = None
        if self._present is None:
            for index in self.grid.indices(box):
                if self._misses >= self.patience:
                    start = index
                    break
                yield index
            else:
                return
            self._present = Presence(self.source.stored_grid, self.source.present())
        for index in self._stored_chunks(self._present, box):
            if start is None or index >= start:
                yield index

    def _stored_chunks(self, present: Presence, box: Box) -> Iterator[Index]:
        """Yield the chunks that touch `box` in stored chunks that exist."""
        stored = self.source.stored_grid
        if self.grid == stored:
            yield from present.within(box)
            return
        for outer in present.within(box):
            common = stored.box(outer).intersect(box)
            if common is not None:
                yield from self.grid.indices(common)


def sparse(source: ChunkSource) -> ChunkSource:
    """Return a source for one pass over the values, with perhaps few of many chunks."""
    return SparseSource(source) if lists_many(source) else source


def chunks_of(source: ChunkSource) -> Iterator[Values]:
    """Yield the values of all chunks that exist."""
    source = sparse(source)
    for index in source.indices_in(whole(source.grid.shape)):
        values = source.chunk(index)
        if values is not None:
            yield values


def lists_many(source: ChunkSource) -> TypeGuard[ListedChunks]:
    """Return whether a source has many chunks, and can list the existing ones."""
    return source.grid.size >= MANY and isinstance(source, ListedChunks) and source.is_listed
