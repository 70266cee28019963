"""Reading boxes and slabs through a ChunkSource, with any grid and any missing chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model.data import ChunkSource, MemoryArray, fill_array, read_all, read_box
from ncz.model.grid import Box, ChunkGrid, Grid, slabs
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, Vlen, zero_value
from tests.model.test_grid import grids_and_boxes


@dataclass(frozen=True)
class Holey(ChunkSource):
    """An array with missing chunks."""

    values: np.ndarray
    grid: Grid
    missing: frozenset
    type: Atomic = Atomic.INT
    fill: int | None = -1

    def values_of(self, indices):
        return [self._values(index) for index in indices]

    def _values(self, index):
        return None if index in self.missing else self.values[self.grid.box(index).slices]


@st.composite
def holey_arrays(draw):
    grid, box = draw(grids_and_boxes())
    values = np.arange(np.prod(grid.shape, dtype=int), dtype="i4").reshape(grid.shape)
    chosen = draw(st.sets(st.integers(0, 40), max_size=5))
    missing = frozenset(index for n, index in enumerate(grid.indices()) if n in chosen)
    return Holey(values, grid, missing), box


def expected_of(source: Holey) -> np.ndarray:
    expected = source.values.copy()
    for index in source.missing:
        expected[source.grid.box(index).slices] = source.fill
    return expected


@given(holey_arrays())
def test_a_box_contains_the_values_and_the_fill(case):
    source, box = case
    np.testing.assert_array_equal(read_box(source, box), expected_of(source)[box.slices])


@given(holey_arrays(), st.integers(1, 50))
def test_slabs_contain_the_whole_array_in_order(case, limit):
    source, _ = case
    boxes = slabs(source.grid, limit)
    flat = [value for box in boxes for value in read_box(source, box).reshape(-1).tolist()]
    assert flat == expected_of(source).reshape(-1).tolist()


def test_only_the_chunks_that_are_touched_are_read():
    read = []

    class Watched(Holey):
        def values_of(self, indices):
            return [self._values(index) for index in indices]

        def _values(self, index):
            read.append(index)
            return super()._values(index)

    source = Watched(np.zeros((6, 6), "i4"), ChunkGrid((6, 6), (2, 2)), frozenset())
    read_box(source, Box((1, 1), (3, 2)))
    assert read == [(0, 0), (1, 0)]


def test_an_array_in_memory_is_one_chunk_by_default():
    values = np.arange(6).reshape(2, 3)
    assert MemoryArray(values, Atomic.INT64).grid == ChunkGrid((2, 3), (2, 3))
    cut = MemoryArray(values, Atomic.INT64, chunks=(1, 2))
    assert np.asarray(cut.chunk((1, 1))).tolist() == [[5]]
    np.testing.assert_array_equal(read_all(cut), values)


def test_an_empty_array_in_memory_has_a_legal_grid():
    source = MemoryArray(np.zeros((0, 3)), Atomic.DOUBLE)
    assert source.grid == ChunkGrid((0, 3), (1, 3))
    assert read_all(source).shape == (0, 3)


def test_a_scalar_is_read_as_an_array_of_rank_zero():
    assert read_all(MemoryArray(np.array(7, "i4"), Atomic.INT)).tolist() == 7


def test_fill_arrays_of_every_kind():
    record = Compound(name="/pair", fields=(Field(name="a", type=Atomic.INT),))
    assert fill_array((2,), Atomic.CHAR, "*").tolist() == [b"*", b"*"]
    assert fill_array((2,), Atomic.STRING, "").tolist() == ["", ""]
    assert fill_array((2,), Atomic.STRING, None).tolist() == [None, None]
    assert fill_array((2,), record, (1,)).tolist() == [(1,), (1,)]
    assert fill_array((), Atomic.UINT64, Atomic.UINT64.default_fill).tolist() == 2**64 - 2
    assert fill_array((1,), Atomic.FLOAT, None).tolist() == [0.0]


def test_a_source_that_can_is_cut_again_and_another_stays_unchanged():
    class Elastic(Holey):
        def rechunk(self, chunks):
            return Elastic(self.values, ChunkGrid(self.grid.shape, chunks), self.missing)

    values = np.arange(6, dtype="i4")
    elastic = Elastic(values, ChunkGrid((6,), (6,)), frozenset())
    assert elastic.rechunk((2,)).grid == ChunkGrid((6,), (2,))
    rigid = Holey(values, ChunkGrid((6,), (6,)), frozenset())
    assert rigid.rechunk((2,)) is rigid


_RAW = Opaque(name="/raw_t", size=2)
_COLOUR = Enumeration(name="/colour_t", base=Atomic.UBYTE, members=(("RED", 1),))
_LIST = Vlen(name="/list_t", base=Atomic.INT)
_PAIR = Compound(
    name="/pair_t",
    fields=(
        Field(name="a", type=Atomic.FLOAT),
        Field(name="b", type=Atomic.INT, shape=(2, 2)),
        Field(name="s", type=Atomic.STRING),
        Field(name="raw", type=_RAW),
    ),
)


@pytest.mark.parametrize(
    ("nc_type", "zero"),
    [
        (Atomic.INT, 0),
        (Atomic.CHAR, "\0"),
        (Atomic.STRING, None),
        (_RAW, b"\0\0"),
        (_COLOUR, 0),
        (_LIST, ()),
        (_PAIR, (0.0, (0, 0, 0, 0), None, b"\0\0")),
    ],
)
def test_without_a_fill_value_elements_are_zero(nc_type, zero):
    assert zero_value(nc_type) == zero
    expected = b"" if nc_type is Atomic.CHAR else zero  # numpy drops the NUL
    assert fill_array((2,), nc_type, None).tolist() == [expected, expected]
