"""Chunks that are copied without decoding, by reading them."""

from __future__ import annotations

from ncz.model.encoded import EncodedChunks
from ncz.model.grid import Index
from ncz.zmap.memory import MemoryZmap


class OneChunk(EncodedChunks):
    """Only the first chunk is stored."""

    def encoded(self, index: Index) -> bytes | None:
        """Return a chunk."""
        return b"abc" if index == (0,) else None


def test_a_stored_chunk_is_put_and_a_missing_one_is_not():
    zmap = MemoryZmap()
    assert OneChunk().copy_encoded((0,), zmap, "v/0") == 3
    assert OneChunk().copy_encoded((1,), zmap, "v/1") is None
    assert {key: zmap.get(key) for key in zmap.walk()} == {"v/0": b"abc"}
