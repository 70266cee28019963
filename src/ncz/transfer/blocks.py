"""The blocks of rechunking an array: arithmetic of two grids and a memory limit.

A block is a box of whole target chunks that fits in memory. If source chunks are longer than target
chunks along an axis, fewer blocks need the same source chunk the longer blocks are along this axis.
Every source chunk is decoded once, for the first block that needs it: its pieces in later blocks
are written to a spill file, and read from there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from ncz.model.grid import Box, ChunkGrid, Grid, Index, IrregularGrid
from ncz.record import record

MOST_READS = 4
"""Number of times a source chunk may be decoded if the disk is too full for a spill file."""

_LOOKED_AT = 1000
"""Number of chunks along an axis of a regular grid that mean all of them."""


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
        axes = enumerate(self.shape)
        return math.prod(_max_blocks_per_chunk(self.source, axis, block) for axis, block in axes)

    @property
    def spilled_count(self) -> int:
        """The number of elements that are not in the first block that their chunk touches.

        It is an estimate if an axis has very many chunks.
        """
        size = math.prod(self.source.shape)
        axes = enumerate(self.shape)
        return size - int(size * math.prod(_first_share(self.source, axis, n) for axis, n in axes))


def blocks_for(source: Grid, target: Grid, limit: int) -> Blocks:
    """Choose blocks such that source chunks are decoded as few times as possible.

    Parameters
    ----------
    source, target
        The two grids, of the same shape; the target's is regular.
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
            now = _max_blocks_per_chunk(source, axis, shape[axis])
            then = _max_blocks_per_chunk(source, axis, longer)
            gain = now / then
            if best is None or gain > best[0]:
                best = (gain, axis, longer)
        if best is None or best[0] <= 1:
            return Blocks(source, target, tuple(shape))
        shape[best[1]] = best[2]


WIDE = 1 << 20
"""Bytes of the largest block that is widened, because each block has a cost."""


def widen(blocks: Blocks, limit: int) -> Blocks:
    """Return blocks of at most `limit` elements that consist of these, from the last axis on."""
    shape = list(blocks.shape)
    for axis in reversed(range(len(shape))):
        while shape[axis] < blocks.source.shape[axis] and 2 * math.prod(shape) <= limit:
            shape[axis] *= 2
    return Blocks(blocks.source, blocks.target, tuple(shape))


def _up(length: int, step: int) -> int:
    return -(-length // step) * step


def _spans(grid: Grid, axis: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the stop of chunks along an axis, of a regular grid only the first."""
    if isinstance(grid, IrregularGrid):
        yield from itertools.pairwise(grid.borders[axis])
        return
    length, chunk = grid.shape[axis], grid.chunks[axis]
    for start in range(0, min(length, _LOOKED_AT * chunk), chunk):
        yield start, min(start + chunk, length)


def _max_blocks_per_chunk(grid: Grid, axis: int, block: int) -> int:
    """Return the largest number of blocks that one chunk touches along an axis."""
    is_aligned = not isinstance(grid, IrregularGrid) and block % grid.chunks[axis] == 0
    if is_aligned or block >= grid.shape[axis]:
        return 1
    return max(
        (-(-stop // block) - start // block for start, stop in _spans(grid, axis)), default=1
    )


def _first_share(grid: Grid, axis: int, block: int) -> float:
    """Return the length of the part of an axis in the first block that its chunk touches."""
    first = total = 0
    for start, stop in _spans(grid, axis):
        first += min(stop, (start // block + 1) * block) - start
        total = stop
    return first / total if total else 1.0


@record
class Pieces:
    """The offset of each piece (the part of a source chunk in a block) in a spill file.

    Offsets are in elements. Blocks follow each other in row-major order, and so do the pieces
    within a block, by their source chunks. Every piece is contiguous.
    """

    blocks: Blocks

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
