"""The codec scale_offset, against zarr-python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.codec import ArraySpec, chain
from ncz.errors import CodecError
from tests.codec.test_casting import NUMBERS, numbers, through
from tests.sampled import share_of


@given(data=st.data())
@settings(max_examples=share_of(1000), deadline=None)
def test_numbers_are_scaled_as_by_zarr_python(data):
    module = pytest.importorskip("zarr.codecs.scale_offset", reason="zarr-python has no such codec")
    dtype = np.dtype(data.draw(st.sampled_from(NUMBERS)))
    small = st.integers(0 if dtype.kind == "u" else -9, 9)
    offset, scale = data.draw(small), data.draw(small.filter(bool))
    values = np.array(data.draw(st.lists(numbers(dtype.str), min_size=1, max_size=4)), dtype)
    codec = {"id": "scale_offset", "offset": offset, "scale": scale}
    array = ArraySpec(values.shape, dtype.itemsize, dtype)
    with np.errstate(all="ignore"):
        if dtype.kind != "f" and not fits(values, offset, scale):
            with pytest.raises(CodecError, match="cannot store"):
                chain.encode_array([codec], values, array, location="v")
            return
        theirs = module._encode(values, dtype.type(offset), dtype.type(scale))
        data_of, back = through(codec, values)
        np.testing.assert_array_equal(np.frombuffer(data_of, dtype), theirs)
        again = module._decode(theirs, dtype.type(offset), dtype.type(scale), scale_repr=scale)
        np.testing.assert_array_equal(back, again)


def fits(values: Any, offset: int, scale: int) -> bool:
    limits = np.iinfo(values.dtype)
    return all(limits.min <= (n - offset) * scale <= limits.max for n in values.tolist())


def test_a_stored_number_that_is_no_multiple_of_the_scale_is_damaged():
    codec = {"id": "scale_offset", "scale": 2}
    with pytest.raises(CodecError, match="not a multiple of the scale"):
        chain.decode_array([codec], b"\3", ArraySpec((1,), 1, np.dtype("u1")), location="v")
