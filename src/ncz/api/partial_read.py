"""Read selected positions of a chunk source in threads, without other chunks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ncz.api.values import full_array, numpy_dtype, to_numpy
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values
from ncz.model.grid import Box, Grid
from ncz.model.sparse_source import MANY, SparseSource, sparse
from ncz.parallel.threads import ThreadPool
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Positions = range | NDArray[np.intp]


_MEMORY = 256 << 20
"""Memory limit, in bytes, for chunks that are decoded at the same time."""

_SMALL = 1 << 18
"""Bytes of the largest read that one thread makes, unless it waits for a server."""


@record
class _Part:
    """Along one axis, the positions within one chunk: their places in it and in the result."""

    chunk: int
    inside: slice | NDArray[np.intp]
    places: slice | NDArray[np.intp]


def read_positions(
    source: ChunkSource, positions: tuple[Positions, ...], threads: int, *, is_remote: bool = False
) -> Values:
    """Read the elements at some positions along each axis.

    Parameters
    ----------
    source
        The values. Positions beyond its shape are fill: another variable may have extended a shared
        dimension.
    positions
        For each axis an ascending range, or an array of indices in any order.
    threads
        Most chunks that are read at the same time.
    is_remote
        Whether a read waits for a server, so that small chunks are read in parallel too.

    Returns
    -------
    ndarray
        A new array in native byte order, of the dtype that `numpy_dtype` returns.
    """
    shape = tuple(len(along) for along in positions)
    if math.prod(shape) == 0 or source.grid.size == 0:
        return full_array(shape, source.type, source.fill)
    bounds = _bounds(positions)
    is_within = all(end <= n for end, n in zip(bounds.stop, source.grid.shape, strict=True))
    if is_within:
        source = source.within(bounds)
    grid = source.grid
    parts = [list(_parts(grid, axis, along)) for axis, along in enumerate(positions)]
    count = math.prod(len(along) for along in parts)
    if count >= MANY:
        source = sparse(source)
    selects = isinstance(source, SparseSource)
    if selects or not is_within:
        result = full_array(shape, source.type, source.fill)
    else:
        result = np.empty(shape, numpy_dtype(source.type))

    def put(piece: tuple[_Part, ...]) -> None:
        _put(source, piece, result)

    pieces = _selected_parts(source, parts) if selects else itertools.product(*parts)
    cost = math.prod(grid.chunks) * max(1, result.dtype.itemsize)
    if count == 1 or threads == 1 or (count * cost <= _SMALL and not is_remote):
        for piece in pieces:
            put(piece)
        return result
    with ThreadPool(_MEMORY, threads) as pool:
        for _ in pool.each(put, pieces, max(cost, _SMALL) if is_remote else cost):
            pass
    return result


def _selected_parts(
    source: ChunkSource, parts: Sequence[Sequence[_Part]]
) -> Iterator[tuple[_Part, ...]]:
    """Yield the parts of the chunks that may exist."""
    axes = [{part.chunk: part for part in along} for along in parts]
    firsts = source.grid.box(tuple(min(along, default=0) for along in axes))
    lasts = source.grid.box(tuple(max(along, default=0) for along in axes))
    for index in source.indices_in(Box(firsts.start, lasts.stop)):
        if all(chunk in along for chunk, along in zip(index, axes, strict=True)):
            yield tuple(along[chunk] for chunk, along in zip(index, axes, strict=True))


def _put(source: ChunkSource, piece: tuple[_Part, ...], result: Values) -> None:
    """Read one chunk, and copy the selected elements to their places in `result`."""
    values = source.chunk(tuple(part.chunk for part in piece))
    inside = _orthogonal([part.inside for part in piece])
    places = _orthogonal([part.places for part in piece])
    if values is None:
        elements = full_array((), source.type, source.fill)
    else:
        elements = to_numpy(values[(*inside, ...)], source.type)
    result[(*places, ...)] = elements  # with the ellipsis, an object of rank 0 is an array too


def _orthogonal(
    along: Sequence[slice | NDArray[np.intp]],
) -> tuple[slice | NDArray[np.intp], ...]:
    """Return the index of an array that selects along each axis independently."""
    if sum(not isinstance(each, slice) for each in along) <= 1:
        return tuple(along)
    return np.ix_(*(_indices(each) for each in along))  # numpy combines several arrays otherwise


def _indices(each: slice | NDArray[np.intp]) -> NDArray[np.intp]:
    return np.arange(each.start, each.stop, each.step) if isinstance(each, slice) else each


def _bounds(positions: Sequence[Positions]) -> Box:
    """Return the smallest box that contains all positions, without a look at each of a range."""
    ends = [
        (along[0], along[-1]) if isinstance(along, range) else (int(along.min()), int(along.max()))
        for along in positions
    ]
    return Box(tuple(first for first, _ in ends), tuple(last + 1 for _, last in ends))


def _parts(grid: Grid, axis: int, positions: Positions) -> Iterator[_Part]:
    """Divide the positions along one axis by the chunks that they touch."""
    if isinstance(positions, range):
        yield from _parts_of_range(grid, axis, positions)
        return

    order = np.argsort(positions, kind="stable")
    ascending = positions[order]
    begin = 0
    while begin < len(order) and ascending[begin] < grid.shape[axis]:
        first = int(ascending[begin])
        chunk = _touched_chunks(grid, axis, first, first + 1).start
        start, stop = _borders(grid, axis, chunk)
        end = int(np.searchsorted(ascending, stop))
        yield _Part(chunk, ascending[begin:end] - start, order[begin:end])
        begin = end


def _parts_of_range(grid: Grid, axis: int, positions: range) -> Iterator[_Part]:
    begin, step = positions.start, positions.step
    stop = min(positions[-1] + 1, grid.shape[axis])
    count = len(positions[: -(-(stop - begin) // step)])
    first = 0
    while first < count:  # one step for each chunk that is read, without the ones between
        chunk = _touched_chunks(grid, axis, positions[first], positions[first] + 1).start
        start, end = _borders(grid, axis, chunk)
        after = min(count, -(-(end - begin) // step))
        inside = slice(positions[first] - start, positions[after - 1] - start + 1, step)
        yield _Part(chunk, inside, slice(first, after))
        first = after


def _touched_chunks(grid: Grid, axis: int, start: int, stop: int) -> range:
    """Return the indices, along one axis, of the chunks from `start` up to `stop`."""
    rank = len(grid.shape)
    origin, end = [0] * rank, [1] * rank
    origin[axis], end[axis] = start, stop
    return grid.ranges(Box(tuple(origin), tuple(end)))[axis]


def _borders(grid: Grid, axis: int, chunk: int) -> tuple[int, int]:
    """Return the start and the end of a chunk along one axis."""
    index = [0] * len(grid.shape)
    index[axis] = chunk
    box = grid.box(tuple(index))
    return box.start[axis], box.stop[axis]
