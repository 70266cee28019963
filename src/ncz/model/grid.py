"""Boxes and chunk grids: pure arithmetic of indices. Nothing else in ncz multiplies shapes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from ncz.record import record

Index = tuple[int, ...]
Shape = tuple[int, ...]


@record
class Box:
    """A block of an array: from `start` up to, not including, `stop`, along each dimension."""

    start: Index
    stop: Index

    @property
    def shape(self) -> Shape:
        """Elements along each dimension."""
        return tuple(b - a for a, b in zip(self.start, self.stop, strict=True))

    @property
    def size(self) -> int:
        """Number of elements; 1 for a scalar."""
        return math.prod(self.shape)

    @property
    def slices(self) -> tuple[slice, ...]:
        """For indexing an array that begins at the origin."""
        return tuple(slice(a, b) for a, b in zip(self.start, self.stop, strict=True))

    def intersect(self, other: Box) -> Box | None:
        """What both cover, or None."""
        start = tuple(map(max, self.start, other.start))
        stop = tuple(map(min, self.stop, other.stop))
        return Box(start, stop) if all(a < b for a, b in zip(start, stop, strict=True)) else None

    def relative_to(self, origin: Index) -> Box:
        """The same box, counted from `origin`."""
        return Box(
            tuple(a - o for a, o in zip(self.start, origin, strict=True)),
            tuple(b - o for b, o in zip(self.stop, origin, strict=True)),
        )


def whole(shape: Shape) -> Box:
    """The box that is the whole array."""
    return Box((0,) * len(shape), shape)


@record
class ChunkGrid:
    """A regular grid of chunks over an array; a scalar has one chunk, with index ()."""

    shape: Shape
    chunks: Shape

    def __post_init__(self) -> None:
        if len(self.shape) != len(self.chunks):
            raise ValueError(f"chunks {self.chunks} do not fit shape {self.shape}")
        if any(n < 0 for n in self.shape) or any(n < 1 for n in self.chunks):
            raise ValueError(f"impossible grid: shape {self.shape}, chunks {self.chunks}")

    @property
    def counts(self) -> Shape:
        """Chunks along each dimension."""
        return tuple(-(-n // c) for n, c in zip(self.shape, self.chunks, strict=True))

    @property
    def size(self) -> int:
        """Number of chunks; 0 if a dimension has length 0."""
        return math.prod(self.counts)

    def indices(self, box: Box | None = None) -> Iterator[Index]:
        """Indices, in row-major order, of all chunks or of those that touch `box`."""
        if box is None:
            return itertools.product(*(range(n) for n in self.counts))
        if box.size == 0:
            return iter(())
        spans = zip(box.start, box.stop, self.chunks, strict=True)
        return itertools.product(*(range(a // c, -(-b // c)) for a, b, c in spans))

    def box(self, index: Index) -> Box:
        """What chunk `index` covers of the array: clipped at the array's edge."""
        start = tuple(i * c for i, c in zip(index, self.chunks, strict=True))
        ends = zip(start, self.chunks, self.shape, strict=True)
        return Box(start, tuple(min(a + c, n) for a, c, n in ends))


def slabs(grid: ChunkGrid, limit: int) -> Iterator[Box]:
    """Cut the array into boxes that follow each other in row-major order.

    Concatenated, the flattened boxes are the flattened array. Each holds at most `limit` elements
    unless one chunk's row along the last dimension is more, and ends on chunk borders where
    it can, so that a chunk is decoded as seldom as the limit allows. Nothing for an empty array.
    """
    rank = len(grid.shape)
    if math.prod(grid.shape) == 0:
        return
    if rank == 0:
        yield Box((), ())
        return
    # The axis along which to cut: everything after it fits whole, everything before is single.
    inner = [math.prod(grid.shape[axis + 1 :]) for axis in range(rank)]
    axis = next((a for a in range(rank) if inner[a] <= limit), rank - 1)
    step = max(1, limit // inner[axis])
    chunk = grid.chunks[axis]
    if step >= chunk:
        step -= step % chunk
    else:  # a chunk in equal parts
        step = -(-chunk // -(-chunk // step))
    for outer in itertools.product(*(range(n) for n in grid.shape[:axis])):
        begin = 0
        while begin < grid.shape[axis]:
            end = min(begin + step, grid.shape[axis])
            if step < chunk:  # do not straddle a chunk border
                end = min(end, (begin // chunk + 1) * chunk)
            tail = grid.shape[axis + 1 :]
            yield Box(
                (*outer, begin, *(0 for _ in tail)),
                (*(i + 1 for i in outer), end, *tail),
            )
            begin = end
