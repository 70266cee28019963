"""Values without an axis of length 1."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.model.data import MemoryArray, read_box
from ncz.model.grid import Box
from ncz.model.squeezed_source import SqueezedSource
from ncz.model.types import Atomic


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_an_axis_is_left_out(axis):
    flat = np.arange(15, dtype="i4").reshape(3, 5)
    values = np.expand_dims(flat, axis)
    chunks = tuple(np.insert([2, 4], axis, 1).tolist())
    source = SqueezedSource(MemoryArray(values, Atomic.INT, chunks), axis)
    assert (source.grid.shape, source.grid.chunks) == ((3, 5), (2, 4))
    part = Box((1, 0), (3, 5))
    assert np.array_equal(read_box(source, part), flat[1:])
    assert np.array_equal(read_box(source.within(part), part), flat[1:])
