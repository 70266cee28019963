"""The slabs for reading a variable: whole chunks, whole rows, and not too much at a time."""

from __future__ import annotations

import math

import pytest

from ncz.model.data import SLAB, MemoryArray
from ncz.model.grid import Box
from ncz.model.slabs import piece_sizes, slabs_of
from ncz.model.tree import Variable
from ncz.model.types import Atomic

np = pytest.importorskip("numpy")


def slabs(shape: tuple[int, ...], chunks: tuple[int, ...], most: int) -> list[tuple[int, ...]]:
    """Return the shape of each slab of a variable of bytes."""
    data = MemoryArray(np.zeros(shape, "i1"), Atomic.BYTE, chunks)
    variable = Variable(name="v", type=Atomic.BYTE, dimensions=tuple("xyz"), data=data)
    boxes = list(slabs_of(variable, shape, most))
    assert sum(box.size for box in boxes) == math.prod(shape)
    return [box.shape for box in boxes]


@pytest.mark.parametrize(
    ("shape", "chunks", "most", "found"),
    [
        ((4, 8, SLAB), (2, 8, SLAB), 16 * SLAB, [(2, 8, SLAB)] * 2),
        ((4, 8, SLAB), (1, 2, SLAB), 16 * SLAB, [(1, 2, SLAB)] * 16),
        ((4, 8, SLAB), (2, 8, SLAB), 8 * SLAB, [(1, 8, SLAB)] * 4),
        ((4, 8, SLAB), (2, 8, SLAB), 4 * SLAB, [(1, 4, SLAB)] * 8),
        ((3, 2, 4), (1, 1, 1), 1 << 20, [(3, 2, 4)]),
    ],
)
def test_slabs_consist_of_whole_chunks_where_there_is_room(shape, chunks, most, found):
    assert slabs(shape, chunks, most) == found


@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        ((), [1]),
        ((5,), [5]),
        ((2, SLAB), [SLAB, SLAB]),
        ((2, SLAB + 1), [SLAB, 1, SLAB, 1]),
        ((3, SLAB // 2), [SLAB, SLAB // 2]),
        ((4, SLAB // 2 - 1), [2 * (SLAB // 2 - 1)] * 2),
    ],
)
def test_pieces_are_whole_rows_or_parts_of_one(shape, sizes):
    assert list(piece_sizes(Box(tuple(0 for _ in shape), shape))) == sizes
