"""The index of a shard."""

from __future__ import annotations

import pytest

from ncz.errors import CodecError
from ncz.formats.zarr.shards import index_size
from ncz.model.chunks import Shard
from ncz.model.filters import Filter


def test_the_index_has_16_bytes_for_each_chunk_and_those_of_its_codecs():
    assert index_size(Shard(chunks=(2, 5), order=(0, 1)), (8, 10)) == 16 * 4 * 2
    crc = Filter((("id", "crc32c"),))
    assert index_size(Shard(chunks=(2,), order=(0,), index_codecs=(crc,)), (8,)) == 16 * 4 + 4
    with pytest.raises(CodecError, match="whose encoded size is not known"):
        index_size(Shard(chunks=(2,), order=(0,), index_codecs=(Filter((("id", "zlib"),)),)), (8,))
