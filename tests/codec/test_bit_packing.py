"""The codec packbits of Zarr V3."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.codec import ArraySpec, chain
from ncz.errors import CodecError
from tests.sampled import share_of


@given(data=st.data())
@settings(max_examples=share_of(300), deadline=None)
def test_packed_numbers_come_back(data):
    dtype = np.dtype(data.draw(st.sampled_from(["?", "i1", "u2", "i4", "i8", "f4", "c8"])))
    count = data.draw(st.integers(1, 40))
    raw = data.draw(st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize))
    values = np.frombuffer(raw, dtype) if dtype != "?" else np.frombuffer(raw, "u1") > 127
    padding = data.draw(st.sampled_from(["none", "first_byte", "last_byte"]))
    codec = [{"id": "zarr.packbits", "padding_encoding": padding}]
    array = ArraySpec(values.shape, dtype.itemsize, dtype)
    packed = chain.encode_array(codec, values, array, location="v")
    assert packed is not None
    back = chain.decode_array(codec, packed, array, location="v")
    assert back.tobytes() == values.tobytes()
    if dtype == "?":
        content = {"none": packed, "first_byte": packed[1:], "last_byte": packed[:-1]}[padding]
        assert content == np.packbits(values, bitorder="little").tobytes()
    with pytest.raises(CodecError, match="hold the numbers"):
        chain.decode_array(codec, packed + b"\0", array, location="v")


def test_some_bits_of_numbers_are_packed_and_the_sign_is_kept():
    codec = [{"id": "zarr.packbits", "first_bit": 1, "last_bit": 3}]
    array = ArraySpec((4,), 2, np.dtype("<i2"))
    values = np.array([-2, 6, -8, 0], "<i2")
    packed = chain.encode_array(codec, values, array, location="v")
    assert packed is not None
    assert len(packed) == 2
    assert chain.decode_array(codec, packed, array, location="v").tolist() == values.tolist()
    with pytest.raises(CodecError, match="cannot store all bits"):
        chain.encode_array(codec, np.array([1, 2, 4, 99], "<i2"), array, location="v")


def test_damaged_padding_is_refused():
    codec = [{"id": "zarr.packbits", "padding_encoding": "first_byte"}]
    array = ArraySpec((4,), 1, np.dtype("?"))
    with pytest.raises(CodecError, match="5 bits of padding"):
        chain.decode_array(codec, b"\5\0", array, location="v")
