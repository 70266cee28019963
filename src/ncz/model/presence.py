"""The chunks of a grid that exist, in little memory."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.grid import Box, Grid, Index, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LARGEST_MAP = 1 << 26
"""Number of chunks of the largest grid with one byte per chunk."""

_PIECE = 1 << 16
"""Number of chunks that are looked at together."""


def sorted_indices(grid: Grid, indices: Iterable[Index]) -> Iterator[Index]:
    """Yield indices in row-major order, each once, in the memory of `Presence`, without numpy."""
    if grid.size > _LARGEST_MAP:
        yield from Presence(grid, indices).indices()
        return
    counts = grid.counts
    flags = bytearray(grid.size)
    for index in indices:
        flags[_number(index, counts)] = 1
    axes = counts[:0:-1]
    number = flags.find(1)
    while number >= 0:
        rest = number
        reverse = []
        for count in axes:
            rest, i = divmod(rest, count)
            reverse.append(i)
        reverse.extend((rest,) if counts else ())
        yield tuple(reversed(reverse))
        number = flags.find(1, number + 1)


def _number(index: Index, counts: Index) -> int:
    """Return the position of a chunk in row-major order."""
    number = 0
    for i, count in zip(index, counts, strict=True):
        number = number * count + i
    return number


class Presence:
    """The chunks of a grid that exist, in row-major order.

    There is one byte for each chunk of the grid. If the grid is huge, there are eight bytes for
    each chunk that exists, and one more for each after the first of them is removed.

    Parameters
    ----------
    grid
        The grid.
    indices
        The indices of the chunks that exist, in any order; an index may be given twice.
    most_flags
        Number of chunks of the largest grid with a byte for each.
    """

    def __init__(
        self, grid: Grid, indices: Iterable[Index], most_flags: int = _LARGEST_MAP
    ) -> None:
        self._grid = grid
        self._flags: NDArray[np.bool_] | None = None
        self._numbers: NDArray[Any] | None = None
        self._kept: NDArray[np.bool_] | None = None
        if grid.size <= most_flags:
            self._flags = np.zeros(grid.counts, bool)
            for index in indices:
                self._flags[index] = True
        else:
            dtype = np.int64 if grid.size < 1 << 63 else object
            self._numbers = np.fromiter((_number(i, grid.counts) for i in indices), dtype)
            self._numbers.sort()
            is_new = self._numbers[1:] != self._numbers[:-1]
            if not is_new.all():
                self._numbers = self._numbers[np.append(True, is_new)]

    def remove(self, index: Index) -> None:
        """Record that chunk `index` does not exist."""
        if self._flags is not None:
            self._flags[index] = False
        elif self._numbers is not None:
            if self._kept is None:
                self._kept = np.ones(len(self._numbers), bool)
            number = _number(index, self._grid.counts)
            place = bisect_left(self._numbers, number)
            if place < len(self._numbers) and self._numbers[place] == number:
                self._kept[place] = False

    def indices(self) -> Iterator[Index]:
        """Yield the indices of all chunks that exist."""
        return self.within(whole(self._grid.shape))

    def any(self, box: Box) -> bool:
        """Return whether a chunk that touches `box` exists."""
        if self._flags is None:
            return next(self.within(box), None) is not None
        here = tuple(slice(r.start, r.stop) for r in self._grid.ranges(box))
        return box.size > 0 and bool(self._flags[here].any())

    def all(self, box: Box) -> bool:
        """Return whether all chunks that touch `box` exist; False if the grid is huge."""
        if self._flags is None:
            return False
        here = tuple(slice(r.start, r.stop) for r in self._grid.ranges(box))
        return bool(self._flags[here].all())

    def within(self, box: Box) -> Iterator[Index]:
        """Yield the indices of chunks that touch `box`; an empty box touches none."""
        if box.size == 0:
            return
        ranges = [(run.start, run.stop) for run in self._grid.ranges(box)]
        if self._numbers is not None:
            yield from self._indices_among(self._numbers, ranges)
            return
        assert self._flags is not None
        if not ranges:
            yield from [()] if self._flags else []
            return
        (first, last), *rest = ranges
        step = max(1, _PIECE // max(1, math.prod(b - a for a, b in rest)))
        for start in range(first, last, step):
            piece = [(start, min(start + step, last)), *rest]
            here = self._flags[tuple(slice(a, b) for a, b in piece)].nonzero()
            for place in zip(*(axis.tolist() for axis in here), strict=True):
                yield tuple(i + a for i, (a, _) in zip(place, piece, strict=True))

    def _indices_among(
        self, numbers: NDArray[Any], ranges: list[tuple[int, int]]
    ) -> Iterator[Index]:
        if any(a >= b for a, b in ranges):
            return
        mask, counts = self._kept, self._grid.counts
        start = bisect_left(numbers, _number(tuple(a for a, _ in ranges), counts))
        stop = bisect_right(numbers, _number(tuple(b - 1 for _, b in ranges), counts))
        for at in range(start, stop, _PIECE):
            rest = numbers[at : min(at + _PIECE, stop)]
            axes = []
            for count in reversed(counts):
                axes.append(rest % count)
                rest = rest // count
            axes.reverse()
            here = np.ones(len(rest), bool) if mask is None else mask[at : at + len(rest)].copy()
            for axis, (a, b) in zip(axes, ranges, strict=True):
                here &= (axis >= a) & (axis < b)
            yield from zip(*(axis[here].tolist() for axis in axes), strict=True)
