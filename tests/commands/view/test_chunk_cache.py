"""Decoded chunks that a page requests again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.commands.view.chunk_cache import CachedSource, ChunkCache
from ncz.commands.view.request import StaleRequest
from ncz.model.data import MemoryArray
from ncz.model.types import Atomic


def values(size: int) -> Any:
    return np.zeros(size, "u1")


def fail() -> Any:
    pytest.fail("the chunk is kept")


def test_a_chunk_is_read_once():
    cache = ChunkCache()
    chunk = cache.get("a", lambda: values(10))
    assert cache.get("a", fail) is chunk
    assert cache.get("missing", lambda: None) is None
    assert cache.get("missing", fail) is None


def test_the_chunk_that_was_not_used_for_longest_is_dropped():
    cache = ChunkCache(3 * 1200)
    for key in "abc":
        cache.get(key, lambda: values(1000))
    cache.get("a", fail)
    cache.get("d", lambda: values(1000))
    assert cache.size == 3600
    cache.get("a", fail)
    assert cache.get("b", lambda: values(1)) is not None  # it was dropped, and read again


def test_a_chunk_that_is_too_large_is_not_kept():
    cache = ChunkCache(1000)
    cache.get("a", lambda: values(1000))
    assert cache.size == 0
    cache.get("b", lambda: np.array(["x"] * 20, object))  # strings count more than their pointers
    assert cache.size == 0


def test_a_source_that_is_not_needed_any_more_reads_nothing():
    array = MemoryArray(np.arange(6, dtype="i4"), Atomic.INT)
    is_stale = False
    source = CachedSource(array, 1, ChunkCache(), lambda: is_stale)
    (index,) = source.grid.indices()
    (chunk,) = source.values_of([index])
    assert chunk is not None
    assert chunk.tolist() == [0, 1, 2, 3, 4, 5]
    is_stale = True
    with pytest.raises(StaleRequest):
        source.values_of([index])
