"""Reading by index: numpy's results, and only the chunks that are needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.api.indexing import divide_mask, select
from ncz.api.partial_read import read_positions
from ncz.model.data import ChunkSource, MemoryArray
from ncz.model.grid import Grid, IrregularGrid
from ncz.model.types import Atomic, NcType, Value
from tests.sampled import share_of


class Counted(ChunkSource):
    """An array in chunks that records which of them are read; some are missing."""

    grid: Grid
    type: NcType
    fill: Value

    def __init__(self, values, grid, missing=frozenset()):
        self.values, self.grid, self.missing = values, grid, missing
        self.type, self.fill = Atomic.INT, -1
        self.read = []

    def values_of(self, indices):
        return [self._values(index) for index in indices]

    def _values(self, index):
        self.read.append(index)
        return None if index in self.missing else self.values[self.grid.box(index).slices]

    def expected(self):
        result = self.values.copy()
        for index in self.missing:
            result[self.grid.box(index).slices] = self.fill
        return result


def read(source, index, threads=1):
    selection = select(index, source.grid.shape)
    values = read_positions(source, selection.positions, threads)[(*selection.view, ...)]
    return values[()] if selection.is_scalar else values


@st.composite
def arrays(draw):
    """Draw an array of one to three dimensions in regular or irregular chunks."""
    borders = []
    for _ in range(draw(st.integers(1, 3))):
        lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
        borders.append((0, *np.cumsum(lengths).tolist()))
    grid = IrregularGrid(tuple(borders))
    values = np.arange(np.prod(grid.shape), dtype="i4").reshape(grid.shape)
    missing = draw(st.sets(st.sampled_from(list(grid.indices())), max_size=2))
    return Counted(values, grid, frozenset(missing))


@st.composite
def slices_of(draw, length):
    bound = st.none() | st.integers(-length - 2, length + 2)
    step = draw(st.none() | st.integers(-4, 4).filter(bool))
    return slice(draw(bound), draw(bound), step)


@st.composite
def cases(draw):
    """Draw an array, and an index of integers and slices, perhaps with an ellipsis or new axes."""
    source = draw(arrays())
    count = draw(st.integers(0, len(source.grid.shape)))
    lengths = source.grid.shape[:count]
    items = [draw(slices_of(n) | st.integers(-n, n - 1)) for n in lengths]
    if draw(st.booleans()):
        items.append(...)
    for place in draw(st.lists(st.integers(0, len(items)), max_size=2)):
        items.insert(place, None)
    return source, tuple(items)


@given(cases())
@settings(max_examples=share_of(150), deadline=None)
def test_integers_and_slices_match_numpy(case):
    source, index = case
    expected = source.expected()[index]
    found = read(source, index)
    np.testing.assert_array_equal(found, expected)
    assert type(found) is type(expected)
    places = np.arange(source.values.size).reshape(source.values.shape)[index].ravel()
    touched = {
        i for i in source.grid.indices()
        if np.isin(places, np.arange(source.values.size).reshape(source.values.shape)[
            source.grid.box(i).slices]).any()
    }  # fmt: skip
    assert sorted(source.read) == sorted(touched)


@given(st.data())
@settings(max_examples=share_of(50), deadline=None)
def test_lists_select_along_their_own_axes(data):
    source = data.draw(arrays())
    lists = [data.draw(st.lists(st.integers(-n, n - 1), max_size=5)) for n in source.grid.shape]
    expected = source.expected()[np.ix_(*(np.array(each, int) for each in lists))]
    np.testing.assert_array_equal(read(source, tuple(lists)), expected)


def test_a_list_next_to_a_slice_and_booleans():
    values = np.arange(60, dtype="i4").reshape(4, 3, 5)
    source = MemoryArray(values, Atomic.INT, (2, 2, 2))
    np.testing.assert_array_equal(read(source, ([3, 0, 3], 1, slice(None, None, -2))),
                                  values[[3, 0, 3], 1, ::-2])  # fmt: skip
    mask = np.array([True, False, True, True])
    np.testing.assert_array_equal(read(source, mask), values[mask])


@given(st.data())
@settings(max_examples=share_of(50), deadline=None)
def test_booleans_for_each_element_select_as_in_numpy(data):
    source = data.draw(arrays().filter(lambda drawn: len(drawn.grid.shape) > 1))
    shape = source.grid.shape
    size = source.values.size
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(shape)
    found = divide_mask(mask, shape)
    assert found is not None
    lists, chosen = found
    np.testing.assert_array_equal(read(source, lists)[chosen], source.expected()[mask])


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (np.s_[4], "index 4 is out of bounds for axis 0 with size 4"),
        (np.s_[0, -4], "out of bounds for axis 1"),
        (np.s_[0, 0, 0], "2 dimensions, not 3"),
        (np.s_[..., 0, ...], "a single ellipsis"),
        (np.s_[[[0], [1]]], "one-dimensional lists"),
        (np.s_[[0.5]], "must be an integer"),
        (np.s_[[True]], "1 booleans do not fit length 4"),
        (np.s_["x"], "use .sel"),
        (np.s_[1.5], "one-dimensional lists"),
    ],
)
def test_an_index_that_does_not_fit(index, message):
    with pytest.raises(IndexError, match=message):
        select(index, (4, 3))
