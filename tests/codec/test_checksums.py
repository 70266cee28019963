"""Checksums of chunks."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.codec.catalogue import codec_of
from ncz.codec.chain import decode_bytes
from ncz.codec.checksums import CODECS, with_crc32c
from ncz.errors import CodecError

numcodecs = pytest.importorskip("numcodecs")

DATA = b"123456789"


def decoded(configuration: dict[str, Any], data: bytes) -> bytes:
    return bytes(decode_bytes([configuration], data, limit=100, location="v/0"))


def test_the_checksum_of_zarr_v3_follows_the_data():
    assert with_crc32c(DATA) == DATA + (0xE3069283).to_bytes(4, "little")  # of RFC 3720
    end = {"id": "crc32c", "location": "end"}
    assert decoded(end, with_crc32c(DATA)) == DATA
    assert decoded(end, with_crc32c(b"")) == b""


@pytest.mark.parametrize(
    "configuration",
    [
        {"id": "crc32"},
        {"id": "crc32", "location": "end"},
        {"id": "adler32"},
        {"id": "crc32c"},
        {"id": "crc32c", "location": "end"},
        {"id": "fletcher32"},
        {"id": "jenkins_lookup3"},
    ],
)
def test_bytes_of_numcodecs_are_verified(configuration: dict[str, Any]):
    data = bytes(numcodecs.get_codec(dict(configuration)).encode(DATA * 4))
    assert len(data) == len(DATA) * 4 + 4
    assert decoded(configuration, data) == DATA * 4
    for at in (0, len(data) - 1):
        damaged = bytearray(data)
        damaged[at] ^= 1
        with pytest.raises(CodecError):
            decoded(configuration, bytes(damaged))


@pytest.mark.parametrize("data", [b"", b"abc"])
def test_a_chunk_that_is_too_short_is_damaged(data: bytes):
    with pytest.raises(CodecError, match="v/0"):
        decoded({"id": "crc32c", "location": "end"}, data)


def test_every_checksum_adds_four_bytes_and_is_known_by_its_name():
    assert {codec.added_bytes for codec in CODECS} == {4}
    assert all(codec_of({"id": codec.id}) is codec for codec in CODECS)
