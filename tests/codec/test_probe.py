"""Checks without decoding pass whole chunks, and not truncated ones."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import pytest

from ncz.codec import ArraySpec, chain
from ncz.codec.probe import probe_for

MANY = np.arange(40_000, dtype="<i4") % 1000

CHAINS: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "shuffle": [{"id": "shuffle", "elementsize": 4}],
    "zlib": [{"id": "zlib", "level": 1}],
    "gzip": [{"id": "gzip", "level": 1}],
    "bz2": [{"id": "bz2", "level": 1}],
    "lzma": [{"id": "lzma", "format": 1, "check": -1, "preset": 0, "filters": None}],
    "lz4": [{"id": "lz4", "acceleration": 1}],
    "zstd": [{"id": "zstd", "level": 1}],
    "blosc": [{"id": "blosc", "cname": "lz4", "clevel": 1, "shuffle": 1, "blocksize": 0}],
    "crc32c": [{"id": "crc32c", "location": "end"}],
    "zlib, crc32c": [{"id": "zlib", "level": 1}, {"id": "crc32c", "location": "end"}],
    "fletcher32": [{"id": "fletcher32"}],
    "delta, blosc": [
        {"id": "delta", "dtype": "<i4", "astype": "<i2"},
        {"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": 0, "blocksize": 0},
    ],
}


@pytest.fixture(params=CHAINS)
def name(request):
    return request.param


def encoded(name):
    data = chain.encode(CHAINS[name], MANY, item_size=4, location="")
    return data, probe_for(CHAINS[name], ArraySpec((MANY.size,), 4))


def test_a_whole_chunk_passes(name):
    data, looks_whole = encoded(name)
    assert looks_whole(data)


@pytest.mark.parametrize("part", [slice(0, 0), slice(0, 1), slice(0, -5), slice(5, None)])
def test_a_part_of_a_chunk_does_not(name, part):
    data, looks_whole = encoded(name)
    if name in ("zlib", "lz4") and part == slice(0, -5):
        assert looks_whole(data[part])  # they do not contain the end of a chunk
    else:
        assert not looks_whole(data[part])


@pytest.mark.parametrize("name", ["gzip", "lz4", "zstd", "blosc"])
def test_a_chunk_of_another_size_does_not(name):
    data = chain.encode(CHAINS[name], MANY[:-1], item_size=4, location="")
    assert not probe_for(CHAINS[name], ArraySpec((MANY.size,), 4))(data)


def test_the_trailer_of_gzip_counts_modulo_four_gigabytes():
    looks_whole = probe_for(CHAINS["gzip"], ArraySpec((2**32 + 5,), 1))
    assert looks_whole(gzip.compress(b"abcde"))
    assert not looks_whole(gzip.compress(b"abcdef"))


@pytest.mark.parametrize("name", ["crc32c", "zlib, crc32c", "fletcher32"])
def test_a_flipped_bit_fails_a_checksum(name):
    data, looks_whole = encoded(name)
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 16
    assert not looks_whole(bytes(flipped))


def test_the_number_of_objects_is_checked():
    names = np.array(["a", "bc", "d"], dtype=object)
    data = chain.encode([{"id": "vlen-utf8"}], names, item_size=0, location="")
    assert probe_for([{"id": "vlen-utf8"}], ArraySpec((3,), 0))(data)
    assert not probe_for([{"id": "vlen-utf8"}], ArraySpec((4,), 0))(data)


def test_a_codec_that_is_not_known_is_not_checked():
    assert probe_for([{"id": "of-a-plug-in"}], ArraySpec((3,), 4))(b"anything")
