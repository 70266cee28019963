"""Packed variables that are shown unpacked, as xarray does."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from ncz.model import packing

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


MISSING = b"""netcdf m { dimensions: t = 3 ; variables: int n(t) ; n:_FillValue = -9 ;
 float f(t) ; f:missing_value = -9.f ; float g(t) ; g:_FillValue = NaNf ; string s(t) ;
 s:_FillValue = "-" ; data: n = 1, 2, _ ; f = 1, -9, 2 ; g = 1, _, 3 ; s = "a", "-", "b" ; }"""


@pytest.fixture
def missing(tmp_path):
    ncz.gen(io.BytesIO(MISSING), tmp_path / "m.nc", notify=ignore_notice)
    return tmp_path / "m.nc"


def test_missing_data_are_reported_once_for_each_variable(missing):
    xarray = pytest.importorskip("xarray")
    notices: list[Notice] = []
    ds = ncz.open(missing, notify=notices.append)
    with xarray.open_dataset(missing, engine="ncz") as expected:
        for name in ("n", "f"):
            assert ds[name][:1].tolist() == expected[name].values[:1].tolist()
            assert not notices  # these values are not missing
            assert (ds[name][:] != expected[name].values).tolist().count(True) == 1
            assert ds[name][2 if name == "n" else 1] == -9
            assert [each.code for each in notices] == ["missing-as-stored"]
            assert str(notices.pop().location).endswith(f": /{name}")


def test_masks_are_read_once_for_many_reads(missing, tmp_path, monkeypatch):
    store = tmp_path / "m.zarr"
    ncz.copy(missing, store, notify=ignore_notice)
    calls: list[str] = []

    def counting(variable: Any) -> packing.Packing:
        calls.append(variable.name)
        return packing_of(variable)

    packing_of = packing.packing_of
    monkeypatch.setattr(packing, "packing_of", counting)
    notices: list[Notice] = []
    with ncz.open(store, "r+", notify=notices.append) as ds:
        for _ in range(3):
            ds["n"][0]
        assert (calls, notices) == (["n"], [])
        ds["n"].attrs["missing_value"] = ds["n"][0]
        ds["n"][0]
    assert [each.code for each in notices] == ["missing-as-stored"]


def test_missing_data_are_not_reported_where_they_are_not_numbers(missing):
    notices: list[Notice] = []
    ds = ncz.open(missing, notify=notices.append)
    assert np.isnan(ds["g"][1])
    assert ds["s"][:].tolist() == ["a", "-", "b"]
    assert not notices


def test_integers_that_stay_stored_are_reported_with_unpack_too(missing):
    notices: list[Notice] = []
    ds = ncz.open(missing, unpack=True, notify=notices.append)
    assert np.isnan(ds["f"][1])
    assert not notices
    assert ds["n"][2] == -9
    assert "use ncz.open_dataset" in (notices[0].hint or "")


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
