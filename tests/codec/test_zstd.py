"""Frames of zstd."""

from __future__ import annotations

import struct

import numcodecs
import numpy as np
import pytest

from ncz.codec.zstd import frames
from ncz.errors import CodecError
from tests.codec.test_compressors import decode

SKIPPED = struct.pack("<II", 0x184D2A50, 4) + b"skip"


def block(kind: int, size: int, content: bytes, *, last: bool = False) -> bytes:
    return struct.pack("<I", last | kind << 1 | size << 3)[:3] + content


def frame_without_size(*blocks: bytes) -> bytes:
    return b"\x28\xb5\x2f\xfd\x00\x40" + b"".join(blocks)


def zstd(data: bytes) -> bytes:
    return bytes(numcodecs.Zstd(3).encode(data))


SIZELESS = frame_without_size(block(1, 1000, b"z"), block(0, 3, b"abc", last=True))


@pytest.mark.parametrize(
    ("stored", "content"),
    [
        (zstd(b"one") + zstd(b"two"), b"onetwo"),
        (SKIPPED + zstd(b"one"), b"one"),
        (zstd(b"one") + SKIPPED + zstd(b"two") + SKIPPED, b"onetwo"),
        (SIZELESS, b"z" * 1000 + b"abc"),
        (zstd(b"one") + SIZELESS, b"onez" + b"z" * 999 + b"abc"),
        (zstd(b""), b""),
    ],
    ids=["two", "skip first", "skip between", "no size", "no size after a size", "empty"],
)
def test_zstd_frames(stored, content):
    assert decode([{"id": "zstd"}], stored, len(content)) == content


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 65535, 65536, 65792, 200_000, 1 << 20])
@pytest.mark.parametrize("checksum", [False, True])
def test_the_frames_of_other_writers(size, checksum):
    stored = bytes(numcodecs.Zstd(1, checksum).encode(np.arange(size, dtype="u1")))
    (frame,) = frames(stored)
    assert (frame.start, frame.end, frame.most, frame.is_exact) == (0, len(stored), size, True)


REPEATED = frame_without_size(*[block(1, 128 << 10, b"z")] * 8000, block(1, 1, b"z", last=True))
"""A gigabyte in 32 kB, whose frame does not state its size."""


@pytest.mark.parametrize(
    "stored",
    [REPEATED, SKIPPED + REPEATED, zstd(b"ab") + REPEATED, zstd(b"ab") + zstd(b"abc"), SIZELESS],
    ids=["no size", "after a skipped frame", "after a small frame", "two", "a bit too long"],
)
def test_zstd_that_decodes_to_more_than_its_chunk(stored):
    with pytest.raises(CodecError, match="more than 4 bytes"):
        decode([{"id": "zstd"}], stored, 4)


@pytest.mark.parametrize("stored", [b"", b"abcd", SKIPPED[:-1], SIZELESS[:-1], SIZELESS[:7]])
def test_zstd_that_is_cut_or_something_else(stored):
    with pytest.raises(CodecError, match="cannot be decoded by zstd"):
        decode([{"id": "zstd"}], stored, 4)
