"""Values of every netCDF type as numpy arrays."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.api.values import fill_scalar, full_array, numpy_dtype, to_numpy
from ncz.cdl.reader import read_cdl
from ncz.model.data import read_all

TYPES = b"""netcdf types { types: byte enum flag {no = 0, yes = 1} ; opaque(3) raw ;
  int(*) list ; compound point { float x ; int n(2) ; string s ; flag f ; } ;
dimensions: d = 2 ;
variables: flag e(d) ; raw o(d) ; list l(d) ; point p(d) ; string s(d) ; char c(d) ; short i(d) ;
data: e = yes, no ; o = 0xABCDEF, 0x010203 ; l = {1, 2}, {} ;
  p = {1.5, {2, 3}, "a", yes}, {4, {5, 6}, NIL, no} ;
  s = "\xc3\xa9", NIL ; c = "ab" ; i = 1, -1 ; }"""


@pytest.fixture(scope="module")
def found():
    dataset = read_cdl(TYPES, source="types")
    return {
        v.name: (to_numpy(read_all(v.data), v.type), v.type)
        for v in dataset.root.variables
        if v.data is not None
    }


@pytest.mark.parametrize(
    ("name", "dtype", "listed"),
    [
        ("e", "i1", [1, 0]),
        ("o", "V3", [b"\xab\xcd\xef", b"\1\2\3"]),
        ("s", "O", ["é", ""]),
        ("c", "S1", [b"a", b"b"]),
        ("i", "i2", [1, -1]),
    ],
)
def test_a_simple_type(found, name, dtype, listed):
    values, nc_type = found[name]
    assert values.dtype == numpy_dtype(nc_type) == np.dtype(dtype)
    assert values.tolist() == listed


def test_a_compound_is_structured(found):
    values, _ = found["p"]
    assert values.dtype.names == ("x", "n", "s", "f")
    assert values["x"].tolist() == [1.5, 4]
    assert values["n"].tolist() == [[2, 3], [5, 6]]
    assert values["s"].tolist() == ["a", ""]
    assert values["f"].dtype == np.int8


def test_a_list_of_any_length_is_an_array(found):
    values, _ = found["l"]
    assert [each.dtype for each in values] == [np.int32, np.int32]
    assert [each.tolist() for each in values] == [[1, 2], []]


@pytest.mark.parametrize("name", list("eolpsci"))
def test_zero_is_the_fill_of_every_type(found, name):
    _, nc_type = found[name]
    values = full_array((2,), nc_type, None)
    assert values.dtype == numpy_dtype(nc_type)
    if name not in "pco":
        each = list(np.atleast_1d(values))  # np.any of text is not in numpy 1
        assert not any(one if isinstance(one, str) else np.any(one) for one in each)


def test_fill_values_are_scalars(found):
    assert fill_scalar(7, found["i"][1]) == np.int16(7)
    assert fill_scalar(None, found["i"][1]) is None
    assert fill_scalar("x", found["c"][1]) == b"x"
    assert fill_scalar(None, found["s"][1]) == ""
