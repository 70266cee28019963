"""Masks and packing of numbers match xarray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.model.packing import Packing, packing_of
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic
from tests.sampled import share_of

xarray = pytest.importorskip("xarray", reason="xarray is not installed")

TYPES = {np.dtype(t.dtype): t for t in Atomic if t.kind in "iuf"}
FACTORS = st.sampled_from([np.float32(0.1), np.float64(0.1), np.float32(-2), np.float64(1e-3)])
LEAST = -(2**63)


def variable(dtype: str, /, **attributes: Any) -> Variable:
    """Return a variable with attributes: a text is of char, and a list of texts of string."""
    found = []
    for name, value in attributes.items():
        if isinstance(value, str):
            found.append(Attribute(name=name, type=Atomic.CHAR, values=(value,)))
        elif isinstance(value, list):
            found.append(Attribute(name=name, type=Atomic.STRING, values=tuple(value)))
        else:
            values = np.atleast_1d(value)
            found.append(
                Attribute(name=name, type=TYPES[values.dtype], values=tuple(values.tolist()))
            )
    return Variable(name="v", type=TYPES[np.dtype(dtype)], attributes=tuple(found))


@given(
    st.sampled_from(["i1", "i2", "i4", "u1", "u2", "f4", "f8"]),
    st.none() | FACTORS,
    st.none() | FACTORS,
    st.none() | st.sampled_from(["true", "false"]),
    st.none() | st.integers(0, 3),
)
@settings(max_examples=share_of(200))
def test_numbers_are_unpacked_as_xarray_does(dtype, scale, offset, unsigned, fill):
    stored = np.array([0, 1, 2, 3, 100, 127], dtype)
    if stored.dtype.kind == "i":
        stored[1] = -3
    attributes: dict[str, Any] = {"scale_factor": scale, "add_offset": offset}
    if stored.dtype.kind in "iu":
        attributes["_Unsigned"] = unsigned
    attributes["_FillValue"] = None if fill is None else stored.dtype.type(fill)
    attributes = {name: value for name, value in attributes.items() if value is not None}
    raw = xarray.Dataset({"v": ("x", stored, attributes)})
    expected = xarray.decode_cf(raw).v.values
    packing = packing_of(variable(dtype, **attributes))
    missing = packing.is_missing(stored)
    assert missing.tolist() == np.isnan(expected.astype("f8")).tolist()
    found = packing.unpack(stored)
    if packing.is_packed:
        assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found[~missing], expected[~missing].astype(found.dtype))
    decoded = packing.decode(stored)
    np.testing.assert_allclose(decoded, expected.astype("f8"), rtol=1e-6)


@pytest.mark.parametrize("text", ["true", "True", "true\0", "true ", ["true"], ["TRUE\0"]])
def test_every_spelling_of_unsigned(text):
    packing = packing_of(variable("i1", _Unsigned=text))
    assert packing.to_signed(np.array([-1], "i1")).tolist() == [255]


def test_masks_of_unsigned_numbers_in_either_sign():
    packing = Packing(masks=(-1, 200), unsigned=True)
    assert packing.is_missing(np.array([-1, -56, 5], "i1")).tolist() == [True, True, False]


@pytest.mark.parametrize(
    "attributes",
    [{"units": "days since 2000-01-01"}, {"units": ["hours"]}, {"dtype": "timedelta64[ns]"}],
)
def test_the_least_integer_is_a_missing_time(attributes):
    packing = packing_of(variable("i8", **attributes))
    assert packing.is_missing(np.array([LEAST, 0])).tolist() == [True, False]
    assert packing_of(variable("i8", units="m")).masks_of(np.dtype("i8")) is None


def test_a_mask_that_the_type_cannot_have_masks_nothing():
    packing = Packing(masks=(1e20, 1.5, float("nan"), 300, float("inf")))
    assert packing.masks_of(np.dtype("i1")) is None
    assert packing.is_missing(np.array([44, 1], "i1")).tolist() == [False, False]
    assert packing.is_missing(np.array([np.nan, np.inf, 1e20], "f4")).tolist() == [True, True, True]


def test_several_factors_are_not_a_packing():
    packing = packing_of(variable("i2", scale_factor=np.array([1.0, 2.0]), add_offset="3"))
    assert not packing.is_packed


def test_a_factor_of_zero():
    assert Packing(scale=0.0, offset=1.0).decode(np.array([5], "i2")).tolist() == [1.0]
