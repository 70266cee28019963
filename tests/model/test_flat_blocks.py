"""Arrays that come as blocks of a flat list."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.model.flat_blocks import FlatBlocks
from ncz.model.grid import Box, ChunkGrid
from ncz.model.types import Atomic

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
