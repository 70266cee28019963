"""Boxes, chunk grids and slabs, with numpy as the reference for the meaning of an index."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.grid import Box, ChunkGrid, Grid, IrregularGrid, irregular_grid, slabs, whole


@st.composite
def regular_grids(draw, max_rank: int = 4):
    shape = tuple(draw(st.lists(st.integers(0, 9), max_size=max_rank)))
    chunks = tuple(draw(st.integers(1, 12)) for _ in shape)
    return ChunkGrid(shape, chunks)


def irregular_grids(max_rank: int = 4):
    lengths = st.lists(st.integers(1, 5), max_size=4)
    return st.lists(lengths, max_size=max_rank).map(irregular_grid)


def grids(max_rank: int = 4):
    return regular_grids(max_rank) | irregular_grids(max_rank)


@st.composite
def grids_and_boxes(draw):
    grid = draw(grids())
    start = tuple(draw(st.integers(0, n)) for n in grid.shape)
    stop = tuple(draw(st.integers(a, n)) for a, n in zip(start, grid.shape, strict=True))
    return grid, Box(start, stop)


@given(grids())
def test_chunks_tile_the_array(grid):
    seen = np.zeros(grid.shape, int)
    indices = list(grid.indices())
    for index in indices:
        seen[grid.box(index).slices] += 1
    assert (seen == 1).all()
    assert len(indices) == grid.size
    assert indices == sorted(indices)


@given(grids_and_boxes())
def test_indices_of_a_box_are_exactly_the_chunks_that_touch_it(case):
    grid, box = case
    touching = [i for i in grid.indices() if grid.box(i).intersect(box) is not None]
    expected = touching if box.shape else [()]
    assert list(grid.indices(box)) == expected


@given(grids(), st.integers(1, 200))
def test_slabs_concatenate_to_the_flat_array(grid, limit):
    values = np.arange(math.prod(grid.shape)).reshape(grid.shape)
    parts = [values[box.slices].reshape(-1) for box in slabs(grid, limit)]
    flat = np.concatenate(parts) if parts else np.empty(0, int)
    assert flat.tolist() == values.reshape(-1).tolist()


@given(grids(), st.integers(1, 200))
def test_slabs_keep_to_the_limit(grid, limit):
    assert all(box.size <= limit for box in slabs(grid, limit))


@given(regular_grids(), st.integers(1, 200))
def test_a_regular_grid_and_its_list_of_borders_are_the_same_grid(grid, limit):
    chunks = zip(grid.shape, grid.chunks, strict=True)
    listed: Grid = IrregularGrid(tuple((*range(0, n, c), n) if n else (0,) for n, c in chunks))
    assert (listed.shape, listed.counts, listed.size) == (grid.shape, grid.counts, grid.size)
    assert list(map(listed.box, listed.indices())) == list(map(grid.box, grid.indices()))


def test_slabs_of_an_irregular_grid_end_on_its_borders():
    grid = irregular_grid([[1, 2, 4, 1, 7]])
    assert [(b.start[0], b.stop[0]) for b in slabs(grid, 5)] == [
        (0, 3), (3, 8), (8, 12), (12, 15),
    ]  # fmt: skip
    assert (grid.chunks, grid.counts) == ((7,), (5,))


def test_slabs_end_on_chunk_borders_where_the_limit_allows():
    boxes = list(slabs(ChunkGrid((10, 6), (4, 6)), 30))
    assert [box.start[0] for box in boxes] == [0, 4, 8]


def test_slabs_smaller_than_a_chunk_do_not_straddle_a_border_and_are_alike():
    boxes = list(slabs(ChunkGrid((10,), (4,)), 3))
    assert [(b.start[0], b.stop[0]) for b in boxes] == [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    boxes = list(slabs(ChunkGrid((14,), (7,)), 4))
    assert [(b.start[0], b.stop[0]) for b in boxes] == [(0, 4), (4, 7), (7, 11), (11, 14)]


def test_a_scalar_has_one_chunk_with_an_empty_index():
    grid = ChunkGrid((), ())
    assert list(grid.indices()) == [()]
    assert grid.box(()) == Box((), ())
    assert Box((), ()).size == 1
    assert list(slabs(grid, 1)) == [Box((), ())]


def test_an_empty_axis_after_a_very_long_one_has_no_indices():
    grid = ChunkGrid((3, 2**40, 0), (2, 2, 2))
    assert list(grid.indices()) == []


def test_an_empty_array_has_no_chunk():
    grid = ChunkGrid((0, 3), (1, 3))
    assert grid.size == 0
    assert list(grid.indices()) == []
    assert list(slabs(grid, 10)) == []


@pytest.mark.parametrize(
    ("shape", "chunks"), [((3,), (0,)), ((3,), (1, 1)), ((-1,), (1,)), ((3, 3), (3,))]
)
def test_an_impossible_grid_is_refused(shape, chunks):
    with pytest.raises(ValueError, match=r"chunks|grid"):
        ChunkGrid(shape, chunks)


@pytest.mark.parametrize("lengths", [[3, 0], [2, -1]])
def test_an_irregular_chunk_has_an_element_at_least(lengths):
    with pytest.raises(ValueError, match="grid"):
        irregular_grid([lengths])


def test_whole_is_the_box_of_everything():
    assert whole((2, 3)) == Box((0, 0), (2, 3))
    assert whole((2, 3)).relative_to((1, 1)) == Box((-1, -1), (1, 2))


def test_axes_of_any_length_are_combined_without_memory():
    indices = ChunkGrid((1 << 50, 2, 1 << 60), (1, 1, 1)).indices()
    assert [next(indices) for _ in range(3)] == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]
    assert next(ChunkGrid((1 << 70,), (1,)).indices()) == (0,)
    tail = ChunkGrid((1 << 50, 2, 3), (1, 1, 1)).indices()
    expected = [(i, j, k) for i in range(2) for j in range(2) for k in range(3)]
    assert [next(tail) for _ in expected] == expected
    first = next(slabs(ChunkGrid((1 << 50, 1 << 60), (1, 1 << 23)), 1 << 23))
    assert first == Box((0, 0), (1, 1 << 23))
