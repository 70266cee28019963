"""The values of another source, changed by a function when they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ncz.model.data import ChunkSource, rechunk
from ncz.model.grid import Box, Grid, Index
from ncz.model.types import NcType, Value
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values


@record
class MappedSource:
    """A `ChunkSource` of the changed values of another one, with the same grid, type and fill.

    `change` is called with the values of a chunk and its box; it returns values of the same shape.
    """

    source: ChunkSource
    change: Callable[[Values, Box], Values]

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
        """The value of missing chunks, which is not changed."""
        return self.source.fill

    def chunk(self, index: Index) -> Values | None:
        """Return the changed values of a chunk; None if it is missing."""
        values = self.source.chunk(index)
        return None if values is None else self.change(values, self.grid.box(index))

    def rechunked(self, chunks: tuple[int, ...]) -> MappedSource:
        """Return the same values in chunks of that shape, if the source can serve them."""
        return MappedSource(rechunk(self.source, chunks), self.change)
