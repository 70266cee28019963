"""Shuffled data, of which some parts are coded as single bytes."""

from __future__ import annotations

import gzip
import zlib

import numpy as np
import pytest

from ncz.codec import chain
from ncz.codec.deflate import GZIP, ZLIB, deflate
from ncz.codec.planes import deflate_planes

LENGTH = 300_000
"""The length of a plane; each has one part."""

SKEWED = np.arange(1, 97) / np.arange(1, 97).sum()


def noise(seed: int, length: int = LENGTH) -> bytes:
    """Return bytes that hold no repetitions, but are not equally frequent."""
    return np.random.default_rng(seed).choice(96, length, p=SKEWED).astype("u1").tobytes()


def again(period: int) -> bytes:
    """Return noise that repeats itself."""
    return (noise(1, period) * (LENGTH // period + 1))[:LENGTH]


def planes(*parts: bytes, level: int = 5, window: int = ZLIB) -> bytes:
    return deflate_planes(memoryview(b"".join(parts)), level, window, LENGTH)


@pytest.mark.parametrize("level", [1, 5, 9])
@pytest.mark.parametrize(
    ("window", "decode"), [(ZLIB, zlib.decompress), (GZIP, gzip.decompress)], ids=["zlib", "gzip"]
)
@pytest.mark.parametrize(
    "parts",
    [
        (noise(1), noise(2), bytes(LENGTH)),
        (bytes(LENGTH), noise(1), again(1000)),
        (again(1000), bytes(LENGTH), noise(1), b"end"),
    ],
    ids=["first", "middle", "last"],
)
def test_any_zlib_decodes_it_and_it_is_smaller(window, decode, level, parts):
    data = b"".join(parts)
    found = planes(*parts, level=level, window=window)
    plain = deflate(data, level, window)
    assert decode(found) == data
    assert found != plain
    assert len(found) < 1.005 * len(plain)


@pytest.mark.parametrize(
    "part",
    [bytes(LENGTH), again(1000), again(30_000), noise(1, LENGTH // 2) + bytes(LENGTH // 2)],
    ids=["zeros", "repeated", "repeated at a distance", "half noise"],
)
def test_what_repeats_itself_is_compressed_as_without_planes(part):
    assert planes(part) == deflate(part, 5, ZLIB)


def test_a_sample_that_is_not_like_its_part_does_not_decide():
    quarter = LENGTH // 4
    part = bytes(quarter) + noise(1, 2 * quarter) + bytes(quarter)
    assert planes(part) == deflate(part, 5, ZLIB)


@pytest.mark.parametrize("data", [b"", b"x", noise(1, 100_000)], ids=["none", "one", "short"])
def test_short_planes_are_compressed_as_one(data):
    assert deflate_planes(memoryview(data), 5, ZLIB, len(data)) == deflate(data, 5, ZLIB)


def test_level_zero_does_not_compress():
    assert planes(noise(1), level=0) == deflate(noise(1), 0, ZLIB)


@pytest.mark.parametrize(("name", "decode"), [("zlib", zlib.decompress), ("gzip", gzip.decompress)])
def test_values_come_back_from_shuffle_and_deflate(name, decode):
    values = (280 + np.random.default_rng(1).normal(0, 0.1, LENGTH + 1)).round(2).astype("<f4")
    codecs = [{"id": "shuffle", "elementsize": 4}, {"id": name, "level": 5}]
    encoded = chain.encode(codecs, values, item_size=4, location="v")
    shuffled = values.view("u1").reshape(-1, 4).T.tobytes()
    assert decode(encoded) == shuffled
    assert len(encoded) < len(deflate(shuffled, 5, ZLIB))
    decoded = chain.decode(codecs, encoded, count=values.size, item_size=4, location="v")
    assert bytes(decoded) == values.tobytes()
