"""Boxes of arrays that can be read in any chunks."""

from __future__ import annotations

import numpy as np

from ncz.model.data import MemoryArray, read_all
from ncz.model.grid import Box
from ncz.model.types import Atomic
from ncz.model.window import WindowSource


def test_a_box_has_the_values_of_its_place():
    values = np.arange(60, dtype="i4").reshape(3, 4, 5)
    window = WindowSource.of(MemoryArray(values, Atomic.INT), Box((1, 0, 2), (3, 4, 4)))
    assert window.is_divisible
    assert read_all(window).tolist() == values[1:3, :, 2:4].tolist()
    for chunks in ((1, 4, 2), (2, 1, 1)):
        assert read_all(window.rechunk(chunks)).tolist() == values[1:3, :, 2:4].tolist()
