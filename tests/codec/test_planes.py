"""Shuffled data that is compressed plane by plane."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import numpy as np
import pytest

from ncz.codec import chain, deflate_streams, inflate, planes

LENGTH = 300_000
"""The length of a plane; each has one part."""

SKEWED = np.arange(1, 97) / np.arange(1, 97).sum()


def noise(seed: int, length: int = LENGTH) -> bytes:
    """Return bytes that contain no repetitions, but are not equally frequent."""
    return np.random.default_rng(seed).choice(96, length, p=SKEWED).astype("u1").tobytes()


def again(period: int) -> bytes:
    """Return noise that repeats itself."""
    return (noise(1, period) * (LENGTH // period + 1))[:LENGTH]


def compressed_planes(*parts: bytes, level: int = 5, window: int = deflate_streams.ZLIB) -> bytes:
    return planes.deflate_planes(memoryview(b"".join(parts)), level, window, LENGTH)


@pytest.mark.parametrize("level", [1, 5, 9])
@pytest.mark.parametrize(
    ("window", "decode"),
    [(deflate_streams.ZLIB, zlib.decompress), (deflate_streams.GZIP, gzip.decompress)],
    ids=["zlib", "gzip"],
)
@pytest.mark.parametrize(
    "parts",
    [(noise(1),), (noise(1), noise(2)), (noise(1), again(1000)), (noise(1), noise(2), b"end")],
    ids=["one", "two", "repeated", "not whole"],
)
def test_any_zlib_decodes_it_and_it_is_as_small(window, decode, level, parts):
    data = b"".join((*parts, bytes(LENGTH)))
    found = compressed_planes(*parts, bytes(LENGTH), level=level, window=window)
    plain = deflate_streams.deflate(data, level, window)
    assert decode(found) == data
    assert found != plain
    assert len(found) < 1.02 * len(plain)
    assert inflate.inflate(found, len(data), window) == data


@pytest.mark.parametrize(
    "part",
    [bytes(range(250)) * 1200, again(1000), again(30_000)],
    ids=["counted", "repeated", "repeated at a distance"],
)
def test_repetitive_data_are_compressed_as_without_planes(part):
    assert compressed_planes(part, noise(1)) == deflate_streams.deflate(
        part + noise(1), 5, deflate_streams.ZLIB
    )


def test_each_plane_that_is_noise_is_sampled_once(monkeypatch):
    sampled: list[int] = []
    is_noise = planes._is_noise

    def sample(plane: memoryview, level: int) -> bool:
        sampled.append(level)
        return is_noise(plane, level)

    monkeypatch.setattr(planes, "_is_noise", sample)
    compressed_planes(noise(1), again(1000), noise(2), noise(3))
    assert len(sampled) == 2


@pytest.mark.parametrize(
    ("rest", "lengths"),
    [
        (np.repeat(np.arange(3000) % 7, 100).astype("u1").tobytes(), {planes._SAMPLE}),
        (bytes(180_000) + noise(3, 120_000), {planes._SAMPLE, LENGTH}),
        (again(5000), {planes._SAMPLE, LENGTH}),
    ],
    ids=["small", "small in the middle", "large"],
)
def test_small_planes_next_to_noise_need_no_libdeflate(rest, lengths, monkeypatch):
    library, compressed = deflate_streams.libdeflate(), []

    class Watched:
        def deflate_compress(self, data: memoryview, level: int) -> Any:
            compressed.append(len(data))
            return library.deflate_compress(data, level)

    monkeypatch.setattr(planes, "libdeflate", Watched)
    data = noise(1) + noise(2) + rest
    found = compressed_planes(data)
    assert set(compressed) == lengths
    assert zlib.decompress(found) == data
    assert len(found) < 1.03 * len(deflate_streams.deflate(data, 5, deflate_streams.ZLIB))


@pytest.mark.parametrize("data", [b"", b"x", noise(1, 100_000)], ids=["none", "one", "short"])
def test_short_planes_are_compressed_as_one(data):
    assert planes.deflate_planes(
        memoryview(data), 5, deflate_streams.ZLIB, len(data)
    ) == deflate_streams.deflate(data, 5, deflate_streams.ZLIB)


def test_level_zero_does_not_compress():
    assert compressed_planes(noise(1), level=0) == deflate_streams.deflate(
        noise(1), 0, deflate_streams.ZLIB
    )


@pytest.mark.parametrize(("name", "decode"), [("zlib", zlib.decompress), ("gzip", gzip.decompress)])
def test_values_come_back_from_shuffle_and_deflate(name, decode):
    values = (280 + np.random.default_rng(1).normal(0, 0.1, LENGTH + 1)).round(2).astype("<f4")
    codecs = [{"id": "shuffle", "elementsize": 4}, {"id": name, "level": 5}]
    encoded = chain.encode(codecs, values, item_size=4, location="v")
    shuffled = values.view("u1").reshape(-1, 4).T.tobytes()
    assert decode(encoded) == shuffled
    assert len(encoded) < 1.03 * len(zlib.compress(shuffled, 5))
    decoded = chain.decode(codecs, encoded, count=values.size, item_size=4, location="v")
    assert bytes(decoded) == values.tobytes()
