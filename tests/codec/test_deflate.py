"""zlib and gzip by either implementation."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.codec import chain, deflate
from ncz.errors import CodecError


@pytest.fixture(params=["zlib", "zlib_ng.zlib_ng"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "zlib":
        monkeypatch.setitem(sys.modules, "zlib_ng", None)
    else:
        pytest.importorskip("zlib_ng", reason="zlib-ng is not installed")
    deflate.library.cache_clear()
    yield request.param
    deflate.library.cache_clear()


@pytest.mark.parametrize("level", [0, 1, 5, 9])
@pytest.mark.parametrize(("name", "decode"), [("zlib", zlib.decompress), ("gzip", gzip.decompress)])
def test_others_decode_what_it_encodes(library: str, name: str, decode, level: int):
    assert deflate.library().__name__ == library
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
    for window in (deflate.ZLIB, deflate.GZIP):
        encoded = deflate.deflate(data, level, window)
        assert deflate.decompressor(window).decompress(encoded) == data


def test_what_follows_zlib_is_ignored(library: str):
    data = zlib.compress(b"ab") + b"more"
    found = chain.decode([{"id": "zlib"}], data, count=2, item_size=1, location="t")
    assert bytes(found) == b"ab"
