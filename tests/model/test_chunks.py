"""The layout of chunks: grids, codecs, and shards within it."""

from __future__ import annotations

import pytest

from ncz.errors import CodecError
from ncz.model.chunks import LARGEST_CHUNK, ChunkLayout, Shard, in_order
from ncz.model.filters import make_filter

ZLIB = make_filter("zlib", level=1)
CRC = make_filter("crc32c")
SHARD = Shard(chunks=(2, 3), order=(1, 0), codecs=(ZLIB,), index_codecs=(CRC,), at_end=False)
SHARDED = ChunkLayout(shape=(7, 9), chunks=(4, 6), order=(0, 1), shard=SHARD)
UNEQUAL = ChunkLayout(shape=(7,), chunks=(4,), order=(0,), lengths=((4, 2, 4),))


def test_axes_in_order():
    assert in_order(3) == (0, 1, 2)
    assert in_order(3, "F") == (2, 1, 0)
    assert in_order(0) == ()


def test_one_chain_of_all_codecs():
    layout = ChunkLayout(shape=(4, 6), chunks=(4, 6), order=(1, 0), codecs=(ZLIB,))
    assert layout.chain == [{"id": "transpose", "order": [1, 0]}, {"id": "zlib", "level": 1}]
    assert SHARDED.chain == [
        {
            "id": "sharding_indexed",
            "chunk_shape": [2, 3],
            "codecs": [{"id": "transpose", "order": [1, 0]}, {"id": "zlib", "level": 1}],
            "index_codecs": [{"id": "crc32c"}],
            "index_order": "<",
            "index_location": "start",
        }
    ]
    assert SHARDED.all_codecs == SHARDED.inner_codecs == (ZLIB,)


@pytest.mark.parametrize(
    ("layout", "is_partial", "chunks"),
    [
        (SHARDED, True, (2, 3)),
        (ChunkLayout(shape=(7, 9), chunks=(4, 6), order=(0, 1)), False, (4, 6)),
        (ChunkLayout(shape=(7, 9), chunks=(4, 6), order=(1, 0), shard=SHARD), False, (4, 6)),
        (
            ChunkLayout(shape=(7, 9), chunks=(4, 6), order=(0, 1), shard=SHARD, codecs=(CRC,)),
            False,
            (4, 6),
        ),
    ],
    ids=["shards", "chunks", "transposed shards", "encoded shards"],
)
def test_chunks_that_are_read_alone(layout, is_partial, chunks):
    assert layout.is_partial == is_partial
    assert layout.reading_grid.chunks == chunks
    assert layout.grid.chunks == (4, 6)


def test_the_layout_within_shards():
    inner = SHARDED.inner
    assert (inner.shape, inner.chunks, inner.order) == ((7, 9), (2, 3), (1, 0))
    assert (inner.codecs, inner.shard) == ((ZLIB,), None)
    assert inner.inner is inner


def test_the_shard_of_a_chunk():
    assert SHARDED.object_of((0, 0)) == ((0, 0), (0, 0))
    assert SHARDED.object_of((3, 2)) == ((1, 1), (1, 0))
    inner = Shard(chunks=(2,), order=(0,))
    unequal = ChunkLayout(shape=(10,), chunks=(4,), order=(0,), lengths=((4, 2, 4),), shard=inner)
    found = [unequal.object_of((index,)) for index in range(5)]
    assert found == [((0,), (0,)), ((0,), (1,)), ((1,), (0,)), ((2,), (0,)), ((2,), (1,))]


def test_unequal_lengths():
    assert UNEQUAL.lengths_along(0) == (4, 2, 4)
    assert [UNEQUAL.grid.box((n,)).shape for n in range(3)] == [(4,), (2,), (1,)]
    assert UNEQUAL.at((1,)).chunks == (2,)
    assert UNEQUAL.at((1,)).lengths is None
    assert SHARDED.lengths_along(1) == (6, 6)
    assert SHARDED.at((1, 1)) is SHARDED


def test_chunks_as_bytes():
    assert ChunkLayout(shape=(2,), chunks=(2,), order=(0,), codecs=(ZLIB,)).is_of_bytes
    assert not SHARDED.is_of_bytes
    delta = make_filter("delta", dtype="<i2")
    assert not ChunkLayout(shape=(2,), chunks=(2,), order=(0,), first_codecs=(delta,)).is_of_bytes


def test_a_chunk_beyond_the_limit():
    layout = ChunkLayout(shape=(LARGEST_CHUNK,), chunks=(LARGEST_CHUNK,), order=(0,))
    layout.check_size(1, "s.zarr: /v")
    layout.check_size(0, "s.zarr: /v")
    with pytest.raises(CodecError, match="exceeds the limit"):
        layout.check_size(2, "s.zarr: /v")
