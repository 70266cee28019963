"""Chunks built from the values of other arrays, which copies treat as any others.

A copy then reads each chunk of the source once, in several threads and in bounded memory, also if
the chunks of the target have another shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.data import ChunkSource, Values, dtype_of
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Box, Grid, Index, IrregularGrid
from ncz.model.type_sizes import fixed_size
from ncz.model.types import NcType, Value
from ncz.record import record, replace


@record
class MadeChunks(EncodedSource):
    """An `ncz.model.encoded_arrays.EncodedSource` without stored chunks: `made` makes all of them.

    `where` names the array in messages. `refer` returns the same values in chunks that are each one
    part of a file, if that is possible.
    """

    made: ChunkSource
    layout: ChunkLayout
    where: str
    refer: Callable[[], ChunkSource] | None = None

    @staticmethod
    def of(made: ChunkSource, where: str) -> MadeChunks:
        """Return the values of a source as chunks, which are its units of reading."""
        grid, lengths = made.grid, None
        if isinstance(grid, IrregularGrid):
            pairs = map(itertools.pairwise, grid.borders)
            lengths = tuple(tuple(stop - start for start, stop in along) for along in pairs)
        order = in_order(len(grid.shape))
        layout = ChunkLayout(shape=grid.shape, chunks=grid.chunks, order=order, lengths=lengths)
        return MadeChunks(made, layout, where)

    @property
    def grid(self) -> Grid:
        """The chunks for reading the values."""
        return self.made.grid

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.made.type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.made.fill

    @property
    def stored_dtype(self) -> Any:
        """The dtype of the values."""
        return dtype_of(self.type).str

    @property
    def item_size(self) -> int:
        """Bytes of a value; 0 for objects."""
        return fixed_size(self.type)

    @property
    def stores_all(self) -> bool:
        """False, because all chunks are made."""
        return False

    @property
    def kept_share(self) -> float:
        """The share of the values whose chunks are stored: none."""
        return 0.0

    @property
    def is_shared(self) -> bool:
        """Whether threads can read chunks at the same time, in any order."""
        return self.made.is_shared

    @property
    def is_divisible(self) -> bool:
        """Whether chunks of any consecutive elements can be read."""
        return self.made.is_divisible

    def is_stored(self, index: Index) -> bool:
        """Return False, because all chunks are made."""
        return False

    def locate(self, index: Index) -> str:
        """Return the name of the array."""
        return self.where

    def present(self) -> Iterator[Index]:
        """Yield the indices of all chunks."""
        return self.grid.indices()

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return self.made.values_of(indices)

    def stored_values(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing."""
        return self.made.chunk(index)

    def rechunk(self, chunks: tuple[int, ...]) -> MadeChunks:
        """Return the same values in chunks of that shape, or itself if it cannot serve them."""
        made = self.made.rechunk(chunks)
        is_same = made is self.made
        return self if is_same else replace(MadeChunks.of(made, self.where), refer=self.refer)

    def within(self, box: Box) -> ChunkSource:
        """Return the same values in chunks that suit a read of one box."""
        return self.made.within(box)

    def referable(self) -> ChunkSource:
        """Return the same values in chunks that are ranges of a file's bytes, if possible."""
        return self if self.refer is None else self.refer()

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return None for each chunk: none is stored."""
        return [None] * len(indices)

    def elements(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return None for each chunk: none is stored."""
        return [None] * len(indices)

    def values(self, elements: Values, index: Index) -> Values:
        """Return elements, which are values."""
        return elements


def in_chunks(source: ChunkSource, where: str) -> EncodedSource | None:
    """Return a source as one that has chunks; None if not every thread can read any of them.

    `where` names the array in messages.
    """
    if isinstance(source, EncodedSource):
        return source
    return MadeChunks.of(source, where) if source.is_shared else None
