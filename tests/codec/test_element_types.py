"""Types of numbers, with and without numpy."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ncz.codec import element_types as types
from ncz.errors import CodecMissing


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("int4", ("i", 4, 1)),
        ("uint2", ("u", 2, 1)),
        ("bfloat16", ("f", 16, 2)),
        ("float8_e4m3fn", ("f", 8, 1)),
        ("float4_e2m1fn", ("f", 4, 1)),
        ("uint64", ("u", 64, 8)),
        ("<i2", ("i", 16, 2)),
        ("|u1", ("u", 8, 1)),
        (np.dtype(">f4"), ("f", 32, 4)),
        ("<c8", None),
        ("|b1", None),
        ("complex_bfloat16", None),
        (np.dtype("S3"), None),
        ([["r", "<f4"]], None),
    ],
)
def test_properties_of_numbers(name, expected):
    found = types.number_type(name)
    assert (found and (found.kind, found.bits, found.item_size)) == expected


def test_numbers_that_numpy_does_not_have():
    assert types.is_narrow("int4")
    assert types.is_narrow("complex_float16")
    assert not types.is_narrow("float16")
    assert not types.is_narrow(["int4"])
    assert types.narrow_part("complex_bfloat16") == "bfloat16"
    assert types.narrow_part("bfloat16") is None


@pytest.mark.parametrize(
    ("dtype", "part"),
    [
        ("<c16", "<f8"),
        (">c8", ">f4"),
        ([("r", "<f2"), ("i", "<f2")], "<f2"),
        ([("r", "<f2"), ("i", "<f4")], None),
        ([("i", "<f2"), ("r", "<f2")], None),
        ([("r", "S2"), ("i", "S2")], None),
        ("<f4", None),
    ],
)
def test_parts_of_complex_numbers(dtype, part):
    assert types.complex_part(np.dtype(dtype)) == (None if part is None else np.dtype(part))


def test_the_package_of_narrow_numbers_is_named(monkeypatch):
    assert types.numpy_type(">f4") == np.dtype(">f4")
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    for name in ("int4", "complex_bfloat16"):
        with pytest.raises(CodecMissing, match="needs the package ml_dtypes"):
            types.numpy_type(name)


def test_limits():
    assert types.integer_range(np.dtype("i1")) == (-128, 127)
    assert types.integer_range(np.dtype(">u2")) == (0, 65535)
    assert types.integer_range(np.dtype("f4")) is None
    assert types.largest_float(np.dtype("f4")) == float(np.finfo("f4").max)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (7, "i1", 7),
        (7.0, ">i2", 7),
        ("9007199254740993", "i8", 9007199254740993),
        (1.5, "f4", 1.5),
        ("0x3fc00000", "f4", 1.5),
        ("-Infinity", "f8", -np.inf),
    ],
)
def test_fill_values_of_zarr_v3(value, dtype, expected):
    found = types.scalar(value, np.dtype(dtype))
    assert found.shape == ()
    assert found == expected


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(128, "i1"), (-1, "u1"), (1.5, "i2"), (True, "i2"), ("x", "f4"), ("0x3fc0", "f4"),
     (None, "f4"), (float("nan"), "i4"), (1, "S1")],
)  # fmt: skip
def test_values_that_are_not_a_number_of_the_type(value, dtype):
    with pytest.raises(ValueError, match=r"is not a number of the type|does not have"):
        types.scalar(value, np.dtype(dtype))
