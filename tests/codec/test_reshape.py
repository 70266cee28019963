"""The codecs reshape, packbits of Zarr V3, and bytes: the forms of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.codec import ArraySpec, chain
from ncz.codec.reshape import reshaped
from ncz.errors import CodecError
from tests.sampled import share_of


@pytest.mark.parametrize(
    ("shape", "wanted", "result"),
    [
        ((100, 50, 64, 3), [[0, 1], [2], 3], (5000, 64, 3)),
        ((4, 6), [-1], (24,)),
        ((4, 6), [2, -1, 3], (2, 4, 3)),
        ((4, 6), [2, 2, [1]], (2, 2, 6)),
        ((), [1], (1,)),
    ],
)
def test_shapes_are_computed(shape, wanted, result):
    assert reshaped(shape, wanted) == result


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ([[1], [0]], "increase"),
        ([5, 5], "does not fit"),
        ([[0], 2, 2], "does not fit"),
        ([-1, -1], "does not fit"),
        ([0], "must have lengths"),
        ([[2]], "must exist"),
        ([3, [0], 2], "move elements"),
        ("x", "must be a list"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(wanted, message):
    with pytest.raises(CodecError, match=message):
        reshaped((4, 6), wanted)


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


def test_numbers_are_stored_in_the_byte_order_of_the_codec():
    codec = [{"id": "cast_value", "data_type": "int16"}, {"id": "bytes", "endian": "big"}]
    array = ArraySpec((2,), 8, np.dtype("<f8"))
    data = chain.encode_array(codec, np.array([1.0, 258]), array, location="v")
    assert data == b"\0\1\1\2"
    assert chain.decode_array(codec, data, array, location="v").tolist() == [1, 258]
