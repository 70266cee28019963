"""Selected positions of chunks, read in threads."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.api.indexing import masked
from ncz.api.partial_read import read_positions
from ncz.model.data import MemoryArray
from ncz.model.grid import ChunkGrid
from ncz.model.types import Atomic
from tests.api.test_indexing import Counted, read


def test_booleans_for_each_element_read_the_chunks_of_those_selected():
    values = np.arange(64, dtype="i4").reshape(8, 8)
    source = Counted(values, ChunkGrid((8, 8), (2, 2)))
    lists, chosen = masked((values % 27 == 1,), (8, 8)) or pytest.fail("no array of booleans")
    assert read(source, lists)[chosen].tolist() == [1, 28, 55]
    assert len(source.read) == 9
    with pytest.raises(IndexError, match=r"shape \(8, 7\) do not fit"):
        masked(values[:, 1:] > 3, (8, 8))


def test_threads_give_the_same():
    values = np.arange(1 << 20, dtype="i4").reshape(1024, 1024)
    source = MemoryArray(values, Atomic.INT, (100, 300))
    np.testing.assert_array_equal(read(source, np.s_[::-1, 5:], threads=4), values[::-1, 5:])


def test_positions_beyond_the_data_are_fill():
    source = MemoryArray(np.array([1, 2, 3], "i4"), Atomic.INT, (2,), -7)
    assert read_positions(source, (range(1, 6),), 1).tolist() == [2, 3, -7, -7, -7]
    assert read_positions(source, (np.array([4, 0]),), 1).tolist() == [-7, 1]
