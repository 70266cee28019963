"""An array stored as blocks of its flattened values, and read in boxes of any shape.

The data of a text are a list in row-major order, but writers read chunks. As many of the last
blocks are cached as neighbouring chunks share, so memory is bounded.
"""

from __future__ import annotations

import bisect
import math
from collections import OrderedDict
from collections.abc import Callable, Sequence

from ncz.late import numpy as np
from ncz.model.data import SLAB, Values, dtype_of, fill_array
from ncz.model.grid import Box, ChunkGrid, Index, Shape
from ncz.model.types import NcType, Value
from ncz.record import field, record

_MAX_CACHED = 1 << 28
"""Largest number of bytes in cached blocks."""


_SHORT = 1 << 13
"""Elements of a row that are copied in less time than it takes to find a part of them."""


@record
class FlatBlocks:
    """Consecutive values of an array of shape `grid.shape`, block by block.

    Block `n` has ``counts[n]`` values, beginning at the flat index ``bases[n]``. Bases
    ascend; elements between two blocks are `fill`. `read` returns the values of one block.
    """

    grid: ChunkGrid
    type: NcType
    fill: Value
    bases: Sequence[int]
    counts: Sequence[int]
    read: Callable[[int], Values]
    cache: OrderedDict[int, Values] = field(default_factory=OrderedDict, compare=False, repr=False)

    def box(self, box: Box) -> Values | None:
        """Read a box, as an array of shape ``box.shape``; None if no block overlaps it."""
        start = self._flat_index(box.start)
        stop = self._flat_index(tuple(n - 1 for n in box.stop)) + 1
        if not self._has_values(start, stop):
            return None
        values = np.empty(box.shape, dtype_of(self.type))
        self._copy_box(0, 0, box.start, box.stop, values)
        return values

    def _flat_index(self, index: Index) -> int:
        number = 0
        for i, n in zip(index, self.grid.shape, strict=True):
            number = number * n + i
        return number

    def _has_values(self, start: int, stop: int) -> bool:
        """Return whether a block has a value between two flat indices."""
        number = max(0, bisect.bisect_right(self.bases, start) - 1)
        while number < len(self.bases) and self.bases[number] < stop:
            if self.bases[number] + self.counts[number] > start:
                return True
            number += 1
        return False

    def _copy_box(self, axis: int, offset: int, start: Index, stop: Index, out: Values) -> None:
        """Copy the box from `start` to `stop`, in the sub-array at `offset`, to `out`."""
        shape = self.grid.shape
        if axis == len(shape):
            out[...] = self._flat(offset, 1).reshape(())
            return
        trailing = math.prod(shape[axis + 1 :])
        first, last = start[0], stop[0]
        if out.flags.c_contiguous and out.size == (last - first) * trailing:  # whole rows
            self._fill(offset + first * trailing, out.reshape(-1))
            return
        if trailing <= min(_SHORT, SLAB) or (last - first) * trailing <= SLAB:
            rest = tuple(slice(a, b) for a, b in zip(start[1:], stop[1:], strict=True))
            step = max(1, SLAB // max(1, trailing))
            for i in range(first, last, step):
                count = min(step, last - i)
                flat = self._flat(offset + i * trailing, count * trailing)
                part = flat.reshape(count, *shape[axis + 1 :])[:, *rest]
                out[i - first : i - first + count] = part
            return
        for i in range(first, last):
            self._copy_box(axis + 1, offset + i * trailing, start[1:], stop[1:], out[i - first])

    def _flat(self, start: int, count: int) -> Values:
        """Return `count` values from flat index `start` on, including fill."""
        stop = start + count
        number = max(0, bisect.bisect_right(self.bases, start) - 1)
        base = self.bases[number]
        if base <= start and stop <= base + self.counts[number]:
            return self._block(number)[start - base : stop - base]
        result = np.empty((count,), dtype_of(self.type))
        self._fill(start, result)
        return result

    def _fill(self, start: int, out: Values) -> None:
        """Copy the values from flat index `start` on to the flat array `out`."""
        stop = start + out.size
        number = max(0, bisect.bisect_right(self.bases, start) - 1)
        position = start
        while number < len(self.bases) and self.bases[number] < stop:
            base = self.bases[number]
            low = max(start, base)
            high = min(stop, base + self.counts[number])
            if low < high:
                self._put_fill(out[position - start : low - start])
                out[low - start : high - start] = self._block(number)[low - base : high - base]
                position = high
            number += 1
        self._put_fill(out[position - start :])

    def _put_fill(self, out: Values) -> None:
        """Write fill to all elements of `out`, which usually is empty."""
        if out.size:
            out[...] = fill_array(out.shape, self.type, self.fill)

    def _block(self, number: int) -> Values:
        """Return the values of one block, from the cache if possible."""
        if number in self.cache:
            self.cache.move_to_end(number)
            return self.cache[number]
        values = self.read(number)
        self.cache[number] = values
        cached = sum(self.counts[n] for n in self.cache)
        while len(self.cache) > 2 and cached > self._capacity():
            oldest, _ = self.cache.popitem(last=False)
            cached -= self.counts[oldest]
        return values

    def _capacity(self) -> int:
        """Return the number of elements to cache, which neighbouring chunks share."""
        shape, chunks = self.grid.shape, self.grid.chunks
        if all(c >= n for c, n in zip(chunks[1:], shape[1:], strict=True)):
            return 0
        most = _MAX_CACHED // dtype_of(self.type).itemsize
        return min(most, chunks[0] * math.prod(shape[1:]) + 2 * max(self.counts))


def row_chunks(shape: Shape) -> Shape:
    """Return the shape of chunks of about a million elements in whole rows, as in a list."""
    chunks: list[int] = []
    remaining = SLAB
    for n in reversed(shape):
        chunks.append(max(1, min(n, remaining)))
        remaining //= max(1, n)
    return tuple(reversed(chunks))
