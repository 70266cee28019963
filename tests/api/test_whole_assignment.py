"""All values of a variable, assigned to its name."""

from __future__ import annotations

import io

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

xarray = pytest.importorskip("xarray")

CDL = b"""netcdf w { dimensions: y = 2 ; x = 3 ; variables: float v(y, x) ; v:_FillValue = -1.f ;
 short p(x) ; p:scale_factor = 0.5 ; data: v = 1, 2, 3, 4, 5, 6 ; p = 1, 2, 3 ; }"""


@pytest.fixture
def ds():
    ncz.gen(io.BytesIO(CDL), "memory://whole", overwrite=True, notify=ignore_notice)
    with ncz.open("memory://whole", "a", notify=ignore_notice) as ds:
        yield ds


def test_stored_values_are_assigned_unchanged(ds):
    ds["v"] = np.arange(6).reshape(2, 3)
    assert ds["v"][:].tolist() == [[0, 1, 2], [3, 4, 5]]
    ds["p"] = 7
    assert ds["p"][:].tolist() == [7, 7, 7]


def test_dimensions_of_xarray_are_put_in_order_and_nan_becomes_the_mask(ds):
    values = xarray.DataArray([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]], dims=("x", "y"))
    ds["v"] = values
    assert ds["v"][:].tolist() == [[1, 3, 5], [2, -1, 6]]


def test_unpacked_values_are_refused_for_a_packed_variable(ds):
    with pytest.raises(TypeError, match=r"the values of /?p are packed.*into='auto'"):
        ds["p"] = xarray.DataArray([1.0, 2.0, 3.0], dims="x")
    assert ds["p"][:].tolist() == [1, 2, 3]
