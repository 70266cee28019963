"""A file that is read in blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.zmap import block_cache
from ncz.zmap.block_cache import BlockCache
from ncz.zmap.range_file import check_range

BLOCK, MOST = 8, 6


class Noted:
    """A file in memory, and the reads of it."""

    url = address = "x"
    path = None

    def __init__(self, size: int) -> None:
        self.data = bytes(n % 251 for n in range(size))
        self.size = size
        self.read_parts: list[tuple[int, int]] = []

    def read(self, start: int, count: int) -> bytes:
        check_range(self.url, self.size, start, count)
        self.read_parts.append((start, count))
        return self.data[start : start + count]

    def check_unchanged(self) -> None:
        """It never changes."""

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture(autouse=True)
def small_blocks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_cache, "BLOCK", BLOCK)
        patch.setattr(block_cache, "_MOST_BLOCKS", MOST)
        yield


@given(
    st.integers(0, 200), st.lists(st.tuples(st.integers(0, 220), st.integers(-1, 60)), max_size=20)
)
def test_every_part_matches_the_file(size: int, parts: list[tuple[int, int]]):
    source = Noted(size)
    cache = BlockCache(source)
    for start, count in parts:
        start = min(start, size)
        count = min(count, size - start)
        assert cache.part(start, count) == source.data[start : start + max(0, count)]
        assert len(cache._blocks) <= MOST


def test_neighbours_are_read_with_one_request_and_kept():
    source = Noted(200)
    cache = BlockCache(source)
    cache.part(0, 3)
    assert source.read_parts == [(0, 4 * BLOCK)]
    cache.part(3 * BLOCK - 1, 2 * BLOCK)
    assert source.read_parts[1:] == [(4 * BLOCK, BLOCK)]
    cache.part(0, 5)
    assert len(source.read_parts) == 2
    cache.part(0, 5 * BLOCK)  # half of the cache's size is not kept
    assert source.read_parts[2:] == [(0, 5 * BLOCK)]
