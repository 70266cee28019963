"""Filters of numbers refuse numbers that do not fit, and chunks that decode to too many bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.codec import chain
from ncz.codec.chain import encode
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
