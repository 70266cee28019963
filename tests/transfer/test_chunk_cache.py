"""Chunks that are made on request, and kept."""

from __future__ import annotations

import pytest

from ncz.transfer.chunk_cache import ChunkCache


class Maker:
    """Makes chunks, and records which ones."""

    def __init__(self, cache: ChunkCache) -> None:
        self.cache = cache
        self.made: list[str] = []

    def get(self, name: str, size: int = 800) -> bytes | None:
        def make() -> bytes | None:
            self.made.append(name)
            return bytes(size)

        return self.cache.get((name, ()), make)


def test_the_chunks_that_were_used_last_are_kept():
    maker = Maker(ChunkCache(2000))  # two chunks, each with about 200 more bytes
    for name in ("a", "b", "a", "c", "a", "c", "b"):
        assert maker.get(name) == bytes(800)
    assert maker.made == ["a", "b", "c", "b"]


def test_a_chunk_larger_than_the_cache_is_made_each_time():
    maker = Maker(ChunkCache(100))
    assert maker.get("a") == maker.get("a") == bytes(800)
    assert maker.made == ["a", "a"]


def test_nothing_is_kept_after_clear():
    maker = Maker(ChunkCache(2000))
    maker.get("a")
    maker.cache.clear()
    for name in ("a", "b", "a", "b"):
        maker.get(name)
    assert maker.made == ["a", "a", "b"]


def test_an_error_is_not_kept():
    cache = ChunkCache(2000)

    def fail() -> bytes:
        raise ValueError("unreadable")

    with pytest.raises(ValueError, match="unreadable"):
        cache.get(("a", ()), fail)
    assert cache.get(("a", ()), lambda: b"x") == b"x"
