"""The grid of joined arrays."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.model.grid import ChunkGrid, Grid, IrregularGrid
from ncz.transfer.joined_grid import joined_grid
from tests.sampled import share_of


@st.composite
def grids(draw: st.DrawFn) -> tuple[list[Grid], int]:
    """Draw the grids of arrays that differ along one axis alone."""
    rank = draw(st.integers(1, 3))
    axis = draw(st.integers(0, rank - 1))
    shape = [draw(st.integers(1, 12)) for _ in range(rank)]
    found: list[Grid] = []
    for _ in range(draw(st.integers(1, 4))):
        own = (*shape[:axis], draw(st.integers(0, 12)), *shape[axis + 1 :])
        if draw(st.booleans()):
            borders = []
            for n in own:
                inner = draw(st.sets(st.integers(1, max(1, n - 1)), max_size=3)) if n > 1 else set()
                borders.append((0, *sorted(inner), n) if n else (0,))
            found.append(IrregularGrid(tuple(borders)))
        else:
            found.append(ChunkGrid(own, tuple(draw(st.integers(1, 14)) for _ in own)))
    return found, axis


@given(grids(), st.sampled_from([1, 40, 10**6]))
@settings(max_examples=share_of(300), deadline=None)
def test_each_chunk_is_whole_chunks_of_one_array(drawn: tuple[list[Grid], int], most: int) -> None:
    parts, axis = drawn
    whole = joined_grid(parts, axis, most)
    lengths = [grid.shape[axis] for grid in parts]
    shape = (*parts[0].shape[:axis], sum(lengths), *parts[0].shape[axis + 1 :])
    assert whole.shape == shape
    seen = np.zeros(shape, int)
    ends = [0, *itertools.accumulate(lengths)]
    for index in whole.indices():
        box = whole.box(index)
        seen[box.slices] += 1
        part = next(n for n, end in enumerate(ends[1:]) if box.start[axis] < end)
        assert box.stop[axis] <= ends[part + 1]
        borders = {start + ends[part] for start in parts[part].starts(axis)} | {ends[part + 1]}
        assert {box.start[axis], box.stop[axis]} <= borders
        for other in range(len(shape)):
            if other != axis and most == 10**6:
                own = {*parts[part].starts(other), shape[other]}
                assert {box.start[other], box.stop[other]} <= own
    assert np.all(seen == 1)
    if most == 1:  # no chunk is longer than one of the first array without need
        first = next(grid for grid in parts if grid.shape[axis] or not math.prod(shape))
        assert all(whole.chunks[n] <= first.chunks[n] for n in range(len(shape)) if n != axis)
