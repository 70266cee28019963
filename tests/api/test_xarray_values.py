"""Values of variables converted for xarray."""

from __future__ import annotations

import io

import numpy as np
import pytest

import ncz
from ncz.api import xarray_values
from ncz.errors import ignore_notice

zarr = pytest.importorskip("zarr", minversion="3")

CDL = b"""netcdf v { types: compound pair { float r ; float i ; } ; compound other { float a ; } ;
dimensions: x = 2 ; variables: char c(x) ; string s ; int n ; pair p ; other o ;
data: c = "ab" ; s = "text" ; n = 1 ; p = {1, 2} ; o = {1} ; }"""


@pytest.fixture
def pure(tmp_path):
    """A store of zarr-python with elements that netCDF does not have."""
    root = zarr.open_group(tmp_path / "p.zarr", mode="w", zarr_format=2)
    root.create_array("z", data=np.array([1 + 2j, 3], "c8"))
    root.create_array("t", data=np.array(["2024-01-01", "NaT"], "M8[D]"), fill_value=0)
    root.create_array("b", data=np.array([b"ab", b"c"], "S2"))
    with ncz.open(tmp_path / "p.zarr", unpack=False, notify=ignore_notice) as ds:
        yield ds


@pytest.fixture
def text(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "v.nc", notify=ignore_notice)
    with ncz.open(tmp_path / "v.nc", notify=ignore_notice) as ds:
        yield ds


def test_elements_of_a_store(pure):
    assert xarray_values.is_complex(pure["z"])
    assert xarray_values.length_of_bytes(pure["b"]) == 2
    assert xarray_values.native_time_of(pure["t"]) == np.dtype("M8[D]")
    assert xarray_values.native_time_of(pure["b"]) is None
    times = xarray_values.native_times(pure["t"], np.array([1, 2]))
    np.testing.assert_array_equal(times, np.array(["1970-01-02", "1970-01-03"], "M8[D]"))


def test_elements_of_a_file(text):
    assert xarray_values.elements_of(text["n"]) is None
    assert xarray_values.length_of_bytes(text["c"]) == 1
    assert xarray_values.length_of_bytes(text["s"]) is None
    assert not xarray_values.are_bytes_of_any_length(text["s"])
    assert xarray_values.is_complex(text["p"])
    assert not any(xarray_values.is_complex(text[name]) for name in ("o", "n"))


def test_the_value_of_missing_chunks_is_of_the_native_dtype(pure, text):
    fill = xarray_values.fill_of(pure["t"])
    assert fill == np.datetime64(0, "D")
    assert xarray_values.fill_of(text["n"]) == text["n"].fill_value
