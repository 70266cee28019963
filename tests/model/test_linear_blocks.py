"""Chunks of consecutive elements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.model import linear_blocks
from ncz.model.grid import Box, ChunkGrid
from ncz.model.linear_blocks import aligned_blocks, are_consecutive
from tests.sampled import share_of


@st.composite
def boxes(draw: st.DrawFn) -> tuple[tuple[int, ...], Box]:
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))
    starts, stops = [], []
    for n in shape:
        start = draw(st.integers(0, n - 1))
        starts.append(start)
        stops.append(draw(st.integers(start + 1, n)))
    return shape, Box(tuple(starts), tuple(stops))


def elements(shape: tuple[int, ...], box: Box) -> list[int]:
    """Return the places of the elements of a box."""
    found: list[int] = np.arange(math.prod(shape)).reshape(shape)[box.slices].ravel().tolist()
    return found


@given(boxes())
@settings(max_examples=share_of(300), deadline=None)
def test_boxes_that_are_consecutive_elements(drawn: tuple[tuple[int, ...], Box]) -> None:
    shape, box = drawn
    places = elements(shape, box)
    is_run = places == [*range(places[0], places[-1] + 1)]
    assert are_consecutive(shape, box.shape) == is_run


@given(boxes(), st.integers(1, 300), st.integers(1, 300))
@settings(max_examples=share_of(300), deadline=None)
def test_chunks_end_about_where_a_box_does(
    drawn: tuple[tuple[int, ...], Box], least: int, largest: int
) -> None:
    shape, box = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_blocks, "_LEAST_BLOCK", least)
        patch.setattr(linear_blocks, "LARGEST_BLOCK", largest)
        chunks = aligned_blocks(shape, 4, box.start, box.stop)
    assert (chunks is None) == (not are_consecutive(shape, box.shape))
    if chunks is None:
        return
    grid = ChunkGrid(shape, chunks)
    read = [place for i in grid.indices(box) for place in elements(shape, grid.box(i))]
    assert {*elements(shape, box)} <= {*read}
    assert len(read) == len({*read}) == max(read) - min(read) + 1
    # Unneeded reads are at most a small part of the box.
    assert (len(read) - box.size) * linear_blocks._LEAST_PARTS <= 2 * box.size
    assert (len(read) - box.size) * 4 <= 2 * least


def test_parts_of_a_box_are_read_together_up_to_a_size():
    # An odd start makes parts of one row; 256 KiB are 6,553 rows of 40 bytes.
    assert aligned_blocks((10**6, 10), 4, (1, 0), (99_999, 10)) == (6_553, 10)
    assert aligned_blocks((1_000, 10), 4, (1, 0), (999, 10)) == (124, 10)  # eight parts
