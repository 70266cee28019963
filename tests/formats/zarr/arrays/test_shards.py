"""The index of a shard."""

from __future__ import annotations

import pytest

from ncz.codec.sharding_indexed import Sharding
from ncz.errors import CodecError


def test_the_index_has_16_bytes_for_each_chunk_and_the_bytes_of_its_codecs():
    assert Sharding((2, 5)).index_size((8, 10)) == 16 * 4 * 2
    assert Sharding((2,), index_codecs=({"id": "crc32c"},)).index_size((8,)) == 16 * 4 + 4
    with pytest.raises(CodecError, match="whose encoded size is not known"):
        Sharding((2,), index_codecs=({"id": "zlib"},)).index_size((8,))
