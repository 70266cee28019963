"""In what blocks an array is cut anew: arithmetic of two grids and a bound on memory.

A block is a box of whole target chunks that fits in memory. The larger it is along the axes on
which a source chunk is longer than a target chunk, the less often that source chunk is needed.
When even so it is needed too often, its pieces are written to a spill file in one pass over the
source, and the blocks are read from there in a second (as in an external sort).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ncz.model.grid import Box, ChunkGrid, Index
from ncz.record import record

MOST_READS = 4
"""How often a source chunk may be decoded before a spill file costs less."""


@record
class Blocks:
    """Blocks of `shape` (a multiple of the target's chunks) over an array cut in two ways."""

    source: ChunkGrid
    target: ChunkGrid
    shape: tuple[int, ...]

    @property
    def grid(self) -> ChunkGrid:
        """The blocks as a grid."""
        return ChunkGrid(self.target.shape, self.shape)

    @property
    def reads(self) -> int:
        """How often the source chunk that is needed most is needed."""
        most = 1
        for length, chunk, block in zip(
            self.source.shape, self.source.chunks, self.shape, strict=True
        ):
            most *= _most_touched(length, chunk, block)
        return most


def blocks_for(source: ChunkGrid, target: ChunkGrid, limit: int) -> Blocks:
    """The blocks of at most `limit` elements that need source chunks least often.

    A block has one target chunk at least, whatever `limit` is.
    """
    shape = list(target.chunks)
    counts = target.counts
    while True:
        best: tuple[float, int, int] | None = None
        for axis, chunk in enumerate(target.chunks):
            longest = counts[axis] * chunk
            # Twice as much, or as much as covers a source chunk, or all: what comes first.
            longer = min(2 * shape[axis], _up(source.chunks[axis], chunk), longest)
            if longer <= shape[axis]:
                longer = min(2 * shape[axis], longest)
            if longer <= shape[axis]:
                continue
            if math.prod(shape) // shape[axis] * longer > limit:
                longer = limit // (math.prod(shape) // shape[axis]) // chunk * chunk
                if longer <= shape[axis]:
                    continue
            now = _most_touched(source.shape[axis], source.chunks[axis], shape[axis])
            then = _most_touched(source.shape[axis], source.chunks[axis], longer)
            gain = now / then
            if best is None or gain > best[0]:
                best = (gain, axis, longer)
        if best is None or best[0] <= 1:
            return Blocks(source, target, tuple(shape))
        shape[best[1]] = best[2]


def _up(length: int, step: int) -> int:
    return -(-length // step) * step


def _most_touched(length: int, chunk: int, block: int) -> int:
    """How many blocks the chunk that touches most of them touches, along one axis."""
    chunk = min(chunk, max(length, 1))
    if block % chunk == 0:
        return 1
    ends = range(0, length, chunk) if length // chunk < 1000 else range(0, 1000 * chunk, chunk)
    return max(
        (-(-min(start + chunk, length) // block) - start // block for start in ends), default=1
    )


@record
class Pieces:
    """Where each piece (a source chunk within a block) lies in a spill file, in elements.

    Blocks follow each other in row-major order, and within a block its pieces, in row-major order
    of their source chunks; every piece is contiguous.
    """

    blocks: Blocks

    def in_block(self, index: Index) -> Iterator[tuple[Index, Box]]:
        """The source chunks that touch block `index`, with what they cover of it."""
        box = self.blocks.grid.box(index)
        for chunk in self.blocks.source.indices(box):
            common = self.blocks.source.box(chunk).intersect(box)
            if common is not None:
                yield chunk, common

    def of_chunk(self, chunk: Index) -> Iterator[tuple[Index, Box]]:
        """The blocks that source chunk `chunk` touches, with what it covers of them."""
        grid = self.blocks.grid
        box = self.blocks.source.box(chunk)
        for index in grid.indices(box):
            common = grid.box(index).intersect(box)
            if common is not None:
                yield index, common

    def offset(self, index: Index, chunk: Index) -> int:
        """Where the piece of source chunk `chunk` in block `index` begins."""
        grid, source = self.blocks.grid, self.blocks.source
        box = grid.box(index)
        piece = source.box(chunk).intersect(box)
        assert piece is not None
        return _rank(grid.shape, box) + _rank(box.shape, piece.relative_to(box.start))


def _rank(shape: tuple[int, ...], box: Box) -> int:
    """Elements of an array of `shape` that come before `box` when a grid's boxes follow each other.

    The boxes of a grid with the same index as `box` on the first axes, and a lower one on the next,
    have together the elements that `box` has on the first axes, lie before it on the next, and all
    on the rest.
    """
    before = 0
    for axis in range(len(shape)):
        before += math.prod(box.shape[:axis]) * box.start[axis] * math.prod(shape[axis + 1 :])
    return before
