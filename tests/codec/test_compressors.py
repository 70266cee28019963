"""Compressors of bytes: headers that declare more than there is."""

from __future__ import annotations

import struct

import pytest

from ncz.codec import chain
from ncz.errors import CodecError


def decode(configurations: list[dict], data: bytes, count: int, item_size: int = 1):
    return chain.decode(configurations, data, count=count, item_size=item_size, location="u: /v/0")


def test_lz4_that_declares_more_than_its_bytes_can_contain():
    with pytest.raises(CodecError, match="bytes are too few"):
        decode([{"id": "lz4"}], struct.pack("<I", 1 << 20) + bytes(8), 1 << 20)
