"""The grid of arrays that are joined along one dimension: each chunk is in one of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from ncz.model.grid import ChunkGrid, Grid, IrregularGrid


def joined_grid(grids: Sequence[Grid], axis: int, largest: int) -> Grid:
    """Return the grid of the joined array, whose chunks are whole chunks of one array each.

    Parameters
    ----------
    grids
        The grids of the arrays, in order, of the same shape along other axes.
    axis
        The axis along which they are joined.
    largest
        The most elements of a chunk that consists of several chunks of an array, because others
        have longer ones. Beyond it, chunks have the shape of the first array's along other axes.
    """
    first = grids[0]
    length = sum(grid.shape[axis] for grid in grids)
    shape = (*first.shape[:axis], length, *first.shape[axis + 1 :])
    filled = [grid for grid in grids if grid.shape[axis]]
    if not math.prod(shape):
        return ChunkGrid(shape, first.chunks)
    if len(filled) == 1:
        return filled[0]
    if _are_regular(filled, axis):
        return ChunkGrid(shape, filled[0].chunks)
    along = tuple(itertools.accumulate((n for g in filled for n in _lengths(g, axis)), initial=0))
    borders = [_common(filled, other) for other in range(len(shape))]
    borders[axis] = along
    if math.prod(IrregularGrid(tuple(borders)).chunks) > largest:
        borders = [_borders(filled[0], other) for other in range(len(shape))]
        borders[axis] = along
    return IrregularGrid(tuple(borders))


def _are_regular(grids: Sequence[Grid], axis: int) -> bool:
    """Return whether equal chunks of all arrays form one array."""
    chunks = grids[0].chunks
    is_like = all(isinstance(grid, ChunkGrid) and grid.chunks == chunks for grid in grids)
    return is_like and not any(grid.shape[axis] % chunks[axis] for grid in grids[:-1])


def _borders(grid: Grid, axis: int) -> tuple[int, ...]:
    return (*grid.starts(axis), grid.shape[axis])


def _lengths(grid: Grid, axis: int) -> Sequence[int]:
    return [stop - start for start, stop in itertools.pairwise(_borders(grid, axis))]


def _common(grids: Sequence[Grid], axis: int) -> tuple[int, ...]:
    """Return the borders along an axis that chunks of all arrays have."""
    common = set(_borders(grids[0], axis))
    seen = {(type(grids[0]), grids[0].chunks[axis])}
    for grid in grids[1:]:
        kind = (type(grid), grid.chunks[axis])
        if isinstance(grid, ChunkGrid) and kind in seen:
            continue
        seen.add(kind)
        common.intersection_update(_borders(grid, axis))
    return tuple(sorted(common))
