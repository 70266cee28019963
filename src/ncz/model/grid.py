"""Boxes and chunk grids, regular and irregular: the arithmetic of indices.

A `Grid` divides an array into chunks. `ChunkGrid` is regular: its chunks have one shape, except at
the array's edge. `IrregularGrid` lists the borders of its chunks along each dimension.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import lt, sub
from typing import TYPE_CHECKING, Any

from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

Index = tuple[int, ...]
Shape = tuple[int, ...]


@record
class Box:
    """A block of an array, from `start` up to but not including `stop` along each dimension."""

    start: Index
    stop: Index

    @property
    def shape(self) -> Shape:
        """Number of elements along each dimension."""
        return tuple(map(sub, self.stop, self.start))

    @property
    def size(self) -> int:
        """Number of elements; 1 for a scalar."""
        return math.prod(self.shape)

    @property
    def slices(self) -> tuple[slice, ...]:
        """The box as slices, for indexing an array that begins at the origin."""
        return tuple(map(slice, self.start, self.stop))

    def clip(self, chunk: NDArray[Any]) -> NDArray[Any]:
        """Return the elements of a chunk that are within the array; this is the chunk's box."""
        return chunk[tuple(map(slice, self.shape))] if self.start else chunk

    def intersect(self, other: Box) -> Box | None:
        """Return the box that both cover, or None if they have no element in common."""
        start = tuple(map(max, self.start, other.start))
        stop = tuple(map(min, self.stop, other.stop))
        return Box(start, stop) if all(map(lt, start, stop)) else None

    def common(self, other: Box) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Return the intersection as slices of each box; the boxes have elements in common."""
        start = tuple(map(max, self.start, other.start))
        stop = tuple(map(min, self.stop, other.stop))
        return self._slices(start, stop), other._slices(start, stop)

    def _slices(self, start: Index, stop: Index) -> tuple[slice, ...]:
        origin = self.start
        return tuple(map(slice, map(sub, start, origin), map(sub, stop, origin)))

    def relative_to(self, origin: Index) -> Box:
        """Return the same box with indices counted from `origin`."""
        return Box(tuple(map(sub, self.start, origin)), tuple(map(sub, self.stop, origin)))


def whole(shape: Shape) -> Box:
    """Return the box that covers the whole array."""
    return Box((0,) * len(shape), shape)


class Grid(ABC):
    """The chunks of an array, of any shapes. A scalar has one chunk, with index ()."""

    __slots__ = ()

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """Number of elements of the array along each dimension."""

    @property
    @abstractmethod
    def chunks(self) -> Shape:
        """Length of the longest chunk along each dimension; at least 1."""

    @property
    @abstractmethod
    def counts(self) -> Shape:
        """Number of chunks along each dimension."""

    @property
    def size(self) -> int:
        """Number of chunks; 0 if a dimension has length 0."""
        return math.prod(self.counts)

    def indices(self, box: Box | None = None) -> Iterator[Index]:
        """Return the indices of all chunks, or of chunks that touch `box`, in row-major order."""
        if box is None:
            return _product([range(n) for n in self.counts])
        return iter(()) if box.size == 0 else _product(self.ranges(box))

    @abstractmethod
    def ranges(self, box: Box) -> tuple[range, ...]:
        """Return the range of chunk indices along each dimension that touches `box`."""

    @abstractmethod
    def box(self, index: Index) -> Box:
        """Return the part of the array that chunk `index` covers, clipped at the array's edge."""

    @abstractmethod
    def starts(self, axis: int) -> Sequence[int]:
        """Return the start of each chunk along one dimension."""

    @abstractmethod
    def cuts(self, axis: int, limit: int) -> Iterator[tuple[int, int]]:
        """Divide one dimension into consecutive pieces of at most `limit` elements.

        Yields the start and the stop of each piece. Pieces end on chunk borders where the limit
        allows it; a chunk that is longer than the limit is divided into equal parts.
        """


@record
class ChunkGrid(Grid):
    """A regular grid: every chunk has the shape `chunks`, clipped at the array's edge."""

    shape: Shape
    chunks: Shape

    def __post_init__(self) -> None:
        if len(self.shape) != len(self.chunks):
            raise ValueError(f"chunks {self.chunks} do not fit shape {self.shape}")
        if any(n < 0 for n in self.shape) or any(n < 1 for n in self.chunks):
            raise ValueError(f"not a valid grid: shape {self.shape}, chunks {self.chunks}")

    @property
    def counts(self) -> Shape:
        """Number of chunks along each dimension."""
        return tuple(-(-n // c) for n, c in zip(self.shape, self.chunks, strict=True))

    def ranges(self, box: Box) -> tuple[range, ...]:
        """Return the range of chunk indices along each dimension that touches `box`."""
        spans = zip(box.start, box.stop, self.chunks, strict=True)
        return tuple(range(a // c, -(-b // c)) for a, b, c in spans)

    def box(self, index: Index) -> Box:
        """Return the part of the array that chunk `index` covers, clipped at the array's edge."""
        start = tuple(i * c for i, c in zip(index, self.chunks, strict=True))
        ends = zip(start, self.chunks, self.shape, strict=True)
        return Box(start, tuple(min(a + c, n) for a, c, n in ends))

    def starts(self, axis: int) -> range:
        """Return the start of each chunk along one dimension."""
        return range(0, self.shape[axis], self.chunks[axis])

    def cuts(self, axis: int, limit: int) -> Iterator[tuple[int, int]]:
        """Divide one dimension into pieces of at most `limit` elements; see `Grid.cuts`."""
        length, chunk = self.shape[axis], self.chunks[axis]
        step = limit - limit % chunk if limit >= chunk else _part(chunk, limit)
        begin = 0
        while begin < length:
            end = min(begin + step, length)
            if step < chunk:  # stop at the chunk's border
                end = min(end, (begin // chunk + 1) * chunk)
            yield begin, end
            begin = end


@record
class IrregularGrid(Grid):
    """A grid whose chunks have individual lengths along each dimension.

    `borders` contains for each dimension the index of the start of every chunk, in ascending order,
    and at the end the length of the dimension: ``(0, 4, 6)`` is a chunk of 4 and one of 2 elements.
    """

    borders: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        for borders in self.borders:
            is_ascending = all(a < b for a, b in itertools.pairwise(borders))
            if not borders or borders[0] != 0 or not is_ascending:
                raise ValueError(f"not a valid grid: borders {borders}")

    @property
    def shape(self) -> Shape:
        """Number of elements of the array along each dimension."""
        return tuple(borders[-1] for borders in self.borders)

    @property
    def chunks(self) -> Shape:
        """Length of the longest chunk along each dimension; at least 1."""
        return tuple(
            max((b - a for a, b in itertools.pairwise(borders)), default=1)
            for borders in self.borders
        )

    @property
    def counts(self) -> Shape:
        """Number of chunks along each dimension."""
        return tuple(len(borders) - 1 for borders in self.borders)

    def ranges(self, box: Box) -> tuple[range, ...]:
        """Return the range of chunk indices along each dimension that touches `box`."""
        spans = zip(box.start, box.stop, self.borders, strict=True)
        return tuple(
            range(bisect_right(borders, a) - 1, bisect_left(borders, b)) for a, b, borders in spans
        )

    def box(self, index: Index) -> Box:
        """Return the part of the array that chunk `index` covers."""
        places = tuple(zip(index, self.borders, strict=True))
        return Box(
            tuple(borders[i] for i, borders in places),
            tuple(borders[i + 1] for i, borders in places),
        )

    def starts(self, axis: int) -> tuple[int, ...]:
        """Return the start of each chunk along one dimension."""
        return self.borders[axis][:-1]

    def cuts(self, axis: int, limit: int) -> Iterator[tuple[int, int]]:
        """Divide one dimension into pieces of at most `limit` elements; see `Grid.cuts`."""
        begin = end = 0
        for start, stop in itertools.pairwise(self.borders[axis]):
            if stop - begin <= limit:
                end = stop
                continue
            if begin < end:
                yield begin, end
            begin, end = start, stop
            if stop - start > limit:
                part = _part(stop - start, limit)
                for first in range(start, stop, part):
                    yield first, min(first + part, stop)
                begin = stop
        if begin < end:
            yield begin, end


def irregular_grid(lengths: Iterable[Iterable[int]]) -> IrregularGrid:
    """Return the grid whose chunks have these lengths along each dimension.

    Raises ValueError for a length below 1.
    """
    return IrregularGrid(tuple((0, *itertools.accumulate(chunks)) for chunks in lengths))


def _part(chunk: int, limit: int) -> int:
    """Return the length of the fewest equal parts of a chunk that do not exceed `limit`."""
    return -(-chunk // -(-chunk // limit))


_LONGEST_AXIS = 1 << 20
"""Length of the longest ranges that `itertools.product`, which copies them to memory, combines."""


def _product(ranges: Sequence[range]) -> Iterator[Index]:
    """Combine ranges of any length, in row-major order."""
    if not all(ranges):  # or all indices before the empty range would be tried
        return iter(())
    if all(each.stop - each.start <= _LONGEST_AXIS for each in ranges):
        return itertools.product(*ranges)
    if len(ranges) == 1:
        return zip(ranges[0], strict=True)
    return ((i, *rest) for i in ranges[0] for rest in _product(ranges[1:]))


def slabs(grid: Grid, limit: int) -> Iterator[Box]:
    """Divide an array into boxes that follow each other in row-major order.

    Concatenated, the flattened boxes are the flattened array. Boxes end on chunk borders where the
    limit allows it, so that few chunks are decoded twice. An empty array has no boxes.

    Parameters
    ----------
    grid
        The shape of the array, and its chunks.
    limit
        Most elements of a box, at least 1.
    """
    rank = len(grid.shape)
    if math.prod(grid.shape) == 0:
        return
    if rank == 0:
        yield Box((), ())
        return
    # Along `axis` the array is divided. Later axes fit whole; a box has one index on earlier ones.
    inner = [math.prod(grid.shape[axis + 1 :]) for axis in range(rank)]
    axis = next((a for a in range(rank) if inner[a] <= limit), rank - 1)
    step = max(1, limit // inner[axis])
    tail = grid.shape[axis + 1 :]
    for outer in _product([range(n) for n in grid.shape[:axis]]):
        for begin, end in grid.cuts(axis, step):
            yield Box(
                (*outer, begin, *(0 for _ in tail)),
                (*(i + 1 for i in outer), end, *tail),
            )
