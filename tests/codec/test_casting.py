"""The codecs scale_offset and cast_value, against zarr-python and its library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.codec import ArraySpec, chain
from ncz.codec.casting import ROUNDING, cast
from ncz.errors import CodecError
from tests.sampled import share_of

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", "f4", "f8"]
NUMBERS = [*INTEGERS, *FLOATS]


def numbers(dtype: str) -> st.SearchStrategy[Any]:
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        near = [int(limits.min), int(limits.max), 0, 1, 2**24 + 1, 2**53 + 1, 127, 128, 255, 256]
        fitting = [n for n in near if limits.min <= n <= limits.max]
        return st.sampled_from(fitting) | st.integers(int(limits.min), int(limits.max))
    width: Any = 8 * kind.itemsize
    exact = [0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 255.5, 65504.0, float("inf"), float("nan"), -0.0]
    return st.sampled_from(exact) | st.floats(width=width)


@given(data=st.data())
@settings(max_examples=share_of(3000), deadline=None)
def test_numbers_are_converted_as_by_the_library_of_zarr_python(data):
    library = pytest.importorskip("cast_value_rs", reason="cast-value-rs is not installed")
    source, target = (data.draw(st.sampled_from(NUMBERS)) for _ in range(2))
    rounding = data.draw(st.sampled_from(ROUNDING))
    wraps = ["wrap"] if target in INTEGERS else []
    out_of_range = data.draw(st.sampled_from([None, "clamp", *wraps]))
    values = np.array(data.draw(st.lists(numbers(source), min_size=1, max_size=4)), source)
    try:
        theirs = library.cast_array(
            values,
            target_dtype=np.dtype(target),
            rounding_mode=rounding,
            out_of_range_mode=out_of_range,
            scalar_map_entries=None,
        )
    except ValueError:
        with pytest.raises(ValueError, match=r"out of range|not an integer"):
            cast(values, np.dtype(target), rounding, out_of_range)
        return
    ours = cast(values, np.dtype(target), rounding, out_of_range)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


def through(configuration: dict[str, Any], values: Any) -> Any:
    """Return the encoded form of an array of one axis, and the decoded one."""
    array = ArraySpec(values.shape, values.dtype.itemsize, values.dtype)
    data = chain.encode_array([configuration], values, array, location="v")
    assert data is not None
    return data, chain.decode_array([configuration], data, array, location="v")


@pytest.mark.parametrize(
    ("codec", "message"),
    [
        ({"id": "cast_value", "data_type": "string"}, "no numbers of the type"),
        ({"id": "cast_value", "data_type": "float32", "out_of_range": "wrap"}, "cannot wrap"),
        ({"id": "cast_value", "data_type": "uint8"}, "300.0 is out of range of uint8"),
        ({"id": "cast_value", "data_type": "int8", "scalar_map": {"encode": 3}}, "lists of pairs"),
        ({"id": "scale_offset", "scale": 0}, "the scale must not be 0"),
        ({"id": "scale_offset", "offset": "x"}, "is not a number of the type"),
    ],
)
def test_values_that_cannot_be_encoded_are_an_error(codec, message):
    with pytest.raises(CodecError, match=message):
        through(codec, np.array([300], "f8"))
