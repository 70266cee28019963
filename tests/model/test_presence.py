"""Existing chunks are kept in little memory, and found by boxes."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.model import chunks as module
from ncz.model.grid import Box, ChunkGrid, Index
from ncz.model.presence import Presence, sorted_indices


@given(st.data(), st.sampled_from([0, 1 << 20]))
def test_both_forms_find_existing_chunks(data: st.DataObject, most_flags: int):
    counts = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple))
    grid = ChunkGrid(tuple(2 * n for n in counts), tuple(2 for _ in counts))
    indices = sorted(grid.indices())
    there = data.draw(st.sets(st.sampled_from(indices)))
    presence = Presence(grid, itertools.chain(there, list(there)[:3]), most_flags)  # some twice
    assert list(presence.indices()) == sorted(there)
    assert list(sorted_indices(grid, [*there, *list(there)[:3]])) == sorted(there)
    start = tuple(data.draw(st.integers(0, n - 1)) for n in grid.shape)
    stop = tuple(data.draw(st.integers(a + 1, n)) for a, n in zip(start, grid.shape, strict=True))
    box = Box(start, stop)
    expected = [index for index in sorted(there) if grid.box(index).intersect(box)]
    assert list(presence.within(box)) == expected
    assert presence.any(box) == bool(expected)
    touching = [index for index in indices if grid.box(index).intersect(box)]
    assert presence.all(box) == (expected == touching and most_flags > 0)
    for index in [*list(there)[:2], *indices[:1]]:
        presence.remove(index)
        there.discard(index)
    assert list(presence.indices()) == sorted(there)


def test_a_scalar_is_there_or_not():
    grid = ChunkGrid((), ())
    assert list(Presence(grid, [()]).indices()) == [()]
    assert list(Presence(grid, []).indices()) == []
    assert list(sorted_indices(grid, [()])) == [()]
    assert list(sorted_indices(grid, [])) == []


@pytest.mark.parametrize("most_flags", [0, 1 << 20])
@pytest.mark.parametrize("box", [Box((5, 0), (5, 3)), Box((0, 1), (6, 1))])
def test_an_empty_box_within_a_chunk_touches_none(box, most_flags):
    grid = ChunkGrid((6, 6), (2, 2))
    presence = Presence(grid, grid.indices(), most_flags)
    assert list(presence.within(box)) == list(grid.indices(box)) == []
    assert not presence.any(box)


def test_a_grid_of_more_chunks_than_64_bits_count():
    grid = ChunkGrid((1 << 40, 1 << 40), (1, 1))
    there = [(1 << 39, 7), (3, (1 << 40) - 1)]
    presence = Presence(grid, there)
    assert list(presence.indices()) == list(sorted_indices(grid, there)) == sorted(there)
    assert list(presence.within(Box((0, 0), (4, 1 << 40)))) == [there[1]]


@pytest.mark.parametrize(
    "counts", [(1 << 32,), pytest.param((1 << 20, 1 << 12), marks=pytest.mark.long)]
)
def test_a_chunk_of_a_huge_grid_takes_eight_bytes(counts):
    grid = ChunkGrid(counts, tuple(1 for _ in counts))
    last = math.prod(counts[1:])

    def indices(count: int) -> Iterator[Index]:
        step = grid.size // count
        return ((n,) if len(counts) == 1 else divmod(n, last) for n in range(0, grid.size, step))

    def held(count: int) -> int:
        presence = Presence(grid, indices(count))
        assert next(presence.indices()) == (0,) * len(counts)
        found = tracemalloc.take_snapshot()  # other threads may hold memory, too
        return sum(trace.size for trace in found.filter_traces([ours]).traces)

    ours = tracemalloc.Filter(inclusive=True, filename_pattern=module.__file__)
    Presence(grid, indices(1)).any(Box((0,) * len(counts), counts))  # imports, and fills caches
    tracemalloc.start()
    try:
        few, many = held(1 << 10), held(1 << 16)
    finally:
        tracemalloc.stop()
    # Two bytes more for each: Python keeps some 100 kB of tuples for later use.
    assert many - few <= 10 * ((1 << 16) - (1 << 10))


def test_grids_of_more_chunks_than_a_number_of_64_bits_counts():
    last = 2**63 + 50
    presence = Presence(ChunkGrid((2**63 + 100,), (1,)), [(last,), (3,), (last,)])
    assert list(presence.indices()) == [(3,), (last,)]
    presence.remove((last,))
    assert list(presence.indices()) == [(3,)]
