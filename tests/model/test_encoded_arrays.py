"""Chunks that are copied without decoding, by reading them."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.model.encoded_arrays import EncodedChunks
from ncz.model.grid import Index
from ncz.zmap.memory import MemoryZmap


class OneChunk(EncodedChunks):
    """Only the first chunk is stored."""

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return chunks."""
        return [b"abc" if index == (0,) else None for index in indices]


def test_a_stored_chunk_is_put_and_a_missing_one_is_not():
    zmap = MemoryZmap()
    assert [*OneChunk().copy([(0,), (1,)], zmap, ["v/0", "v/1"])] == [3, None]
    assert {key: zmap.get(key) for key in zmap.walk()} == {"v/0": b"abc"}
