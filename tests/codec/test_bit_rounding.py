"""The codec bitround of Zarr V3, which rounds integers too."""

from __future__ import annotations

from typing import Any

import numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.codec import ArraySpec, chain
from ncz.errors import CodecError


def rounded(values: Any, keepbits: int) -> Any:
    codec = [{"id": "zarr.bitround", "keepbits": keepbits}]
    array = ArraySpec(values.shape, values.dtype.itemsize, values.dtype)
    data = chain.encode_array(codec, values, array, location="v")
    assert data is not None
    again = chain.decode_array(codec, data, array, location="v")
    assert again.dtype == values.dtype
    return again


def test_the_samples_of_the_specification():
    values = np.array([0, 1, 10, 11, 100, 123, 200, 208, 209, 255], "u1")
    assert rounded(values, 3).tolist() == [0, 1, 10, 12, 96, 128, 192, 192, 224, 224]
    floats = np.array([0, 0.1, 1.2, 12.3, 123.4, 1234.5, np.inf, -np.inf], "f4")
    expected = [0, 0.1015625, 1.25, 12, 120, 1280, np.inf, -np.inf]
    assert rounded(floats, 3).tolist() == expected


def nearest(value: int, keepbits: int, width: int) -> int:
    """Round bit by bit: half goes to even, and numbers that need another bit are rounded down."""
    dropped = max(0, value.bit_length() - keepbits)
    low, unit = value >> dropped << dropped, 1 << dropped
    rest = 2 * (value - low)
    is_up = rest > unit or (rest == unit and dropped > 0 and low >> dropped & 1)
    high = low + unit if is_up else low
    return high if high < 1 << width else low


@given(data=st.data())
def test_integers_keep_bits_from_their_most_significant_one(data):
    size = data.draw(st.sampled_from([1, 2, 4, 8]))
    codes = data.draw(st.lists(st.integers(0, 256**size - 1), min_size=1, max_size=9))
    keepbits = data.draw(st.integers(1, 8 * size))
    expected = [nearest(code, keepbits, 8 * size) for code in codes]
    for dtype in (f"<u{size}", f">u{size}", f"<i{size}"):
        values = np.array(codes, f"<u{size}").view(f"<{dtype[1:]}").astype(dtype)
        found = rounded(values, keepbits)
        assert found.astype(f"<{dtype[1:]}").view(f"<u{size}").tolist() == expected
        assert rounded(found, keepbits).tolist() == found.tolist()


@pytest.mark.parametrize(("dtype", "most"), [("f2", 10), ("f4", 23), ("f8", 52), (">f4", 23)])
def test_floats_are_rounded_as_by_numcodecs(dtype, most):
    values = np.random.default_rng(5).normal(0, 100, 200).astype(dtype)
    native = values.astype(values.dtype.newbyteorder("="))
    for keepbits in range(most + 1):
        theirs = numcodecs.BitRound(keepbits).encode(native).view(native.dtype)
        np.testing.assert_array_equal(rounded(values, keepbits), theirs)
    with pytest.raises(CodecError, match=f"has {most} bits to keep"):
        rounded(values, most + 1)


def test_both_parts_of_complex_numbers_and_the_numbers_of_times_are_rounded():
    values = np.array([1.2 + 12.3j, 0.1 - 123.4j], "c8")
    assert rounded(values, 3).tolist() == [1.25 + 12j, 0.1015625 - 120j]
    times = np.array([100, 123], "m8[s]")
    assert rounded(times, 3).tolist() == np.array([96, 128], "m8[s]").tolist()


@pytest.mark.parametrize("values", [np.array([True]), np.array([b"a"], "S1")])
def test_other_elements_are_refused(values):
    with pytest.raises(CodecError, match="bitround encodes numbers"):
        rounded(values, 3)
