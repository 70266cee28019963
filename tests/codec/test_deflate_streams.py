"""Compression to zlib and gzip, by either library."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.codec import chain, deflate_streams, inflate


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
def test_other_libraries_decode_its_output(library: str, name: str, decode, level: int):
    assert (deflate_streams.libdeflate() is None) == (library == "zlib")
    data = np.frombuffer(bytes(range(256)) * 500, "u1")
    encoded = chain.encode([{"id": name, "level": level}], data, item_size=1, location="t")
    assert decode(bytes(encoded)) == data.tobytes()
    assert encoded == chain.encode([{"id": name, "level": level}], data, item_size=1, location="t")


@given(st.binary(max_size=2000), st.integers(0, 9))
def test_any_bytes_come_back(data: bytes, level: int):
    for window in (deflate_streams.ZLIB, deflate_streams.GZIP):
        encoded = deflate_streams.deflate(data, level, window)
        assert zlib.decompressobj(window).decompress(encoded) == data
        assert inflate.inflate(encoded, len(data), window) == data
