"""Chunks whose headers lie: refused before a native library reads or writes beyond its memory."""

from __future__ import annotations

import gzip
import json
import struct
import tracemalloc

import numcodecs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.codec import chain
from ncz.codec.native import zfp_padding
from ncz.codec.zstd_frames import frames
from ncz.errors import CodecError

SMALLEST_BLOSC = bytes([2, 1, 2, 1])


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
@settings(max_examples=300, deadline=None)
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


def test_lz4_that_declares_more_than_its_bytes_can_hold():
    with pytest.raises(CodecError, match="cannot hold"):
        decode([{"id": "lz4"}], struct.pack("<I", 1 << 20) + bytes(8), 1 << 20)


# --- zstd -----------------------------------------------------------------------------------------

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
"""A gigabyte in 32 kB, whose frame does not say so."""


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


# --- objects --------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["vlen-utf8", "vlen-bytes", "vlen-array"])
def test_a_count_of_objects_that_the_chunk_cannot_hold(codec):
    with pytest.raises(CodecError, match="too few for 1000000000 objects"):
        decode([{"id": codec, "dtype": "u1"}], struct.pack("<I", 10**9) + bytes(96), 10**9, 0)


def objects(codec: str, items: list) -> bytes:
    if codec == "json2":
        return json.dumps(items).encode()
    msgpack = pytest.importorskip("msgpack")
    return bytes(msgpack.packb(items))


@pytest.mark.parametrize("codec", ["json2", "msgpack2"])
@pytest.mark.parametrize(
    "items",
    [["a", "|O", [10**10]], ["a", "|O", [2, -1]], ["a", "|O", 1], ["a", "b"], [], "a", 7,
     ["a", "b", "c", "|O", [2]]],
    ids=str,
)  # fmt: skip
def test_objects_that_declare_another_shape(codec, items):
    with pytest.raises(CodecError, match="does not hold 2 objects"):
        decode([{"id": codec}], objects(codec, items), 2, 0)


@pytest.mark.parametrize("codec", ["json2", "msgpack2"])
def test_objects_of_a_dtype_that_fills_the_memory(codec):
    with pytest.raises(CodecError, match="more than"):
        decode([{"id": codec}], objects(codec, ["a", "b", "U200000000", [2]]), 2, 0)


@pytest.mark.parametrize("codec", [numcodecs.JSON(), numcodecs.MsgPack()], ids=lambda c: c.codec_id)
@pytest.mark.parametrize("shape", [(1,), (3,), (2, 2)])
def test_objects_as_numcodecs_writes_them(codec, shape):
    values = np.empty(shape, object)
    values[...] = "text"
    if shape == (3,):
        values[:] = ["a", {"b": [1, 2.5]}, None]
    decoded = decode([codec.get_config()], bytes(codec.encode(values)), values.size, 0)
    assert decoded.tolist() == values.tolist()


def test_json_of_more_values_than_objects():
    data = b"[" + b"[]," * 3_000_000 + b'"|O",[1]]'
    with pytest.raises(CodecError, match="more"):
        decode([{"id": "json2"}], data, 1, 0)


# --- filters --------------------------------------------------------------------------------------


def test_packbits_of_more_bits_than_elements():
    with pytest.raises(CodecError, match="more than 16 bytes"):
        decode([{"id": "packbits"}], b"\0" + bytes(10_000_000), 16)


@pytest.mark.parametrize("stored", [b"", b"\1", b"\7", b"\x08\xff\xff", b"\x09\xff\xff"])
def test_packbits_with_more_padding_than_a_byte_has(stored):
    with pytest.raises(CodecError, match="the number of bits that are padding"):
        decode([{"id": "packbits"}], stored, 16)


def test_packbits_with_as_much_padding_as_there_can_be():
    assert decode([{"id": "packbits"}], b"\7\x80", 1) == b"\1"


def test_a_filter_that_makes_elements_wide():
    configuration = {"id": "astype", "encode_dtype": "i1", "decode_dtype": "S1000000000"}
    with pytest.raises(CodecError, match="more than 16 bytes"):
        decode([configuration], b"\1" * 16, 16)


def test_repeated_filters_do_not_multiply_what_is_decompressed():
    filters = [{"id": "delta", "dtype": "i1", "astype": "i8"}] * 8
    with pytest.raises(CodecError, match="decodes to more than"):
        decode([*filters, {"id": "gzip"}], gzip.compress(bytes(50_000_000)), 1000)


def test_gzip_of_many_empty_members():
    # Each member was copied with all that follow it, in time that grows with the square.
    member = gzip.compress(b"", mtime=0)
    stored = gzip.compress(b"ab") + member * 60_000 + gzip.compress(b"c" * 300_000) + bytes(5)
    assert decode([{"id": "gzip"}], stored, 300_002) == b"ab" + b"c" * 300_000
    with pytest.raises(CodecError, match="ends too early"):
        decode([{"id": "gzip"}], stored[:-20], 300_002)
    with pytest.raises(CodecError, match="more than 300001 bytes"):
        decode([{"id": "gzip"}], stored, 300_001)


def test_a_bomb_in_the_second_member_of_gzip_takes_no_memory():
    noise = np.random.default_rng(1).bytes(300_000)
    stored = gzip.compress(b"ab") + gzip.compress(noise + bytes(20_000_000), 1)
    tracemalloc.start()
    try:
        with pytest.raises(CodecError, match="more than 300002 bytes"):
            decode([{"id": "gzip"}], stored, 300_002)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_json_of_many_objects_may_have_many_values():
    count = 1 << 17
    each = '{"a":{"b":{"c":{}}}}'
    stored = f'[{",".join([each] * count)},"|O",[{count}]]'.encode()
    assert len(decode([{"id": "json2"}], stored, count, 0)) == count


# --- libraries that are seldom installed ----------------------------------------------------------


def test_zfp_cannot_read_behind_its_data():
    pytest.importorskip("zfpy")
    codec = numcodecs.get_codec({"id": "zfpy", "mode": 4, "tolerance": 0.001})
    values = np.random.default_rng(1).random((20, 30))
    stored = bytes(codec.encode(values))
    whole = decode([codec.get_config()], stored, 600, 8)
    assert np.abs(np.frombuffer(whole, "f8") - values.ravel()).max() < 0.001
    # What is missing is zeros, not memory of the process.
    assert decode([codec.get_config()], stored[:40], 600, 8) == decode(
        [codec.get_config()], stored[:40] + bytes(5000), 600, 8
    )
    with pytest.raises(CodecError, match="more than"):
        decode([codec.get_config()], stored, 599, 8)


def test_pcodec_is_bounded():
    pytest.importorskip("pcodec")
    codec = numcodecs.get_codec({"id": "pcodec"})
    stored = bytes(codec.encode(np.zeros(10_000_000, "f8")))
    with pytest.raises(CodecError, match="more than 80 bytes"):
        decode([codec.get_config()], stored, 10, 8)
    with pytest.raises(CodecError, match="more than 80 bytes"):
        decode([codec.get_config()], bytes(codec.encode(np.zeros(11, "f8"))), 10, 8)
    values = np.arange(10, dtype="f4")
    assert decode([codec.get_config()], bytes(codec.encode(values)), 10, 4) == values.tobytes()


@pytest.mark.parametrize(
    ("least", "most", "bits"), [(1, 50, 50), (99, 50, 99), (1, 0x8000, 16 * 4 * 4 + 128)]
)
def test_zfp_pads_for_the_bits_of_a_block_that_the_header_declares(least, most, bits):
    meta = 2 | 15 << 4  # 16 numbers of 4 bytes along one axis, which are 4 blocks
    mode = 0xFFF | (least - 1) << 12 | (most - 1) << 27
    data = b"zfp\5" + (meta | mode << 52).to_bytes(16, "little")
    assert zfp_padding(data) == 64 + 4 * bits // 8 + (4 * bits % 8 > 0)


@pytest.mark.parametrize(("mode", "bits"), [(0, 1), (2047, 2048), (2048, 16 * 4 * 4 + 128)])
def test_zfp_pads_for_the_bits_of_a_fixed_rate(mode, bits):
    meta = 2 | 15 << 4  # as above
    data = b"zfp\5" + (meta | mode << 52).to_bytes(16, "little")
    assert zfp_padding(data) == 64 + -(-4 * bits // 8)
