"""The codec bytes."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.codec import ArraySpec, chain
from ncz.errors import CodecError

BIG = [{"id": "bytes", "endian": "big"}]


@pytest.mark.parametrize(
    ("dtype", "data"), [("<u2", b"\0\1\1\2"), (">u2", b"\0\1\1\2"), ("u1", b"\1\2")]
)
def test_elements_are_stored_in_the_byte_order_of_the_codec(dtype, data):
    values = np.array([1, 258 if "2" in dtype else 2], dtype)
    array = ArraySpec((2,), values.itemsize, values.dtype)
    assert chain.encode_array(BIG, values, array, location="v") == data
    decoded = chain.decode_array(BIG, data, array, location="v")
    assert (decoded.dtype, decoded.tolist()) == (values.dtype, values.tolist())


def test_numbers_of_ml_dtypes_have_a_byte_order_too():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed (make setup)")
    values = np.array([1.0, -2.0], ml_dtypes.bfloat16)
    array = ArraySpec((2,), 2, values.dtype)
    data = chain.encode_array(BIG, values, array, location="v")
    assert data == b"\x3f\x80\xc0\x00"
    assert chain.decode_array(BIG, data, array, location="v").tolist() == [1, -2]


def test_a_chunk_of_another_size_is_refused():
    array = ArraySpec((2,), 2, np.dtype("<u2"))
    with pytest.raises(CodecError, match="3 bytes"):
        chain.decode_array(BIG, b"abc", array, location="v")
