"""Values with their axes in another order."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.model.data import MemoryArray, read_box
from ncz.model.grid import Box
from ncz.model.transposed_source import TransposedSource
from ncz.model.types import Atomic

VALUES = np.arange(2 * 3 * 5, dtype="i4").reshape(2, 3, 5)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_values_and_chunks_are_transposed(axes):
    source = TransposedSource(MemoryArray(VALUES, Atomic.INT, (1, 2, 4)), axes)
    expected = VALUES.transpose(axes)
    assert source.grid.shape == expected.shape
    assert source.grid.chunks == tuple((1, 2, 4)[axis] for axis in axes)
    whole = Box((0, 0, 0), expected.shape)
    assert np.array_equal(read_box(source, whole), expected)
    assert np.array_equal(read_box(source.within(whole), whole), expected)
