"""The index of a shard, and the chunks that it names."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.codec.sharding_indexed import ABSENT, chunk_bytes
from ncz.codec.sharding_indexed import _refuse_overlap as refuse_overlap
from ncz.errors import CodecError


def index_of(*entries: tuple[int, int]) -> np.ndarray:
    return np.array(entries, "<u8").reshape(len(entries), 2)


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [(0, 4)],
        [(4, 4), (0, 4)],
        [(0, 4), (ABSENT, ABSENT), (4, 9), (100, 1)],
        [(7, 0), (7, 3)],
        [(2**63, 5), (0, 2**62)],
    ],
)
def test_chunks_next_to_each_other(entries):
    refuse_overlap(index_of(*entries), "here")


@pytest.mark.parametrize(
    "entries",
    [
        [(0, 4), (3, 4)],
        [(3, 4), (0, 4)],
        [(0, 4), (0, 4)],
        [(0, 100), (ABSENT, ABSENT), (50, 1)],
        [(2**63, 5), (2**63 + 4, 5)],
        [(0, 2**64 - 2), (8, 1)],
    ],
)
def test_chunks_that_share_bytes_are_refused(entries):
    with pytest.raises(CodecError, match="two chunks of the shard share bytes"):
        refuse_overlap(index_of(*entries), "here")


def test_a_chunk_beyond_the_end_is_refused():
    data = bytes(range(10))

    def read(start: int, count: int) -> bytes:
        return data[start : start + count]

    assert chunk_bytes(index_of((2, 3))[0], read, "here") == b"\2\3\4"
    assert chunk_bytes(index_of((ABSENT, ABSENT))[0], read, "here") is None
    for entry in ((8, 3), (2**63, 1), (0, 2**63)):
        with pytest.raises(CodecError, match="shorter than its index says"):
            chunk_bytes(index_of(entry)[0], read, "here")
