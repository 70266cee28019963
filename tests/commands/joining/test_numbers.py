"""The meaning of stored numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ncz.commands.joining.numbers import Numbers, common_type, numbers_of
from ncz.model.types import Atomic
from tests.test_round_trip import parsed


def numbers(declaration: str) -> Numbers:
    text = f"netcdf d {{ dimensions: x = 3 ; variables: {declaration} }}"
    return numbers_of(parsed(text.encode()).root)["/v"]


def test_only_numbers_have_a_meaning():
    text = b"""netcdf d { types: opaque(2) o ; variables: int a ; string b ; char c ; o d ;
    group: g { variables: float e ; } }"""
    assert [*numbers_of(parsed(text).root)] == ["/a", "/g/e"]


@pytest.mark.parametrize(
    ("declaration", "factors", "is_packed", "unpacked"),
    [
        ("short v ;", (1, 0), False, Atomic.FLOAT),
        ("int v ;", (1, 0), False, Atomic.DOUBLE),
        ("short v ; v:scale_factor = 0.5f ;", (0.5, 0), True, Atomic.FLOAT),
        ("short v ; v:add_offset = 5. ;", (1, 5), True, Atomic.DOUBLE),
        ("short v ; v:scale_factor = 1. ;", (1, 0), False, Atomic.DOUBLE),
    ],
)
def test_factors(declaration: str, factors, is_packed: bool, unpacked: Atomic):
    found = numbers(declaration)
    assert found.factors == factors
    assert found.is_packed == is_packed
    assert found.unpacked_type is unpacked


def test_signs_follow_the_attribute():
    assert numbers('byte v ; v:_Unsigned = "true" ;').read_as is Atomic.UBYTE
    assert numbers('ushort v ; v:_Unsigned = "false" ;').read_as is Atomic.SHORT
    assert numbers("byte v ;").read_as is Atomic.BYTE


@pytest.mark.parametrize(
    ("declaration", "fill"),
    [
        ("short v ; v:_FillValue = -9s ;", -9),
        ("short v ; v:missing_value = 1.5 ;", None),
        ("short v ;", None),
        ("float v ; v:missing_value = 1e20f ;", float(np.float32(1e20))),
    ],
)
def test_the_number_of_missing_data(declaration: str, fill: float | None):
    assert numbers(declaration).fill == fill
    assert math.isnan(numbers("float v ;").fill)


def test_missing_and_unpacked_values():
    found = numbers("short v ; v:scale_factor = 0.5f ; v:_FillValue = -9s ;")
    missing = found.missing(np.array([1, -9], "i2"))
    assert missing is not None
    assert missing.tolist() == [False, True]
    assert found.missing(np.array([1, 2], "i2")) is None
    assert found.unpack(np.array([1, 2], "i2")).tolist() == [0.5, 1]


def test_units_of_times_are_compared():
    one = numbers('int v ; v:units = "days since 2000-01-01" ;')
    other = numbers('int v ; v:units = "hours since 2000-01-01" ;')
    assert one.differ_in_times(other)
    assert not one.differ_in_times(one)
    assert not one.differ_in_times(numbers("int v ;"))


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("byte", "byte", "byte"),
        ("byte", "ubyte", "short"),
        ("int", "uint", "int64"),
        ("int64", "uint64", None),
        ("short", "float", "float"),
        ("int", "float", "double"),
        ("uint64", "double", "double"),
    ],
)
def test_the_smallest_type_of_both(one: str, other: str, found: str | None):
    wanted = None if found is None else Atomic(found)
    assert common_type(Atomic(one), Atomic(other)) is wanted
    assert common_type(Atomic(other), Atomic(one)) is wanted
