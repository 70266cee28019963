"""`Dataset.sel` and `isel` leave out dimensions as xarray does."""

from __future__ import annotations

import io
import pickle

import pytest

import ncz
from ncz.errors import ignore_notice

xarray = pytest.importorskip("xarray")

CDL = b"""netcdf d { dimensions: time = UNLIMITED ; lat = 3 ; lon = 4 ; nv = 2 ;
 variables: int time(time) ; time:units = "hours since 2024-01-30" ; time:bounds = "time_bnds" ;
 int time_bnds(time, nv) ; float lat(lat) ; float lon(lon) ;
 short v(time, lat, lon) ; v:scale_factor = 0.5 ; v:_ChunkSizes = 1, 2, 3 ; int w(lat) ;
 float height ; v:coordinates = "height" ;
 data: time = 0, 24 ; time_bnds = 0, 24, 24, 48 ; lat = 10, 20, 30 ; lon = 0, 90, 180, 270 ;
 v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 ;
 w = 1, 2, 3 ; height = 2 ;
 group: g { variables: int z(lat) ; data: z = 7, 8, 9 ; } }"""


@pytest.fixture(params=["d.nc", "d.zarr"])
def ds(tmp_path, request):
    ncz.gen(io.BytesIO(CDL), tmp_path / request.param, notify=ignore_notice)
    return ncz.open(tmp_path / request.param)


INDICES = [
    {"time": 0}, {"lat": -1}, {"time": 1, "lat": 0, "lon": 2}, {"time": slice(0, 1)},
    {"time": [-1], "lon": [0, 2, 3]}, {"lat": [2, 0], "lon": [1, 1], "time": 0},
    {"lat": 1, "lon": slice(1, 3)}, {"lon": 3, "time": slice(None)},
]  # fmt: skip
VALUES = [
    {"lat": 20}, {"lat": 20.0, "lon": slice(90, 180)}, {"time": "2024-01-31"},
    {"time": "2024-01-31T00:00"}, {"time": slice("2024-01-30", "2024-01-30")}, {"time": "2024-01"},
]  # fmt: skip


@pytest.mark.parametrize("indices", INDICES, ids=str)
def test_by_index_as_xarray(ds, indices):
    part = ds.isel(**indices)
    assert part.to_xarray().equals(ds.to_xarray().isel(**indices))
    assert part["v"].dims == ds["v"].isel(**indices).dims
    again = pickle.loads(pickle.dumps(part))
    assert again.to_xarray().equals(part.to_xarray())
    assert ncz.open(ds.filepath(), isel=indices).to_xarray().equals(part.to_xarray())


@pytest.mark.parametrize("values", VALUES, ids=str)
def test_by_value_as_xarray(ds, values):
    part = ds.sel(**values)
    assert part.to_xarray().equals(ds.to_xarray().sel(**values))
    assert part["v"].dims == ds["v"].sel(**values).dims
    assert set(part.to_xarray().coords) == set(ds.to_xarray().coords)


def test_nearest(ds):
    part = ds.sel(lat=22, lon=100, method="nearest")
    assert part["v"].dims == ("time",)
    assert float(part["lat"][...]) == 20
    assert part.to_xarray().equals(ds.to_xarray().sel(lat=22, lon=100, method="nearest"))


def test_groups_have_it_too(ds):
    assert ds.isel(lat=1)["g/z"][...] == 8
    assert ds.isel(lat=1)["g/z"].dims == ()


@pytest.mark.parametrize("target", ["o.nc", "o.zarr"])
def test_a_part_that_is_written(ds, tmp_path, target):
    part = ds.isel(time=1, lon=0)
    ncz.copy(part, tmp_path / target, notify=ignore_notice)
    found = xarray.open_dataset(tmp_path / target, engine="ncz")
    assert found.equals(ds.to_xarray().isel(time=1, lon=0))
    assert "time" in found.coords


def test_a_list_in_commands(ds, tmp_path):
    ncz.copy(ds.filepath(), tmp_path / "o.nc", isel={"time": [-1], "lat": [0, 2]})
    with ncz.open(tmp_path / "o.nc") as copied:
        assert copied.to_xarray().equals(ds.to_xarray().isel(time=[-1], lat=[0, 2]))
        assert copied.record.root.dimensions[0].unlimited


def test_commands_keep_the_dimension(ds, tmp_path):
    ncz.copy(ds.filepath(), tmp_path / "o.nc", isel={"time": 0}, notify=ignore_notice)
    assert ncz.open(tmp_path / "o.nc").dims["time"] == 1


@pytest.mark.parametrize(
    ("method", "named"),
    [("isel", {"lat": xarray.DataArray([0, 2], dims="p")}),
     ("sel", {"lat": xarray.DataArray([10, 30], dims="p")}),
     ("isel", {"lat": 0, "drop": True}), ("sel", {"lat": 11, "method": "nearest", "tolerance": 2})],
)  # fmt: skip
def test_selections_that_only_xarray_has_are_named(ds, method, named):
    with pytest.raises(TypeError, match=rf"use ds.to_xarray\(\).{method}"):
        getattr(ds, method)(**named)
