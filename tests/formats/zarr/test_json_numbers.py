"""Numbers of JSON in types of netCDF."""

from __future__ import annotations

import math

import pytest

from ncz.formats.zarr.json_numbers import to_single
from ncz.model.types import Atomic
from tests.formats.zarr.documents.test_attributes import typed


@pytest.mark.parametrize(
    ("text", "dtype", "nc_type", "values"),
    [
        ("18446744073709551615", "<u8", Atomic.UINT64, (18446744073709551615,)),
        ("-9007199254740993", "<i8", Atomic.INT64, (-9007199254740993,)),
        ("1", "|i1", Atomic.BYTE, (1,)),
        ("1", ">i2", Atomic.SHORT, (1,)),
        ("1.0", "<i4", Atomic.INT, (1,)),
        ("[]", "<i4", Atomic.INT, ()),
        ("[1,2.5]", "<f8", Atomic.DOUBLE, (1.0, 2.5)),
        ("0.1", "<f4", Atomic.FLOAT, (to_single(0.1),)),
        ('["Infinity","-Infinity",1]', "<f4", Atomic.FLOAT, (math.inf, -math.inf, 1.0)),
        ('"x"', ">S1", Atomic.CHAR, ("x",)),
        ('"x"', "<U1", Atomic.CHAR, ("x",)),
        ('"x"', "|J0", Atomic.CHAR, ("x",)),
        ("17", ">S1", Atomic.CHAR, ("17",)),
        ("null", "<U1", Atomic.CHAR, ("null",)),
        ("[1,2]", ">S1", Atomic.CHAR, ("[1,2]",)),
        ('{"k":[1,2.5,null,"z"]}', "|J0", Atomic.CHAR, ('{"k": [1,2.5,null,"z"]}',)),
        ('"x"', "|S1", Atomic.STRING, ("x",)),
        ('""', "|S128", Atomic.STRING, ("",)),
        ("null", "|S128", Atomic.STRING, (None,)),
        ('["a",null]', "|S12", Atomic.STRING, ("a", None)),
    ],
)
def test_a_noted_type_is_believed(text, dtype, nc_type, values):
    assert typed(text, dtype) == (nc_type, values, 0)
