"""The blocks in which an array is rechunked: arithmetic of two grids and a memory limit.

A block is a box of whole target chunks that fits in memory. The longer it is along the axes on
which a source chunk is longer than a target chunk, the fewer blocks need that source chunk. If
source chunks would still be decoded too often, their pieces are written to a spill file in one pass
over the source, and the blocks are read from it in a second pass (as in an external sort).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ncz.model.grid import Box, ChunkGrid, Grid, Index
from ncz.record import record

MOST_READS = 4
"""Number of times a source chunk may be decoded before a spill file is cheaper."""


@record
class Blocks:
    """Blocks of `shape`, a multiple of the target's chunks, over an array with two grids."""

    source: Grid
    target: Grid
    shape: tuple[int, ...]

    @property
    def grid(self) -> ChunkGrid:
        """The blocks as a grid."""
        return ChunkGrid(self.target.shape, self.shape)

    @property
    def reads(self) -> int:
        """The largest number of blocks that need the same source chunk."""
        most = 1
        for length, chunk, block in zip(
            self.source.shape, self.source.chunks, self.shape, strict=True
        ):
            most *= _most_touched(length, chunk, block)
        return most


def blocks_for(source: Grid, target: Grid, limit: int) -> Blocks:
    """Choose blocks such that source chunks are decoded as seldom as possible.

    Parameters
    ----------
    source, target
        The two grids, of the same shape; that of the target is regular.
    limit
        The most elements of a block; a block has at least one target chunk regardless.

    Returns
    -------
    Blocks
        The blocks.
    """
    shape = list(target.chunks)
    counts = target.counts
    while True:
        best: tuple[float, int, int] | None = None
        for axis, chunk in enumerate(target.chunks):
            longest = counts[axis] * chunk
            # The smallest of: twice the length, a whole source chunk, the whole axis.
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
    """Return the largest number of blocks that one chunk touches along an axis."""
    chunk = min(chunk, max(length, 1))
    if block % chunk == 0:
        return 1
    ends = range(0, length, chunk) if length // chunk < 1000 else range(0, 1000 * chunk, chunk)
    return max(
        (-(-min(start + chunk, length) // block) - start // block for start in ends), default=1
    )


@record
class Pieces:
    """The offset of each piece (the part of a source chunk in a block) in a spill file.

    Offsets are in elements. Blocks follow each other in row-major order, and so do the pieces
    within a block, by their source chunks. Every piece is contiguous.
    """

    blocks: Blocks

    def in_block(self, index: Index) -> Iterator[tuple[Index, Box]]:
        """Yield the source chunks that touch block `index`, each with the box in common."""
        box = self.blocks.grid.box(index)
        for chunk in self.blocks.source.indices(box):
            common = self.blocks.source.box(chunk).intersect(box)
            if common is not None:
                yield chunk, common

    def of_chunk(self, chunk: Index) -> Iterator[tuple[Index, Box]]:
        """Yield the blocks that source chunk `chunk` touches, each with the box in common."""
        grid = self.blocks.grid
        box = self.blocks.source.box(chunk)
        for index in grid.indices(box):
            common = grid.box(index).intersect(box)
            if common is not None:
                yield index, common

    def offset(self, index: Index, chunk: Index) -> int:
        """Return the offset of the piece of source chunk `chunk` in block `index`."""
        grid, source = self.blocks.grid, self.blocks.source
        box = grid.box(index)
        piece = source.box(chunk).intersect(box)
        assert piece is not None
        return _rank(grid.shape, box) + _rank(box.shape, piece.relative_to(box.start))


def _rank(shape: tuple[int, ...], box: Box) -> int:
    """Count the elements in boxes of a grid that precede `box` in row-major order.

    For each axis, the preceding boxes that have the same index as `box` on all earlier axes and a
    lower index on this one cover: the extent of `box` on the earlier axes, everything before its
    start on this axis, and the whole array on the later axes.
    """
    before = 0
    for axis in range(len(shape)):
        before += math.prod(box.shape[:axis]) * box.start[axis] * math.prod(shape[axis + 1 :])
    return before
