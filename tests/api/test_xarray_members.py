"""Names of xarray on datasets and variables of ncz."""

from __future__ import annotations

import inspect
import io

import numpy as np
import pytest

import ncz
from ncz.api.dataset import Dataset
from ncz.api.variable import Variable
from ncz.api.xarray_members import OF_ARRAYS, OF_DATASETS
from ncz.errors import ignore_notice

xarray = pytest.importorskip("xarray")

CDL = b"""netcdf p { dimensions: time = 3 ; x = 2 ; variables:
 int time(time) ; time:units = "days since 2024-01-30" ;
 short v(time, x) ; v:scale_factor = 0.5 ; v:_FillValue = -1s ; v:shift = 4 ;
 data: time = 0, 1, 2 ; v = 0, 2, 4, 6, 8, _ ;
 group: inner { variables: float w(x) ; w:mean = "of a day" ; data: w = 1, 2 ; } }"""
NOT_READ = {
    "dump_to_store", "from_dataframe", "from_dict", "from_iris", "from_series", "load_store",
    "set_close", "to_iris", "update", "drop", "copy", "conj", "conjugate", "real", "imag",
    "drop_indexes", "info", "variable", "close",
}  # fmt: skip
"""Names of xarray that make datasets, write, are deprecated, or mean something else in ncz."""


def is_registered(member: object) -> bool:
    """Return whether another package added a member, as VirtualiZarr does when it is imported."""
    return type(member).__name__ == "_CachedAccessor"


@pytest.fixture
def ds(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "p.nc", notify=ignore_notice)
    return ncz.open(tmp_path / "p.nc")


@pytest.mark.parametrize(
    ("ours", "theirs", "names"),
    [
        (Dataset, xarray.Dataset, OF_DATASETS),
        (Variable, xarray.DataArray, OF_ARRAYS),
    ],
    ids=["Dataset", "Variable"],
)
def test_each_name_of_xarray_is_ours_or_is_read_from_it(ours, theirs, names):
    public = {
        name
        for name in dir(theirs)
        if not name.startswith("_") and not is_registered(inspect.getattr_static(theirs, name))
    }
    assert public - names - {*dir(ours)} <= NOT_READ
    assert not names & {*dir(ours)} - {"to_netcdf", "to_zarr"}


def test_their_results_are_decoded(ds):
    assert ds["v"].isel(time=0).values.tolist() == [0, 1]
    assert ds["v"].sel(time="2024-01-31").values.tolist() == [2, 3]
    assert np.isnan(ds.v.values[2, 1])
    assert ds.time.values.dtype.kind == "M"
    assert list(ds.data_vars) == ["v"]
    assert ds.v.mean("x").values.tolist() == [0.5, 2.5, 4]
    assert len(ds["v"].to_dataframe()) == 6
    assert ds["inner"]["w"].sum().item() == 3
    assert ds["inner"].data_vars["w"].shape == (2,)


def test_attributes_and_variables_come_before_names_of_xarray(ds):
    assert ds["inner/w"].mean == "of a day"
    assert ds.v.shift == 4
    assert ds["v"].sum().item() == 10


def test_a_part_equals_xarray_s(ds):
    assert ds.isel(time=slice(1, 2))["v"].values.tolist() == [[2, 3]]


def test_several_names_are_a_dataset(ds):
    part = ds[["v"]]
    assert isinstance(part, Dataset)
    assert list(part.variables) == ["time", "v"]
    with pytest.raises(KeyError, match="no variable or group is named 'u'"):
        ds[["v", "u"]]


def test_a_mapping_has_the_index_of_each_dimension(ds):
    read = ds["time"]
    assert read[{"time": slice(1, None)}].tolist() == [1, 2]
    with pytest.raises(IndexError, match="no dimension is named 'y'; they are time"):
        read[{"y": 0}]


@pytest.mark.parametrize("index", ["2024-01-31", slice("2024-01-30", None)])
def test_labels_lead_to_the_method(ds, index):
    with pytest.raises(IndexError, match=r"use \.sel\(DIM=VALUE\)"):
        ds["time"][index]


def test_datasets_are_written_by_the_names_of_xarray(ds, tmp_path):
    ds.to_zarr(tmp_path / "p.zarr")
    assert ncz.diff(ds, tmp_path / "p.zarr") == []
    with pytest.raises(ncz.NczError, match="already exists"):
        ds.to_zarr(tmp_path / "p.zarr")
    ds.to_zarr(tmp_path / "p.zarr", mode="w")
    ds.isel(time=0).to_netcdf(tmp_path / "part.nc", deflate=4)
    assert ncz.open(tmp_path / "part.nc")["v"].codecs
    with pytest.raises(ncz.NczError, match="'q' is not a mode of a new dataset"):
        ds.to_zarr(tmp_path / "p.zarr", mode="q")
