"""Arrays that come as blocks of a flat list."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

from ncz.model.flat_blocks import FlatBlocks
from ncz.model.grid import Box, ChunkGrid
from ncz.model.types import Atomic
from tests.counted_calls import calls_of

SHAPE = (4, 6)
VALUES = np.arange(24, dtype=np.int32)


@pytest.mark.parametrize(("chunks", "reads"), [((2, 6), 4), ((2, 3), 4), ((4, 2), 4), ((1, 1), 4)])
def test_each_block_is_read_once(chunks, reads):
    """Chunks that share rows share blocks too, which are cached while neighbours are read."""
    asked: list[int] = []

    def read(number: int) -> np.ndarray:
        asked.append(number)
        return VALUES[number * 6 : number * 6 + 6]

    grid = ChunkGrid(SHAPE, chunks)
    source = FlatBlocks(grid, Atomic.INT, 0, [0, 6, 12, 18], [6] * 4, read)
    for index in grid.indices(Box((0, 0), SHAPE)):
        box = grid.box(index)
        found = source.box(box)
        assert found is not None
        assert found.tolist() == VALUES.reshape(SHAPE)[box.slices].tolist()
    assert len(asked) == reads


@pytest.mark.parametrize("slab", [1, 7, 24, 1 << 20])
def test_a_box_is_read_by_slabs(slab, monkeypatch):
    """The values do not depend on the number that is read together, which is bounded."""
    monkeypatch.setattr("ncz.model.flat_blocks.SLAB", slab)
    values = np.arange(2 * 3 * 4, dtype=np.int32)
    blocks = FlatBlocks(
        ChunkGrid((2, 3, 4), (2, 3, 4)), Atomic.INT, 0, [0, 10], [10, 14],
        lambda number: values[:10] if number == 0 else values[10:],
    )  # fmt: skip
    asked: list[int] = []
    flat = blocks._flat

    def counted(start: int, count: int) -> np.ndarray:
        asked.append(count)
        return flat(start, count)

    monkeypatch.setattr(FlatBlocks, "_flat", lambda _, start, count: counted(start, count))
    box = Box((0, 1, 1), (2, 3, 3))
    found = blocks.box(box)
    assert found is not None
    assert found.tolist() == values.reshape(2, 3, 4)[box.slices].tolist()
    assert max(asked, default=0) <= max(slab, 4)  # the last axis is never divided


def test_parts_of_short_rows_are_copied_together():
    """A chunk that divides the texts of characters takes no call for each of them."""
    values = np.arange(64_000, dtype=np.int32)
    grid = ChunkGrid((1000, 64), (1000, 32))

    def parts_of(rows: int) -> int:
        blocks = FlatBlocks(grid, Atomic.INT, 0, [0], [values.size], lambda _: values)
        box = Box((0, 32), (rows, 64))
        found = blocks.box(box)
        assert found is not None
        assert np.array_equal(found, values.reshape(1000, 64)[box.slices])
        return calls_of(blocks.box, box)

    with mock.patch("ncz.model.flat_blocks.SLAB", 6400):
        assert parts_of(1000) - parts_of(100) < 200


def test_whole_rows_are_copied_together(monkeypatch):
    """However many there are, and however short."""
    filled = []

    def counted(self, start, out, fill=FlatBlocks._fill):
        filled.append(out.size)
        fill(self, start, out)

    monkeypatch.setattr("ncz.model.flat_blocks.SLAB", 100)
    monkeypatch.setattr(FlatBlocks, "_fill", counted)
    shape = (1000, 3)
    blocks = FlatBlocks(
        grid=ChunkGrid(shape, shape),
        type=Atomic.INT,
        fill=0,
        bases=[0, 1500],
        counts=[1500, 1500],
        read=lambda number: np.arange(1500, dtype="i4") + 1500 * number,
    )
    values = blocks.box(Box((10, 0), (990, 3)))
    assert filled == [2940]
    assert values is not None
    assert values.ravel().tolist() == list(range(30, 2970))
