"""Filters of numbers refuse numbers that do not fit, and chunks that decode to too many bytes."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.codec import ArraySpec, chain
from ncz.codec.chain import encode
from ncz.codec.numbers import PackBits
from ncz.errors import CodecError

SCALED = {"id": "fixedscaleoffset", "offset": 270, "scale": 100, "dtype": "<f8", "astype": "<i2"}
DELTA = {"id": "delta", "dtype": "<i4", "astype": "i1"}
CAST = {"id": "astype", "decode_dtype": "<f8", "encode_dtype": "<f4"}


@pytest.mark.parametrize(
    ("codec", "values", "says"),
    [
        (SCALED, [271.5, 900.0], "fixedscaleoffset cannot store 900.0 as <i2"),
        (SCALED, [np.nan], "fixedscaleoffset cannot store nan as <i2"),
        (SCALED, [9.969209968386869e36], r"cannot store 9.969209968386869e\+36"),
        (DELTA, [1, 2, 200], r"delta cannot store 200 as \|i1"),
        (CAST, [1.0, 1e300], r"astype cannot store 1e\+300 as <f4"),
    ],
)
def test_numbers_that_do_not_fit_are_an_error(codec, values, says):
    elements = np.array(values, codec.get("dtype") or codec["decode_dtype"])
    with pytest.raises(CodecError, match=says) as error:
        encode([codec], elements, item_size=elements.itemsize, location="v/0")
    assert error.value.location == "v/0"
    assert "wider astype" in str(error.value.hint)


@pytest.mark.parametrize("codec", [CAST, {**CAST, "encode_dtype": "<f8"}])
def test_infinity_fits_in_every_floating_type(codec):
    elements = np.array([np.inf, -np.inf, np.nan])
    data = encode([codec], elements, item_size=8, location="v/0")
    decoded = np.frombuffer(chain.decode([codec], data, count=3, item_size=8, location="v/0"))
    np.testing.assert_array_equal(decoded, elements)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=8))
def test_delta_returns_its_input(values):
    elements = np.array(values, "<i4")
    codec = {**DELTA, "astype": "<i2"}
    try:
        data = encode([codec], elements, item_size=4, location="v/0")
    except CodecError:
        steps = np.diff(elements.astype("i8"), prepend=0)
        assert max(abs(steps)) >= 2**15
    else:
        decoded = chain.decode([codec], data, count=len(values), item_size=4, location="v/0")
        assert np.frombuffer(decoded, "<i4").tolist() == values


# --- bounds ---------------------------------------------------------------------------------------


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
