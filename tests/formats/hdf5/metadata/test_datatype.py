"""Datatypes of HDF5, as h5py encodes them."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np
import pytest

from ncz.formats.hdf5.metadata.datatype import Datatype, TypeClass, parse_datatype
from ncz.formats.hdf5.metadata.faults import PARSE_ERRORS, DamageError, UnsupportedError


def parsed(dtype: Any) -> Datatype:
    return parse_datatype(encoded(dtype))


def encoded(dtype: Any) -> bytes:
    """Return the message of a datatype, without the two bytes before it."""
    return bytes(h5py.h5t.py_create(np.dtype(dtype), logical=True).encode())[2:]


@pytest.mark.parametrize("dtype", ["<i2", ">i8", "|u1", "<u4", ">u2", "<f4", ">f8", "<f2"])
def test_numbers(dtype):
    found, expected = parsed(dtype), np.dtype(dtype)
    assert found.kind == (TypeClass.FLOAT if expected.kind == "f" else TypeClass.INTEGER)
    assert found.size == expected.itemsize
    assert found.is_big == dtype.startswith(">")
    assert found.is_signed == (expected.kind == "i")
    assert found.is_whole
    assert found.is_ieee == (expected.kind == "f")


def test_strings():
    fixed, variable = parsed("S5"), parsed(h5py.string_dtype())
    assert (fixed.kind, fixed.size, fixed.is_string) == (TypeClass.STRING, 5, False)
    assert (variable.kind, variable.is_string) == (TypeClass.VLEN, True)


def test_parts():
    found = parsed([("a", "<i2"), ("b", "<f4", (2, 3))])
    (first, at_first, a), (second, at_second, b) = found.parts
    assert (first, at_first, a.size, second, at_second) == (b"a", 0, 2, b"b", 2)
    assert (b.kind, b.shape, b.element.size) == (TypeClass.ARRAY, (2, 3), 4)
    colour = parsed(h5py.enum_dtype({"red": 1, "blue": 2}, "u1"))
    assert sorted(colour.labels) == [(b"blue", b"\2"), (b"red", b"\1")]
    assert parsed(h5py.vlen_dtype("<i4")).element.size == 4
    with pytest.raises(DamageError, match="has no elements"):
        _ = parsed("<i4").element


def test_equal_datatypes_have_equal_keys():
    fields = [("a", "<i2"), ("b", "<f4")]
    assert parsed(fields).key == parsed(fields).key
    keys = [parsed(each).key for each in (fields, "<i2", ">i2", "<u2", "<i4", "S2", fields[:1])]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\x1f\0\0\0\4\0\0\0", UnsupportedError),
        (b"\x90\0\0\0\4\0\0\0", UnsupportedError),
        (b"\x10\0\0\0\0\0\0\0", DamageError),
        (b"\x10\0\0\0\2\0\0\0\0\0\x20\0", DamageError),
        (b"\x11\x40\0\0\4\0\0\0" + bytes(12), DamageError),
        (b"\x3a\0\0\0\4\0\0\0\x21", DamageError),
    ],
    ids=["class", "version", "no bytes", "bits", "byte order", "axes"],
)
def test_damage(data, error):
    with pytest.raises(error):
        parse_datatype(data)


@pytest.mark.parametrize("dtype", ["<f4", [("a", "<i2"), ("b", "<f4", (2,))], "S3"])
def test_a_message_that_is_cut(dtype):
    data = encoded(dtype)
    end = len(parse_datatype(data).encoded)
    for stop in range(end):
        with pytest.raises((*PARSE_ERRORS, DamageError, UnsupportedError)):
            parse_datatype(data[:stop])
