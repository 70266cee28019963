"""The values of another source without an axis that has one index."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.model.data import ChunkSource, DerivedSource, Values
from ncz.model.grid import Box, ChunkGrid, Grid, Index, IrregularGrid, Shape
from ncz.record import record, replace


@record
class SqueezedSource(DerivedSource):
    """The values of `source`, whose axis number `axis` has the length 1, without this axis."""

    source: ChunkSource
    axis: int

    @property
    def grid(self) -> Grid:
        """The chunks of the source, without the axis."""
        grid = self.source.grid
        if isinstance(grid, IrregularGrid):
            return IrregularGrid((*grid.borders[: self.axis], *grid.borders[self.axis + 1 :]))
        return ChunkGrid(self._without(grid.shape), self._without(grid.chunks))

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        found = self.source.values_of([self._with(index, 0) for index in indices])
        return [None if values is None else values.take(0, axis=self.axis) for values in found]

    def rechunk(self, chunks: Shape) -> ChunkSource:
        """Return the same values in chunks of that shape, or itself if it cannot serve them."""
        source = self.source.rechunk(self._with(chunks, 1))
        return self if source is self.source else replace(self, source=source)

    def within(self, box: Box) -> ChunkSource:
        """Return the same values in chunks that suit a read of one box, if the source can."""
        source = self.source.within(Box(self._with(box.start, 0), self._with(box.stop, 1)))
        return self if source is self.source else replace(self, source=source)

    def _without(self, numbers: Shape) -> Shape:
        return (*numbers[: self.axis], *numbers[self.axis + 1 :])

    def _with(self, numbers: Shape, number: int) -> Shape:
        return (*numbers[: self.axis], number, *numbers[self.axis :])
