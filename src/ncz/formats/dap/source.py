"""The values of a variable on an OPeNDAP server, requested a chunk at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ncz.model.data import ChunkSource, Values
from ncz.model.grid import Box, ChunkGrid, Grid, Index, IrregularGrid
from ncz.model.linear_blocks import LARGEST_BLOCK, block_shape
from ncz.model.types import NcType, Value
from ncz.record import field, record, replace

LARGEST_ANSWER = 64 << 20
"""The most bytes of an answer with values whose size is not known before: texts."""

_OF_TEXT = 64
"""The bytes of a text that are expected."""

_LARGEST_OF_TEXTS = 1 << 20
"""The expected bytes of the texts of a chunk."""


@record(kw_only=True)
class DapArray(ChunkSource):
    """A `ChunkSource` that requests each chunk separately.

    Attributes
    ----------
    shape
        The shape of the variable.
    chunks
        The shape of its chunks.
    type
        The type of the values.
    fill
        The mask of the variable; no chunk is missing.
    item_size
        The bytes of a value in a response; 0 for strings.
    fetch
        Requests the values of a box.
    natural
        The chunks of the variable on the server; None if they are unknown.
    window
        The part that will be read, whose borders are borders of chunks; None for the whole.
    """

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    type: NcType
    fill: Value
    item_size: int
    fetch: Callable[[Box], Values] = field(compare=False, repr=False)
    natural: tuple[int, ...] | None = None
    window: Box | None = None

    @property
    def grid(self) -> Grid:
        """The shape, and the chunks in requests for the variable."""
        if self.window is None or not self.shape:
            return ChunkGrid(self.shape, self.chunks)
        ends = zip(self.window.start, self.window.stop, self.chunks, self.shape, strict=True)
        return IrregularGrid(
            tuple(tuple(sorted({0, *range(a, b, step), b, n})) for a, b, step, n in ends)
        )

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values:
        """Request the values of a chunk."""
        return self.fetch(self.grid.box(index))

    def rechunk(self, chunks: tuple[int, ...]) -> DapArray:
        """Return the same values in other chunks, unless these are too large for a request."""
        size = self.item_size or _OF_TEXT
        most = LARGEST_BLOCK if self.item_size else _LARGEST_OF_TEXTS
        is_small = math.prod(chunks) * size <= most
        return replace(self, chunks=chunks, window=None) if is_small else self

    def split(self, most: int) -> DapArray:
        """Return the same values in chunks of at most `most` bytes."""
        chunks = block_shape(self.shape, self.item_size or _OF_TEXT, most)
        return replace(self, chunks=chunks, window=None)

    def within(self, box: Box) -> DapArray:
        """Return the same values in chunks; chunks in a box do not reach beyond it."""
        return replace(self, chunks=request_chunks(box.shape, self.item_size), window=box)

    def preferred_chunks(self) -> tuple[int, ...] | None:
        """Return the chunks of the variable on the server."""
        return self.natural


def request_chunks(shape: tuple[int, ...], item_size: int) -> tuple[int, ...]:
    """Return the shape of the chunks in requests for an array.

    `item_size` is 0 for strings; fewer of them are requested together.
    """
    most = LARGEST_BLOCK if item_size else _LARGEST_OF_TEXTS
    return block_shape(shape, item_size or _OF_TEXT, most)
