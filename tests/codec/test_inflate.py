"""Decompression of zlib and gzip, with a limit."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import numpy as np
import pytest

from ncz.codec import chain
from ncz.errors import CodecError
from tests.codec.test_deflate_streams import library as library


@pytest.mark.parametrize(("name", "encode"), [("zlib", zlib.compress), ("gzip", gzip.compress)])
def test_it_decodes_data_of_other_encoders(library: str, name: str, encode):
    for data in (b"", b"x", bytes(range(256)) * 500):
        size = len(data)
        assert (
            bytes(chain.decode([{"id": name}], encode(data), count=size, item_size=1, location="t"))
            == data
        )


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("cut short", "ends too early"),
        ("too long", "decodes to more than 10 bytes"),
        ("not compressed", "cannot be decoded by zlib: .*header"),
    ],
)
def test_damage_is_an_error(library: str, damage: str, says: str):
    data = zlib.compress(bytes(1000))
    count = 1000
    if damage == "cut short":
        data = data[:-8]
    elif damage == "too long":
        count = 10
    else:
        data = b"x" * 100
    with pytest.raises(CodecError, match=says):
        chain.decode([{"id": "zlib"}], data, count=count, item_size=1, location="t")


def test_bytes_after_zlib_are_ignored(library: str):
    data = zlib.compress(b"ab") + b"more"
    found = chain.decode([{"id": "zlib"}], data, count=2, item_size=1, location="t")
    assert bytes(found) == b"ab"


def decoded(data: bytes, count: int):
    return chain.decode([{"id": "gzip"}], data, count=count, item_size=1, location="t")


def test_gzip_of_many_empty_members():
    # Each member was copied with all that follow it, in time that grows with the square.
    member = gzip.compress(b"", mtime=0)
    stored = gzip.compress(b"ab") + member * 60_000 + gzip.compress(b"c" * 300_000) + bytes(5)
    assert decoded(stored, 300_002) == b"ab" + b"c" * 300_000
    with pytest.raises(CodecError, match="ends too early"):
        decoded(stored[:-20], 300_002)
    with pytest.raises(CodecError, match="more than 300001 bytes"):
        decoded(stored, 300_001)


def test_a_bomb_in_the_second_member_of_gzip_takes_no_memory():
    noise = np.random.default_rng(1).bytes(300_000)
    stored = gzip.compress(b"ab") + gzip.compress(noise + bytes(20_000_000), 1)
    tracemalloc.start()
    try:
        with pytest.raises(CodecError, match="more than 300002 bytes"):
            decoded(stored, 300_002)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
