"""The values of another source, changed by a function when they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ncz.errors import NczError
from ncz.model.data import ChunkSource, DerivedSource, Values, fill_array
from ncz.model.grid import Box, ChunkGrid, Grid, Index, Shape
from ncz.model.types import NcType, Value
from ncz.record import record, replace


@record
class MappedSource(DerivedSource):
    """A `ChunkSource` of the changed values of another one, with the same grid, type and fill.

    `change` is called with the values of a chunk and its box; it returns values of the same shape.
    """

    source: ChunkSource
    change: Callable[[Values, Box], Values]

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the changed values of chunks; None for each that is missing."""
        chunks = zip(indices, self.source.values_of(indices), strict=True)
        return [v if v is None else self.change(v, self.grid.box(index)) for index, v in chunks]

    @property
    def is_divisible(self) -> bool:
        """Whether the source reads chunks of any consecutive elements as well as its own."""
        return self.source.is_divisible

    def rechunk(self, chunks: tuple[int, ...]) -> MappedSource:
        """Return the same values in chunks of that shape, if the source can serve them."""
        return MappedSource(self.source.rechunk(chunks), self.change)

    def within(self, box: Box) -> MappedSource:
        """Return the same values in chunks that suit a read of one box, if the source has such."""
        source = self.source.within(box)
        return self if source is self.source else MappedSource(source, self.change)


@record
class ConvertedSource(DerivedSource):
    """A `ChunkSource` of the values of another one, converted to another type.

    `convert` returns values of the same shape. With `is_dense`, missing chunks are converted too,
    because the fill of the source cannot be converted.
    """

    source: ChunkSource
    type: NcType
    fill: Value
    convert: Callable[[Values], Values]
    is_dense: bool = False

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the converted values of chunks; None for each that is missing."""
        chunks = self.source.values_of(indices)
        return [self._convert(index, v) for index, v in zip(indices, chunks, strict=True)]

    def _convert(self, index: Index, values: Values | None) -> Values | None:
        if values is None:
            if not self.is_dense:
                return None
            shape = self.grid.box(index).shape
            values = fill_array(shape, self.source.type, self.source.fill)
        return self.convert(values)

    @property
    def is_divisible(self) -> bool:
        """Whether the source reads chunks of any consecutive elements as well as its own."""
        return self.source.is_divisible

    def rechunk(self, chunks: tuple[int, ...]) -> ConvertedSource:
        """Return the same values in chunks of that shape, if the source can serve them."""
        return replace(self, source=self.source.rechunk(chunks))

    def within(self, box: Box) -> ConvertedSource:
        """Return the same values in chunks that suit a read of one box, if the source has such."""
        source = self.source.within(box)
        return self if source is self.source else replace(self, source=source)


def converted_source(
    source: ChunkSource, nc_type: NcType, convert: Callable[[Values], Values]
) -> ConvertedSource:
    """Return the values of a source, converted to another type.

    A fill that cannot be converted is an error only when a missing chunk is read.
    """
    try:
        fill = convert(fill_array((1,), source.type, source.fill))[0].item()
    except NczError:
        return ConvertedSource(source, nc_type, None, convert, is_dense=True)
    return ConvertedSource(source, nc_type, fill, convert)


@record
class UnwrittenSource(ChunkSource):
    """A `ChunkSource` of a variable that was never written: all values are fill."""

    shape: Shape
    type: NcType
    fill: Value
    chunks: tuple[int, ...] | None = None

    @property
    def grid(self) -> Grid:
        """The array's shape, and its chunks; by default one."""
        return ChunkGrid(self.shape, self.chunks or tuple(max(1, n) for n in self.shape))

    @property
    def is_shared(self) -> bool:
        """True: nothing is read."""
        return True

    @property
    def is_divisible(self) -> bool:
        """True: nothing is read."""
        return True

    def rechunk(self, chunks: tuple[int, ...]) -> UnwrittenSource:
        """Return the same values in chunks of that shape."""
        return replace(self, chunks=chunks)

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return None for each chunk: all are missing."""
        return [None] * len(indices)
