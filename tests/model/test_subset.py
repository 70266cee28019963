"""Subsets: the values match numpy's indexing, and only touched chunks are read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.data import ChunkSource, MemoryArray, read_all
from ncz.model.grid import Grid, Index, irregular_grid
from ncz.model.subset import subset, subset_source
from ncz.model.tree import Dataset, Dimension, Group, Storage, Variable
from ncz.model.types import Atomic, NcType, Value


class Counted(ChunkSource):
    """A source that records the chunks that are read."""

    type: NcType
    fill: Value

    def __init__(self, array: MemoryArray, grid: Grid | None = None) -> None:
        self.array = array
        self.read: list[Index] = []
        self.grid: Grid = grid or array.grid
        self.type, self.fill = array.type, array.fill

    def values_of(self, indices: Sequence[Index]) -> list[Any]:
        return [self._values(index) for index in indices]

    def _values(self, index: Index) -> np.ndarray:
        self.read.append(index)
        return self.array.values[self.grid.box(index).slices]


@st.composite
def ranges_of(draw: st.DrawFn, size: int) -> range:
    start, stop = sorted((draw(st.integers(0, size)), draw(st.integers(0, size))))
    run = range(start, stop, draw(st.integers(1, 4)))
    return run[::-1] if draw(st.booleans()) else run


def indices_of(size: int) -> st.SearchStrategy[Any]:
    """Return indices along an axis: a range, several of them, or an array."""
    places = st.lists(st.integers(0, size - 1), max_size=6) if size else st.just([])
    arrays = places.map(lambda found: np.array(found, int))
    return ranges_of(size) | st.lists(ranges_of(size), min_size=1, max_size=3).map(tuple) | arrays


def as_list(indices: Any) -> list[int]:
    if isinstance(indices, tuple):
        return [i for run in indices for i in run]
    return [int(i) for i in indices]


@given(st.data(), st.integers(0, 9), st.integers(1, 9), st.integers(1, 4), st.integers(1, 4))
def test_values_match_numpy(data, rows, columns, height, width):
    values = np.arange(rows * columns, dtype="f8").reshape(rows, columns)
    source = MemoryArray(values, Atomic.DOUBLE, (height, width))
    r, c = data.draw(indices_of(rows)), data.draw(indices_of(columns))
    part = subset_source(source, (r, c))
    expected = values[np.ix_(as_list(r), as_list(c))]
    assert part.grid.shape == expected.shape
    np.testing.assert_array_equal(read_all(part), expected)


@given(st.data(), st.integers(0, 5), st.integers(1, 9))
def test_indices_beyond_the_end_are_missing(data, stored, length):
    """A variable over an unlimited dimension may be shorter than that."""
    source = MemoryArray(np.arange(stored) + 1, Atomic.INT, (2,), fill=0)
    indices = data.draw(indices_of(length))
    expected = [i + 1 if i < stored else 0 for i in as_list(indices)]
    while expected and expected[-1] == 0:
        expected.pop()
    assert read_all(subset_source(source, (indices,))).tolist() == expected


def test_only_the_chunks_that_are_touched_are_read():
    source = Counted(MemoryArray(np.arange(100.0).reshape(10, 10), Atomic.DOUBLE, (2, 5)))
    part = subset_source(source, (range(3, 9, 4), range(6, 7)))
    assert read_all(part).tolist() == [[36], [76]]
    assert source.read == [(1, 1), (3, 1)]


def test_chunks_of_different_lengths():
    values = np.arange(10.0)
    grid = irregular_grid(((1, 4, 5),))
    source = Counted(MemoryArray(values, Atomic.DOUBLE), grid)
    part = subset_source(source, (range(2, 9, 2),))
    assert read_all(part).tolist() == [2, 4, 6, 8]
    assert source.read == [(1,), (2,)]


def test_a_dataset_keeps_its_other_variables():
    def variable(name: str, *dimensions: str) -> Variable:
        shape = tuple({"/g/x": 6, "/y": 2}[d] for d in dimensions)
        values = np.arange(math.prod(shape), dtype="f8").reshape(shape)
        return Variable(
            name=name,
            type=Atomic.DOUBLE,
            dimensions=dimensions,
            data=MemoryArray(values, Atomic.DOUBLE),
            storage=Storage(chunks=(4,) * len(shape), shards=(8,) * len(shape)),
        )

    inner = Group(
        name="g",
        dimensions=(Dimension(name="x", size=6),),
        variables=(variable("x", "/g/x"), variable("x_bounds", "/g/x", "/y")),
    )
    root = Group(
        dimensions=(Dimension(name="y", size=2),), variables=(variable("y", "/y"),), groups=(inner,)
    )
    part = subset(Dataset(name="d", root=root), {"/g/x": range(1, 6, 2)}).root
    assert part.variables == root.variables
    (group,) = part.groups
    assert group.dimensions == (Dimension(name="x", size=3),)
    assert [read_all(v.data).tolist() for v in group.variables if v.data] == [
        [1, 3, 5],
        [[2, 3], [6, 7], [10, 11]],
    ]
    assert [v.storage.chunks for v in group.variables] == [(3,), (3, 2)]
    assert {v.storage.shards for v in group.variables} == {None}
