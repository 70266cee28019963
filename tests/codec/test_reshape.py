"""The codecs reshape, packbits of Zarr V3, and bytes: the forms of arrays."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.codec import ArraySpec, chain
from ncz.codec.reshape import new_shape
from ncz.errors import CodecError


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
    assert new_shape(shape, wanted) == result


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
        new_shape((4, 6), wanted)


def test_numbers_are_stored_in_the_byte_order_of_the_codec():
    codec = [{"id": "cast_value", "data_type": "int16"}, {"id": "bytes", "endian": "big"}]
    array = ArraySpec((2,), 8, np.dtype("<f8"))
    data = chain.encode_array(codec, np.array([1.0, 258]), array, location="v")
    assert data == b"\0\1\1\2"
    assert chain.decode_array(codec, data, array, location="v").tolist() == [1, 258]
