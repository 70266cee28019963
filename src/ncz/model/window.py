"""A box of an array that can be read in any chunks."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.model.data import ChunkSource, DerivedSource, Values, read_present
from ncz.model.grid import Box, ChunkGrid, Index
from ncz.model.linear_blocks import block_shape
from ncz.model.type_sizes import fixed_size
from ncz.record import record, replace


@record
class WindowSource(DerivedSource):
    """A `ChunkSource` of the elements of another one from the index `start` on."""

    source: ChunkSource
    start: Index
    grid: ChunkGrid

    @staticmethod
    def of(source: ChunkSource, box: Box) -> WindowSource:
        """Return a box of a divisible source."""
        chunks = block_shape(box.shape, max(1, fixed_size(source.type)))
        return WindowSource(source, box.start, ChunkGrid(box.shape, chunks))

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each of them if all are missing."""
        return [self._values(index) for index in indices]

    def _values(self, index: Index) -> Values | None:
        box = self.grid.box(index)
        start = tuple(a + b for a, b in zip(box.start, self.start, strict=True))
        stop = tuple(a + b for a, b in zip(box.stop, self.start, strict=True))
        there = Box(start, stop)
        return read_present(self.source.within(there), there)

    @property
    def is_divisible(self) -> bool:
        """True, as the source is."""
        return True

    def rechunk(self, chunks: tuple[int, ...]) -> WindowSource:
        """Return the same values in chunks of that shape, if they are consecutive elements."""
        is_served = self.source.rechunk(chunks).grid.chunks == chunks
        return replace(self, grid=ChunkGrid(self.grid.shape, chunks)) if is_served else self
