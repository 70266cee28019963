"""zlib and gzip by either implementation."""

from __future__ import annotations

import gzip
import sys
import tracemalloc
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.codec import chain, deflate, deflate_streams, inflate
from ncz.errors import CodecError


@pytest.fixture(params=["zlib", "libdeflate"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "zlib":
        monkeypatch.setitem(sys.modules, "deflate", None)
        monkeypatch.setitem(sys.modules, "isal", None)
    deflate_streams.libdeflate.cache_clear()
    deflate_streams.isal.cache_clear()
    yield request.param
    deflate_streams.libdeflate.cache_clear()
    deflate_streams.isal.cache_clear()


@pytest.mark.parametrize("level", [0, 1, 5, 9])
@pytest.mark.parametrize(("name", "decode"), [("zlib", zlib.decompress), ("gzip", gzip.decompress)])
def test_others_decode_what_it_encodes(library: str, name: str, decode, level: int):
    assert (deflate_streams.libdeflate() is None) == (library == "zlib")
    data = np.frombuffer(bytes(range(256)) * 500, "u1")
    encoded = chain.encode([{"id": name, "level": level}], data, item_size=1, location="t")
    assert decode(bytes(encoded)) == data.tobytes()
    assert encoded == chain.encode([{"id": name, "level": level}], data, item_size=1, location="t")


@pytest.mark.parametrize(("name", "encode"), [("zlib", zlib.compress), ("gzip", gzip.compress)])
def test_it_decodes_what_others_encode(library: str, name: str, encode):
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


@given(st.binary(max_size=2000), st.integers(0, 9))
def test_any_bytes_come_back(data: bytes, level: int):
    for window in (deflate_streams.ZLIB, deflate_streams.GZIP):
        encoded = deflate_streams.deflate(data, level, window)
        assert zlib.decompressobj(window).decompress(encoded) == data
        assert inflate.inflate(encoded, len(data), window) == data


def test_what_follows_zlib_is_ignored(library: str):
    data = zlib.compress(b"ab") + b"more"
    found = chain.decode([{"id": "zlib"}], data, count=2, item_size=1, location="t")
    assert bytes(found) == b"ab"


SOURCES = Path(deflate.__file__).parent.glob("*.py")

FIELD = (
    280 + 20 * np.sin(np.arange(300_000) / 1e4) + np.random.default_rng(1).normal(0, 0.1, 300_000)
)
"""A smooth field with noise."""

ARRAYS = {
    "full precision": FIELD.astype("f4"),
    "double": FIELD,
    "rounded": FIELD.round(2).astype("f4"),
    "smooth": (280 + 20 * np.sin(np.arange(300_000) / 3e3)).astype("f4"),
    "packed": ((FIELD - 280) * 1000).astype("i2"),
    "whole numbers": (FIELD * 1000).astype("i4"),
    "text": np.frombuffer(b"".join(p.read_bytes() for p in sorted(SOURCES)), "u1"),
}


@pytest.mark.parametrize("shuffle", [False, True], ids=["plain", "shuffled"])
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("levels", [(1, 6), pytest.param(range(1, 10), marks=pytest.mark.long)])
def test_a_level_compresses_as_well_as_that_of_zlib(
    name: str, shuffle: bool, levels: Sequence[int]
):
    values = ARRAYS[name]
    size = values.itemsize
    filters = [{"id": "shuffle", "elementsize": size}] if shuffle else []
    data = chain.encode(filters, values, item_size=size, location="v")
    for level in levels:
        codecs = [*filters, {"id": "zlib", "level": level}]
        found = chain.encode(codecs, values, item_size=size, location="v")
        assert len(found) <= 1.03 * len(zlib.compress(data, level)), level


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
