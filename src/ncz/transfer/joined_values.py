"""The values of arrays that are joined along one dimension."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.data import (
    ChunkSource,
    DerivedSource,
    Values,
    dtype_of,
    fill_array,
    read_box,
    read_present,
)
from ncz.model.grid import Box, ChunkGrid, Grid, Index
from ncz.model.linear_blocks import LARGEST_BLOCK
from ncz.model.types import NcType, Value
from ncz.record import field, record, replace
from ncz.transfer.joined_grid import joined_grid


def joined_values(parts: Sequence[ChunkSource], axis: int, chunks: tuple[int, ...]) -> JoinedValues:
    """Return the arrays as one, which is read in chunks of that shape."""
    joined = JoinedValues.of(tuple(parts), axis)
    return replace(joined, grid=ChunkGrid(joined.grid.shape, chunks))


def _starts(lengths: Sequence[int]) -> tuple[int, ...]:
    """Return the first index of each part."""
    starts = [0]
    for length in lengths[:-1]:
        starts.append(starts[-1] + length)
    return tuple(starts)


class CompositeSource(ChunkSource):
    """A source made of several parts, which have the type and the fill of the first one."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        @abstractmethod
        def parts(self) -> Sequence[ChunkSource]:
            """The parts."""

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.parts[0].type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.parts[0].fill

    @property
    def is_shared(self) -> bool:
        """Whether threads can read chunks of all parts at the same time."""
        return all(part.is_shared for part in self.parts)


@record
class JoinedValues(CompositeSource):
    """A `ncz.model.data.ChunkSource` whose chunks are read from one or more parts.

    `grid` has the joined shape, by default in the chunks of the parts. `starts` are the first
    indices of the parts along the axis.
    """

    parts: tuple[ChunkSource, ...]
    axis: int
    grid: Grid
    starts: tuple[int, ...]
    misfit: str = ""
    divide: Callable[[], ChunkSource] | None = field(default=None, compare=False, repr=False)
    """Joins the chunks within the shards of the parts; None if these have no shards."""

    @staticmethod
    def of(parts: tuple[ChunkSource, ...], axis: int) -> JoinedValues:
        """Join the values of `parts`."""
        most = LARGEST_BLOCK // max(1, dtype_of(parts[0].type).itemsize)
        grid = joined_grid([part.grid for part in parts], axis, most)
        starts = _starts([part.grid.shape[axis] for part in parts])
        return JoinedValues(parts, axis, grid, starts)

    @property
    def is_divisible(self) -> bool:
        """Whether all parts read chunks of any consecutive elements as well as their own."""
        return all(part.is_divisible for part in self.parts)

    def unshard(self) -> ChunkSource:
        """Return the same values with the chunks within shards as stored chunks, or itself."""
        return self if self.divide is None else self.divide()

    def rechunk(self, chunks: tuple[int, ...]) -> JoinedValues:
        """Return the same values in chunks of that shape, if all parts read any chunks as well."""
        if not self.is_divisible:
            return self
        parts = [part.rechunk(chunks) for part in self.parts]
        if any(part.grid.chunks != chunks for part in parts):
            return self
        return replace(self, parts=tuple(parts), grid=ChunkGrid(self.grid.shape, chunks))

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing in all parts."""
        return self.read(self.grid.box(index))

    def read(self, box: Box) -> Values | None:
        """Return the values of any box; None if they are missing in all parts.

        Missing chunks of some parts are filled.
        """
        axis = self.axis
        start, stop = box.start[axis], box.stop[axis]
        parts: list[tuple[ChunkSource, Box, Values | None]] = []
        number = bisect_right(self.starts, start) - 1
        while start < stop:
            part, first = self.parts[number], self.starts[number]
            high = min(stop, first + part.grid.shape[axis])
            if start < high:
                inner = (*box.start[:axis], start - first, *box.start[axis + 1 :])
                end = (*box.stop[:axis], high - first, *box.stop[axis + 1 :])
                here = Box(inner, end)
                parts.append((part, here, read_present(part.within(here), here)))
                start = high
            number += 1
        if all(v is None and repr(part.fill) == repr(self.fill) for part, _, v in parts):
            return None
        return np.concatenate(
            [fill_array(b.shape, p.type, p.fill) if v is None else v for p, b, v in parts], axis
        )


@record
class GatheredValues(CompositeSource):
    """A `ncz.model.data.ChunkSource` of some indices of several parts, in any order.

    `numbers` and `indices` have the part and its index along the axis of each joined index.
    """

    parts: tuple[ChunkSource, ...]
    axis: int
    grid: Grid
    numbers: Values
    indices: Values

    @staticmethod
    def of(
        parts: tuple[ChunkSource, ...], axis: int, numbers: Values, indices: Values
    ) -> GatheredValues:
        """Gather the values of `parts`."""
        first = JoinedValues.of(parts[:1], axis).grid
        shape = (*first.shape[:axis], numbers.size, *first.shape[axis + 1 :])
        chunks = first.box((0,) * len(shape)).shape if first.size else (1,) * len(shape)
        return GatheredValues(parts, axis, ChunkGrid(shape, chunks), numbers, indices)

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values:
        """Return the values of a chunk."""
        box, axis = self.grid.box(index), self.axis
        here = slice(box.start[axis], box.stop[axis])
        numbers, indices = self.numbers[here], self.indices[here]
        result = np.empty(box.shape, dtype_of(self.type))
        before: tuple[Any, ...] = (slice(None),) * axis
        for number in np.unique(numbers):
            places = np.flatnonzero(numbers == number)
            # Neighbours are read together, with the bytes between them if they are few.
            ranks = places[np.argsort(indices[places], kind="stable")]
            for run in np.split(ranks, np.flatnonzero(np.diff(indices[ranks]) > _BETWEEN) + 1):
                low, high = int(indices[run[0]]), int(indices[run[-1]]) + 1
                start = (*box.start[:axis], low, *box.start[axis + 1 :])
                stop = (*box.stop[:axis], high, *box.stop[axis + 1 :])
                values = read_box(self.parts[number], Box(start, stop))
                result[(*before, run)] = values[(*before, indices[run] - low)]
        return result


@record
class CompletedValues(DerivedSource):
    """The values of an array, with missing ones from another of the same shape.

    `missing` returns which of some values are missing; None if none is.
    """

    source: ChunkSource
    other: ChunkSource
    missing: Callable[[Values], Values | None]

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values:
        """Return the values of a chunk."""
        box = self.grid.box(index)
        values = read_box(self.source, box)
        missing = self.missing(values)
        if missing is None:
            return values
        return np.where(missing, read_box(self.other, box), values)


_BETWEEN = 4
"""The longest step between two indices that are read together."""
