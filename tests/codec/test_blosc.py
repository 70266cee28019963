"""Blosc: chunks with wrong headers, refused before the library uses memory out of bounds."""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor

import numcodecs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.codec import chain
from ncz.errors import CodecError
from tests.sampled import share_of


def decode(configurations: list[dict], data: bytes, count: int, item_size: int = 1):
    return chain.decode(configurations, data, count=count, item_size=item_size, location="u: /v/0")


def blosc(size: int, block: int, encoded: int, flags: int = 2) -> bytes:
    return bytes([2, 1, flags, 1]) + struct.pack("<III", size, block, encoded)


@pytest.mark.parametrize("size", [64, 512 << 10, 1 << 20])
def test_blosc_that_declares_more_than_it_has(size):
    data = blosc(size, size, size + 16) + b"AB"
    with pytest.raises(CodecError, match=f"declares {size + 16} bytes, but it has 18"):
        decode([{"id": "blosc"}], data, size)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\2\1\2", "shorter than the header"),
        (blosc(64, 0, 16 + 64) + bytes(64), "blocks of 0 bytes"),
        (blosc(64, 65, 16 + 64) + bytes(64), "blocks of 65 bytes"),
        (blosc(64, 64, 20) + bytes(4), "declares 64 bytes, but 4 follow"),
        (blosc(64, 1, 20, flags=0) + bytes(4), "shorter than its table"),
        (blosc(64, 64, 24, flags=0) + struct.pack("<ii", 0, 0), "points outside"),
        (blosc(64, 64, 24, flags=0) + struct.pack("<ii", 24, 0), "points outside"),
        (blosc(65, 65, 16 + 65) + bytes(65), "more than 64 bytes"),
    ],
)
def test_blosc_whose_header_cannot_be_true(data, reason):
    with pytest.raises(CodecError, match=reason):
        decode([{"id": "blosc"}], data, 64)


VALUES = np.arange(4000, dtype="<i4")


@pytest.mark.parametrize("cname", ["lz4", "blosclz", "zlib", "zstd"])
def test_every_truncation_of_a_blosc_chunk_is_an_error(cname):
    stored = bytes(numcodecs.Blosc(cname).encode(VALUES))
    for length in [*range(40), *range(40, len(stored), 97)]:
        says = f"but it has {length};" if length >= 16 else "it is shorter than the header of blosc"
        with pytest.raises(CodecError, match=f"cannot be decoded by blosc: .*{says}"):
            decode([{"id": "blosc"}], stored[:length], VALUES.size, 4)


@given(st.data())
@settings(max_examples=share_of(300), deadline=None)
def test_a_changed_blosc_chunk_is_decoded_alike_each_time_or_refused(data):
    stored = bytearray(numcodecs.Blosc("lz4").encode(VALUES))
    for _ in range(data.draw(st.integers(1, 4))):
        stored[data.draw(st.integers(0, 60))] = data.draw(st.integers(0, 255))
    results = []
    for _ in range(2):
        try:
            results.append(decode([{"id": "blosc"}], bytes(stored), VALUES.size, 4))
        except CodecError as error:
            results.append(str(error))
    assert results[0] == results[1]


def test_the_same_values_give_the_same_bytes_in_every_thread(monkeypatch):
    """Also in the main thread, where numcodecs uses several threads."""
    monkeypatch.setattr("numcodecs.blosc.use_threads", None)  # as by default
    values = np.cumsum(np.random.default_rng(0).normal(size=1 << 20))
    codecs = [{"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": 1, "blocksize": 0}]

    def encoded() -> bytes:
        return bytes(chain.encode(codecs, values, item_size=8, location="u: /v/0"))

    with ThreadPoolExecutor(1) as pool:
        expected = pool.submit(encoded).result()
    assert [encoded() == expected for _ in range(5)] == [True] * 5
    assert numcodecs.blosc.use_threads is None


@pytest.mark.parametrize("cname", ["lz4", "zstd"])
@pytest.mark.parametrize("rest", [bytes(16), b"abc"])
def test_bytes_after_the_last_block_are_ignored(cname, rest):
    stored = bytes(numcodecs.Blosc(cname).encode(VALUES))
    assert decode([{"id": "blosc"}], stored + rest, VALUES.size, 4) == VALUES.tobytes()
    random = np.random.default_rng(0).integers(0, 2**31, 100).astype("<i4")
    stored = bytes(numcodecs.Blosc(cname, clevel=0).encode(random))
    assert decode([{"id": "blosc"}], stored + rest, 100, 4) == random.tobytes()
