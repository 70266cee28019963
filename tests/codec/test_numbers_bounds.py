"""Limits of the codecs of numbers."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from ncz.codec import ArraySpec, chain
from ncz.codec.numbers import PackBits
from ncz.errors import CodecError


def decode(configurations: list[dict], data: bytes, count: int, item_size: int = 1):
    return chain.decode(configurations, data, count=count, item_size=item_size, location="u: /v/0")


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


def test_repeated_filters_do_not_multiply_the_decompressed_size():
    filters = [{"id": "delta", "dtype": "i1", "astype": "i8"}] * 8
    with pytest.raises(CodecError, match="decodes to more than"):
        decode([*filters, {"id": "gzip"}], gzip.compress(bytes(50_000_000)), 1000)


@pytest.mark.filterwarnings("error")
def test_a_scale_of_zero():
    codec = {
        "id": "fixedscaleoffset", "scale": 0, "offset": 1, "dtype": "<f8", "astype": "<i2",
    }  # fmt: skip
    stored = np.array([0, 3], "<i2").tobytes()
    found = np.frombuffer(decode([codec], stored, 2, 8), "<f8")
    assert np.isnan(found[0])
    assert np.isinf(found[1])


@pytest.mark.parametrize("count", range(1, 18))
def test_booleans_are_packed_into_no_more_bytes_than_is_said(count):
    codec, array = PackBits(), ArraySpec((count,), 1, "?")
    configuration = {"id": "packbits"}
    packed = chain.encode([configuration], np.ones(count, bool), item_size=1, location="v")
    assert codec.max_encoded_size(count, array, configuration, 9999) == len(packed)
    assert codec.result(array, configuration).size == len(packed)
