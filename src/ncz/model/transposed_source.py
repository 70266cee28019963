"""The values of another source with its axes in another order."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.model.data import ChunkSource, DerivedSource, Values
from ncz.model.grid import Box, ChunkGrid, Grid, Index, IrregularGrid, Shape
from ncz.record import record, replace


@record
class TransposedSource(DerivedSource):
    """The values of `source` with its axes in the order of `axes`."""

    source: ChunkSource
    axes: tuple[int, ...]

    @property
    def grid(self) -> Grid:
        """The chunks of the source, transposed."""
        grid = self.source.grid
        if isinstance(grid, IrregularGrid):
            return IrregularGrid(tuple(grid.borders[axis] for axis in self.axes))
        return ChunkGrid(self._new(grid.shape), self._new(grid.chunks))

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        found = self.source.values_of([self._old(index) for index in indices])
        return [None if values is None else values.transpose(self.axes) for values in found]

    def rechunk(self, chunks: Shape) -> TransposedSource:
        """Return the same values in chunks of that shape, if the source can serve them."""
        return replace(self, source=self.source.rechunk(self._old(chunks)))

    def within(self, box: Box) -> TransposedSource:
        """Return the same values in chunks that suit a read of one box, if the source has such."""
        old = Box(self._old(box.start), self._old(box.stop))
        return replace(self, source=self.source.within(old))

    def _new(self, lengths: Shape) -> Shape:
        """Return numbers by axis of the source in the new order."""
        return tuple(lengths[axis] for axis in self.axes)

    def _old(self, lengths: Shape) -> Shape:
        """Return numbers in the new order by axis of the source."""
        return tuple(lengths[self.axes.index(axis)] for axis in range(len(self.axes)))
