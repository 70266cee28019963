"""Dimensions with the interface of netCDF4."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.api.dimension import NamedDimension
from ncz.errors import ignore_notice

CDL = b"""netcdf d { dimensions: time = UNLIMITED ; x = 3 ; variables: int v(time, x) ;
 data: v = 1, 2, 3, 4, 5, 6 ; }"""


def test_a_dimension_has_a_size_and_may_be_unlimited():
    ncz.gen(io.BytesIO(CDL), "memory://dimension", overwrite=True, notify=ignore_notice)
    with ncz.open("memory://dimension#mode=nczarr") as ds:
        time, x = ds.dimensions["time"], ds.dimensions["x"]
    assert (time.name, time.size, len(time), time.isunlimited()) == ("time", 2, 2, True)
    assert (x.name, x.size, len(x), x.isunlimited()) == ("x", 3, 3, False)


def test_a_dimension_is_compared_by_its_name_and_length():
    assert NamedDimension("x", 3, False) == NamedDimension("x", 3, False)
    assert NamedDimension("x", 3, False) != NamedDimension("x", 4, False)
    with pytest.raises(AttributeError):
        NamedDimension("x", 3, False).size = 4  # type: ignore[misc]
