"""The values of an aggregated variable as a source of chunks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.formats.aggregation.partitions import Piece
from ncz.formats.aggregation.piece_chunks import chunks_of
from ncz.model.data import ChunkSource, PartitionedSource, Values
from ncz.model.grid import ChunkGrid, Grid, Index
from ncz.model.types import NcType, Value
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.formats.aggregation.aggregated_variable import Aggregation
    from ncz.zmap.source_file import SourceFile


MERGED = 1 << 17
"""Elements of a chunk of a copy, at least, if pieces are smaller."""


@record
class AggregatedSource(PartitionedSource):
    """The values of an aggregated variable as a `ncz.model.data.PartitionedSource`.

    `chunks` is the shape of the chunks; by default, they are the partitions, and large ones are
    divided. `sums` are the sums of the values that the master keeps.
    """

    aggregation: Aggregation
    chunks: tuple[int, ...] | None = None
    sums: str | None = None

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks."""
        if self.chunks is not None:
            return ChunkGrid(self.aggregation.aggregated.shape, self.chunks)
        return self.aggregation.reading_grid

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.aggregation.target.type

    @property
    def fill(self) -> Value:
        """The value of undefined partitions."""
        return self.aggregation.target.fill

    def kept_sums(self) -> str | None:
        """Return the sums of the values that the master keeps; None if it keeps none."""
        return self.sums

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if no piece has any of them."""
        return self.aggregation.read(self.grid.box(index))

    def rechunk(self, chunks: tuple[int, ...]) -> AggregatedSource:
        """Return the same values in chunks of that shape."""
        return replace(self, chunks=chunks)

    @property
    def partition_grid(self) -> Grid:
        """The partitions."""
        return self.aggregation.partitions.grid

    def defined_partitions(self) -> list[Index]:
        """Return the partitions that have values."""
        return sorted(self.aggregation.partitions.pieces)

    def places(self, index: Index) -> list[str]:
        """Return the place of the values of a partition; see `PartitionedSource`."""
        piece = self.aggregation.partitions.pieces[index]
        files = piece.files if isinstance(piece, Piece) else ()
        return [self.aggregation.place(piece, file).target for file in files]

    def source(self, index: Index) -> SourceFile | None:
        """Return the state of the file with a partition's values; see `PartitionedSource`."""
        piece = self.aggregation.partitions.pieces[index]
        files = piece.files if isinstance(piece, Piece) else ()
        return self.aggregation.state(files[0]) if files else None

    def referable(self) -> ChunkSource:
        """Return the encoded chunks of the pieces, or the values if the chunks do not fit together.

        All pieces are opened.
        """
        return chunks_of(self.aggregation) or self

    def preferred_chunks(self) -> tuple[int, ...]:
        """Return the shape of chunks that lets a copy read each piece about once."""
        grid = self.grid
        chunks = list(grid.chunks)
        for axis in reversed(range(len(chunks))):
            most = max(1, MERGED // math.prod(chunks)) * chunks[axis]
            if most < grid.shape[axis]:
                chunks[axis] = most
                break
            chunks[axis] = max(1, grid.shape[axis])
        return tuple(chunks)
