"""Packed variables that are shown unpacked, as xarray does."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"""netcdf p { dimensions: t = 3 ; variables: short v(t) ; v:scale_factor = 0.5 ;
 v:add_offset = 10. ; v:_FillValue = -1s ; v:units = "K" ; int n(t) ;
 data: v = 0, 2, _ ; n = 1, 2, 3 ; }"""


@pytest.fixture
def path(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "p.nc", notify=ignore_notice)
    return tmp_path / "p.nc"


def test_values_equal_xarray_s(path):
    xarray = pytest.importorskip("xarray")
    ds = ncz.open(path, unpack=True)
    np.testing.assert_array_equal(ds["v"][:], [10, 11, np.nan])
    assert ds["v"].attrs["units"] == "K"
    assert "scale_factor" not in ds["v"].attrs
    assert ds["n"][:].tolist() == [1, 2, 3]
    with xarray.open_dataset(path, engine="ncz") as expected:
        np.testing.assert_array_equal(ds["v"][:], expected.v)
        np.testing.assert_array_equal(ds.to_xarray().v, expected.v)


def test_values_are_as_stored_without_it(path):
    ds = ncz.open(path)
    with pytest.warns(ncz.NczWarning, match="/v: values are as stored"):
        assert ds["v"][:].tolist() == [0, 2, -1]
    assert ds.isel(t=0)["v"][:].tolist() == 0  # it is reported once
    assert "Packed:      value * 0.5 + 10.0; ncz.open(..., unpack=True)" in repr(ds["v"])


@pytest.mark.filterwarnings("error")
def test_nothing_is_reported_where_values_are_not_packed_or_the_reader_knows(path):
    assert ncz.open(path)["n"][:].tolist() == [1, 2, 3]
    assert ncz.open(path, unpack=False)["v"][:].tolist() == [0, 2, -1]
    assert ncz.read(path, "v", unpack=False).tolist() == [0, 2, -1]
    assert ncz.read(path, "v", unpack=True)[:2].tolist() == [10, 11]


def test_a_part_and_a_pickled_dataset_are_unpacked_too(path):
    part = ncz.open(path, unpack=True).isel(t=slice(1, 2))
    assert part["v"][:].tolist() == [11]
    assert pickle.loads(pickle.dumps(part))["v"][:].tolist() == [11]
    assert ncz.open(path, isel={"t": 0}, unpack=True)["v"][:].tolist() == 10


def test_values_cannot_be_assigned_to_unpacked_variables(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "p.zarr", notify=ignore_notice)
    ds = ncz.open(tmp_path / "p.zarr", "r+", unpack=True)
    with pytest.raises(TypeError, match="cannot be assigned to unpacked variables"):
        ds["v"][0] = 11
