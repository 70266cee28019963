"""Operators and functions of numpy on variables and datasets."""

from __future__ import annotations

import io
import operator

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

xarray = pytest.importorskip("xarray")

CDL = b"""netcdf p { dimensions: x = 4 ; variables: float x(x) ;
 short v(x) ; v:scale_factor = 0.5 ; v:_FillValue = -1s ;
 int w(x) ; data: x = 1, 2, 3, 4 ; v = 2, 4, _, 8 ; w = 1, 2, 3, 4 ; }"""
TWO = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq", "ne")


@pytest.fixture
def ds(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "p.nc", notify=ignore_notice)
    return ncz.open(tmp_path / "p.nc")


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("variable", ["v", "w"])
def test_operators_give_the_same_as_xarray(ds, name, variable):
    operate, ours = getattr(operator, name), ds[variable]
    theirs = ours.to_xarray()
    for other in (2, np.array([1, 2, 3, 4]), ds["w"], theirs):
        right = other.to_xarray() if isinstance(other, ncz.Variable) else other
        assert operate(ours, other).identical(operate(theirs, right))
        assert operate(other, ours).equals(operate(right, theirs))


def test_others(ds):
    v = ds["v"]
    assert (-v).equals(-v.to_xarray())
    assert abs(v).equals(abs(v.to_xarray()))
    assert np.sqrt(v).values[1] == np.sqrt(2)
    assert isinstance(np.cos(v), xarray.DataArray)
    assert (ds + 1)["v"].values[0] == 2
    assert v.where(v > 1).values.tolist()[1::2] == [2, 4]
    assert v.where(v == 2, 0).values.tolist() == [0, 2, 0, 0]
    assert v.weighted(ds["x"]).mean().item() == pytest.approx((1 + 4 + 16) / 7)
    assert ds.equals(ncz.open(ds.filepath()))
    assert (v.mean("x") - v).dims == ("x",)


def test_variables_can_still_be_kept_in_sets_and_found_in_lists(ds):
    one, other = ds["v"], ds["w"]
    assert len({one, other}) == 2
    assert [one, other].index(one) == 0
    assert {one: 1}[one] == 1


def test_dask_reads_the_stored_values(ds):
    array = pytest.importorskip("dask.array")
    found = array.from_array(ds["w"], chunks=2)
    assert found.sum().compute() == 10
    assert isinstance(found.compute(), np.ndarray)
