"""Compressors of arrays, whose libraries are rarely installed."""

from __future__ import annotations

import numcodecs
import numpy as np
import pytest

from ncz.codec import chain
from ncz.codec.array_compressors import bytes_of_blocks, longest_block, zfp_padding
from ncz.errors import CodecError


def decode(configurations: list[dict], data: bytes, count: int, item_size: int = 1):
    return chain.decode(configurations, data, count=count, item_size=item_size, location="u: /v/0")


def test_zfp_cannot_read_behind_its_data():
    pytest.importorskip("zfpy")
    codec = numcodecs.get_codec({"id": "zfpy", "mode": 4, "tolerance": 0.001})
    values = np.random.default_rng(1).random((20, 30))
    stored = bytes(codec.encode(values))
    whole = decode([codec.get_config()], stored, 600, 8)
    assert np.abs(np.frombuffer(whole, "f8") - values.ravel()).max() < 0.001
    # Missing bytes are zeros, not memory of the process.
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


@pytest.mark.parametrize(
    ("shape", "bits", "size"), [((4,), 8, 1), ((5,), 8, 2), ((4, 9), 9, 4), ((1, 1, 1, 5), 16, 4)]
)
def test_a_block_has_four_elements_along_each_axis(shape, bits, size):
    assert bytes_of_blocks(shape, bits) == size


def test_the_longest_block_has_room_for_every_bit_twice():
    assert longest_block(4, 1) == 4 * 64 + 128
