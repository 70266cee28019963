"""Subsets: chunk sources with some indices of another source, in any order.

Only the chunks that the selected indices touch are read. Every variable with a selected dimension
becomes shorter, so that coordinates and bounds match the data.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from ncz.late import numpy as np
from ncz.model.data import ChunkSource, DerivedSource, Values
from ncz.model.grid import Box, Grid, Index, IrregularGrid
from ncz.model.tree import (
    Dataset,
    Dimension,
    Storage,
    Variable,
    dimensions_by_fqn,
    each_dimension,
    each_variable,
)
from ncz.record import record, replace

Indices = tuple[range, ...] | Values
"""Indices along one dimension: ranges that follow each other in the subset, or an array."""

_NOT_STORED = -1
"""The index of a chunk where the source has no elements."""


@record
class _Axis:
    """The indices along one axis, in pieces that each are in one chunk of the source.

    `runs` are the indices, which begin at `firsts` in the subset if they are ranges. `chunks` are
    the index of the chunk of each piece, and `borders` are the starts of the pieces in the subset,
    and at the end its length.
    """

    runs: Indices
    firsts: tuple[int, ...]
    chunks: tuple[int, ...]
    borders: tuple[int, ...]

    def within(self, start: int, stop: int, origin: int) -> slice | Values:
        """Return the indices from position `start` to `stop`, all of one piece, in its chunk."""
        if not isinstance(self.runs, tuple):
            return self.runs[start:stop] - origin
        number = bisect_right(self.firsts, start) - 1
        run, first = self.runs[number], self.firsts[number]
        begin, last = run[start - first] - origin, run[stop - 1 - first] - origin
        end = last + (1 if run.step > 0 else -1)
        return slice(begin, None if end < 0 else end, run.step)


@record
class SubsetSource(DerivedSource):
    """A `ChunkSource` of some indices of another one.

    `axes` has the indices of the source along each dimension. A chunk is the part of one chunk of
    the source.
    """

    source: ChunkSource
    axes: tuple[_Axis, ...]
    grid: Grid

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing in the source."""
        outer = [
            tuple(axis.chunks[i] for axis, i in zip(self.axes, index, strict=True))
            for index in indices
        ]
        stored = list(dict.fromkeys(each for each in outer if _NOT_STORED not in each))
        chunks = dict(zip(stored, self.source.values_of(stored), strict=True))
        found = zip(indices, outer, strict=True)
        return [self._part(index, each, chunks.get(each)) for index, each in found]

    def _part(self, index: Index, outer: Index, values: Values | None) -> Values | None:
        """Return the values of a chunk, selected from a chunk of the source."""
        if values is None or not index:
            return values
        origin = self.source.grid.box(outer).start
        box = self.grid.box(index)
        parts = zip(self.axes, box.start, box.stop, origin, strict=True)
        found = [axis.within(a, b, at) for axis, a, b, at in parts]
        part: Values = values[tuple(f if isinstance(f, slice) else slice(None) for f in found)]
        for number, each in enumerate(found):
            if not isinstance(each, slice):
                part = part.take(each, number)
        return part


def subset_source(source: ChunkSource, indices: Sequence[range | Indices]) -> SubsetSource:
    """Return the given indices of a source.

    Indices beyond its end are left out at the end of a dimension, and missing before it.
    """
    runs = [(each,) if isinstance(each, range) else each for each in indices]
    axes = tuple(_axis(source.grid, axis, each) for axis, each in enumerate(runs))
    return SubsetSource(source, axes, IrregularGrid(tuple(axis.borders for axis in axes)))


_Piece = tuple[int, int]
"""The number of elements of a piece, and the index of its chunk."""


def _axis(grid: Grid, axis: int, runs: Indices) -> _Axis:
    """Divide indices along one dimension by the chunks that contain them."""
    firsts: tuple[int, ...] = ()
    if isinstance(runs, tuple):
        firsts = tuple(itertools.accumulate((len(run) for run in runs[:-1]), initial=0))
        starts = grid.starts(axis)
        pieces = [piece for run in runs for piece in _pieces_of_range(grid, axis, run, starts)]
    else:
        pieces = list(_pieces_of_array(grid, axis, runs))
    while pieces and pieces[-1][1] == _NOT_STORED:
        pieces.pop()
    borders = tuple(itertools.accumulate((count for count, _ in pieces), initial=0))
    return _Axis(runs, firsts, tuple(chunk for _, chunk in pieces), borders)


def _pieces_of_range(grid: Grid, axis: int, run: range, starts: Sequence[int]) -> list[_Piece]:
    if run.step < 0:
        return _pieces_of_range(grid, axis, run[::-1], starts)[::-1]
    stored = run[: bisect_left(run, grid.shape[axis])]
    pieces = []
    done = 0
    # Chunks are in ascending order, so that each piece begins at the end of the previous one.
    for number in _touched_chunks(grid, axis, stored):
        end = starts[number + 1] if number + 1 < len(starts) else grid.shape[axis]
        stop = bisect_left(stored, end)
        if stop > done:
            pieces.append((stop - done, number))
            done = stop
    if done < len(stored):  # an array without chunks, as another axis is empty
        pieces.append((len(stored) - done, 0))
    if len(stored) < len(run):
        pieces.append((len(run) - len(stored), _NOT_STORED))
    return pieces


def _touched_chunks(grid: Grid, axis: int, run: range) -> range:
    """Return the chunks along one axis, from the first index's chunk to the last index's."""
    if not run or not grid.size:
        return range(0)
    start, stop = [0] * len(grid.shape), [1] * len(grid.shape)
    start[axis], stop[axis] = run[0], run[-1] + 1
    return grid.ranges(Box(tuple(start), tuple(stop)))[axis]


def _pieces_of_array(grid: Grid, axis: int, indices: Values) -> Iterator[_Piece]:
    if not indices.size:
        return
    numbers = np.searchsorted(np.asarray(grid.starts(axis)), indices, side="right") - 1
    numbers[indices >= grid.shape[axis]] = _NOT_STORED
    ends = np.append(np.flatnonzero(np.diff(numbers)) + 1, numbers.size)
    counts = np.diff(ends, prepend=0)
    yield from zip(counts.tolist(), numbers[ends - 1].tolist(), strict=True)


_MOST_RANGES = 16
"""Limit of the ranges of indices; more become an array."""


def indices_of(places: Values) -> Indices:
    """Return indices as one range if they are evenly spaced, or as a few ranges if possible."""
    if places.size < 2:
        return tuple(range(int(i), int(i) + 1) for i in places) or (range(0),)
    steps = np.diff(places)
    first = int(steps[0])
    if first and np.all(steps == first):
        return (range(int(places[0]), int(places[-1]) + (1 if first > 0 else -1), first),)
    breaks = np.flatnonzero(steps != 1) + 1
    if breaks.size >= _MOST_RANGES:
        return places
    return tuple(range(int(r[0]), int(r[-1]) + 1) for r in np.split(places, breaks))


def length_of(indices: Indices) -> int:
    """Return the number of indices."""
    return sum(map(len, indices)) if isinstance(indices, tuple) else len(indices)


def subset(dataset: Dataset, selected: Mapping[str, range | Indices]) -> Dataset:
    """Return a dataset with some indices of its dimensions.

    Parameters
    ----------
    dataset
        The dataset, which must stay open while values are read.
    selected
        The indices to keep, by the FQN of the dimension.

    Returns
    -------
    Dataset
        The same groups, attributes and variables over shorter dimensions.
    """
    lengths = dimensions_by_fqn(dataset.root)
    runs = {fqn: (one,) if isinstance(one, range) else one for fqn, one in selected.items()}

    def shorten(fqn: str, dimension: Dimension) -> Dimension:
        return replace(dimension, size=length_of(runs[fqn])) if fqn in runs else dimension

    def part(_: str, variable: Variable) -> Variable:
        if not any(d in runs for d in variable.dimensions):
            return variable
        indices = [runs.get(d, (range(lengths[d].size),)) for d in variable.dimensions]
        data = None if variable.data is None else subset_source(variable.data, indices)
        shape = [length_of(each) for each in indices]
        return replace(variable, data=data, storage=_storage(variable.storage, shape))

    return each_dimension(each_variable(dataset, part), shorten)


def _storage(storage: Storage, shape: Sequence[int]) -> Storage:
    """Return the storage of the subset: chunks that are no longer than it, and no shards."""
    if storage.chunks is None:
        return storage
    chunks = tuple(min(c, max(1, n)) for c, n in zip(storage.chunks, shape, strict=True))
    return replace(storage, chunks=chunks, shards=None)
