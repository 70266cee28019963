"""The chunks that a picture needs."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.commands.view.cost import check_size, chunk_size, chunks_at, coarser
from ncz.commands.view.error import ViewError
from ncz.model.data import MemoryArray
from ncz.model.grid import ChunkGrid
from ncz.model.types import Atomic

GRID = ChunkGrid((100, 60), (10, 20))


@pytest.mark.parametrize(
    ("ranges", "count"),
    [
        ((range(100), range(60)), 30),
        ((range(1), range(60)), 3),
        ((range(0, 100, 50), range(1)), 2),
        ((range(5, 15), range(20)), 2),
        ((range(200), range(60)), 30),
        ((range(150, 200), range(60)), 0),
        ((range(0), range(60)), 0),
    ],
)
def test_chunks_of_indices(ranges, count):
    assert chunks_at(GRID, ranges) == count


@pytest.mark.parametrize(("most", "factor"), [(30, 1), (29, 64), (6, 64), (1, 128), (0, None)])
def test_steps_that_need_fewer_chunks(most, factor):
    found = coarser(GRID, (range(100), range(60)), (0, 1), most)
    if factor is None:
        assert found is None
        return
    assert found is not None
    steps = [found, found // 2] if found > 1 else [found]
    counts = [chunks_at(GRID, (range(0, 100, step), range(0, 60, step))) for step in steps]
    assert counts[0] <= most
    assert all(count > most for count in counts[1:])


def test_too_many_bytes():
    data = MemoryArray(np.zeros((100, 60), "i4"), Atomic.INT, (10, 20))
    assert chunk_size(data) == 800
    ranges = (range(100), range(60))
    check_size(data, ranges, (0, 1), "/v", 30 * 800)
    with pytest.raises(ViewError, match=r"the picture needs .* of chunks, more than") as caught:
        check_size(data, ranges, (0, 1), "/v", 29 * 800)
    assert "--stride" in str(caught.value)
    with pytest.raises(ViewError) as none:
        check_size(data, ranges, (0, 1), "/v", 10)
    assert "--stride" not in str(none.value)
