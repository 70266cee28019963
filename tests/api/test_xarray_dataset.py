"""Functions that open datasets with xarray."""

from __future__ import annotations

import io
import sys

import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"""netcdf d { dimensions: time = 2 ; variables: double time(time) ; int v(time) ;
 data: time = %d, %d ; v = 1, 2 ; group: g { variables: int w ; data: w = 7 ; } }"""


@pytest.fixture
def paths(tmp_path):
    for name, days in (("a", (0, 1)), ("b", (2, 3))):
        ncz.gen(io.BytesIO(CDL % days), tmp_path / f"{name}.zarr", notify=ignore_notice)
    return [tmp_path / "a.zarr", tmp_path / "b.zarr"]


def test_a_dataset_and_a_group_equal_the_engine_s(paths):
    xarray = pytest.importorskip("xarray")
    with ncz.open_dataset(paths[0]) as ds, xarray.open_dataset(paths[0], engine="ncz") as theirs:
        assert ds.identical(theirs)
        assert ds["v"].values.tolist() == [1, 2]
    with ncz.open_dataset(paths[0], group="g") as ds:
        assert int(ds["w"]) == 7


def test_several_datasets_become_one(paths):
    pytest.importorskip("xarray")
    pytest.importorskip("dask")
    with ncz.open_mfdataset(paths, combine="by_coords") as ds:
        assert ds["time"].values.tolist() == [0, 1, 2, 3]
        assert ds["v"].chunks == ((2, 2),)


@pytest.mark.parametrize("function", [ncz.open_dataset, ncz.open_mfdataset])
def test_without_xarray_the_package_is_named(paths, monkeypatch, function):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match="xarray"):
        function(paths[0])
