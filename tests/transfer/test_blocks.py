"""The blocks for rechunking an array."""

from __future__ import annotations

import pytest

from ncz.model.grid import ChunkGrid
from ncz.transfer.blocks import blocks_for, widen


@pytest.mark.parametrize(("limit", "length", "reads"), [(40, 40, 1), (39, 20, 2), (10, 10, 3)])
def test_blocks_are_as_long_as_saves_reads_and_the_limit_allows(limit, length, reads):
    blocks = blocks_for(ChunkGrid((40,), (16,)), ChunkGrid((40,), (10,)), limit)
    assert (blocks.shape, blocks.reads) == ((length,), reads)


@pytest.mark.parametrize(
    ("shape", "source", "target", "limit", "found", "reads"),
    [
        ((80,), (30,), (10,), 60, (30,), 1),  # a source chunk, and not twice the length
        ((80,), (30,), (10,), 29, (20,), 2),
        ((90,), (70,), (10,), 90, (70,), 1),
        ((64, 64), (64, 1), (1, 64), 1024, (16, 64), 4),
        ((64, 64), (64, 1), (1, 64), 4096, (64, 64), 1),
        ((64, 64), (8, 8), (4, 4), 64, (8, 8), 1),
        ((64, 64), (8, 8), (4, 4), 32, (8, 4), 2),  # of two axes that save as much, the first
        ((64, 64), (8, 8), (4, 4), 31, (4, 4), 4),
        ((60, 60), (20, 30), (10, 10), 500, (20, 20), 2),
        ((60, 60), (20, 30), (10, 10), 600, (20, 30), 1),
    ],
)
def test_blocks_grow_where_they_save_most_reads(shape, source, target, limit, found, reads):
    blocks = blocks_for(ChunkGrid(shape, source), ChunkGrid(shape, target), limit)
    assert (blocks.shape, blocks.reads) == (found, reads)


def test_small_blocks_are_joined_up_to_a_limit():
    narrow = blocks_for(ChunkGrid((60, 1000), (1, 10)), ChunkGrid((60, 1000), (1, 20)), 10_000)
    assert narrow.shape == (1, 20)
    for limit, shape in ((39, (1, 20)), (40, (1, 40)), (20_000, (8, 1280)), (1 << 20, (64, 1280))):
        wide = widen(narrow, limit)
        assert (wide.shape, wide.reads) == (shape, 1)
    split = blocks_for(ChunkGrid((64, 64), (64, 1)), ChunkGrid((64, 64), (1, 64)), 1024)
    assert widen(split, 1024) == split
