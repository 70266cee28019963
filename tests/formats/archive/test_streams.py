"""The bytes of compressed files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma

import pytest
from numcodecs.zstd import compress as zstd

from ncz.errors import ZmapError
from ncz.formats.archive import streams

DATA = b"some bytes " * 100
COMPRESSED = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd}


@pytest.mark.parametrize("kind", COMPRESSED)
def test_a_file_is_decompressed_by_its_first_bytes(kind):
    data = bytes(COMPRESSED[kind](DATA))
    file = streams.decompress_stream(io.BytesIO(data), data[:8], "x")
    assert file is not None
    assert file.read() == DATA


def test_a_file_that_is_not_compressed_has_no_stream():
    assert streams.decompress_stream(io.BytesIO(DATA), DATA[:8], "x") is None


@pytest.mark.parametrize("kind", COMPRESSED)
def test_half_a_file_raises_an_error_of_damage(kind):
    data = bytes(COMPRESSED[kind](DATA))
    half = io.BytesIO(data[: len(data) // 2])
    with pytest.raises(streams.damage()):
        streams.decompress_stream(half, data[:8], "x").read()  # type: ignore[union-attr]


def test_zstd_is_decompressed_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(streams, "_LARGEST_IN_MEMORY", 1000)
    data = bytes(zstd(DATA))
    with pytest.raises(ZmapError, match="larger than 1 GiB") as caught:
        streams.decompress_stream(io.BytesIO(data), data[:8], "x.zst")
    assert caught.value.location == "x.zst"
