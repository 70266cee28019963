"""Values that a server sends chunk by chunk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ncz.formats.dap.source import DapArray, request_chunks
from ncz.model.data import read_all, read_box
from ncz.model.grid import Box
from ncz.model.types import Atomic

VALUES = np.arange(40, dtype="i4").reshape(5, 8)


@pytest.fixture
def boxes() -> list[Box]:
    """The boxes that were requested."""
    return []


@pytest.fixture
def array(boxes: list[Box]) -> DapArray:
    def fetch(box: Box) -> Any:
        boxes.append(box)
        return VALUES[box.slices]

    return DapArray(
        shape=(5, 8), chunks=(2, 8), type=Atomic.INT, fill=None, item_size=4, fetch=fetch,
        natural=(1, 4),
    )  # fmt: skip


def test_each_chunk_is_one_request(array: DapArray, boxes: list[Box]):
    assert read_all(array).tolist() == VALUES.tolist()
    assert [box.start for box in boxes] == [(0, 0), (2, 0), (4, 0)]
    assert array.preferred_chunks() == (1, 4)


def test_a_part_is_requested_without_its_neighbours(array: DapArray, boxes: list[Box]):
    box = Box((1, 2), (3, 5))
    part = array.within(box)
    assert read_box(part, box).tolist() == VALUES[1:3, 2:5].tolist()
    assert [(b.start, b.stop) for b in boxes] == [((1, 2), (3, 5))]
    assert part.grid.shape == (5, 8)


def test_chunks_are_changed_unless_they_are_too_large(array: DapArray):
    assert array.rechunk((5, 1)).grid.chunks == (5, 1)
    large = DapArray(
        shape=(10**9,), chunks=(10,), type=Atomic.STRING, fill=None, item_size=0,
        fetch=lambda _: VALUES,
    )  # fmt: skip
    assert large.rechunk((10**9,)) is large


@pytest.mark.parametrize("most", [4, 16, 64, 10_000])
def test_chunks_have_a_limit_of_bytes(array: DapArray, most: int):
    found = array.split(most)
    assert most // 8 < 4 * math.prod(found.chunks) <= most or found.chunks == (5, 8)
    assert read_all(found).tolist() == VALUES.tolist()


def test_texts_have_a_size_too():
    texts = DapArray(
        shape=(100,), chunks=(100,), type=Atomic.STRING, fill=None, item_size=0,
        fetch=lambda _: VALUES,
    )  # fmt: skip
    assert 1 < texts.split(1000).grid.chunks[0] < 100


def test_fewer_texts_are_requested_together():
    numbers, texts = (math.prod(request_chunks((10**8,), size)) for size in (4, 0))
    assert 0 < texts < numbers
