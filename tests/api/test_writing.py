"""`Dataset.to_zarr` and `Dataset.to_netcdf` with the options of xarray, and `ds["t"] = values`."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

xarray = pytest.importorskip("xarray")
pytest.importorskip("zarr")
pytest.importorskip("netCDF4")

CDL = b"""netcdf d { dimensions: time = 2 ; x = 4 ;
 variables: int time(time) ; time:units = "days since 2024-01-30" ;
 float v(time, x) ; v:_FillValue = -1.f ; short p(x) ; p:scale_factor = 0.5 ; p:_FillValue = -9s ;
 data: time = 0, 1 ; v = 0, 1, 2, 3, 4, 5, 6, _ ; p = 2, 4, 6, 8 ; }"""


pytestmark = [
    pytest.mark.filterwarnings("ignore:.*[Cc]onsolidated metadata"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(params=["d.nc", "d.zarr"])
def ds(tmp_path, request):
    ncz.gen(io.BytesIO(CDL), tmp_path / request.param, notify=ignore_notice)
    return ncz.open(tmp_path / request.param)


PACKING = {"v": {"dtype": "int16", "scale_factor": 0.5, "_FillValue": -99}}


@pytest.mark.parametrize(
    ("method", "target", "options"),
    [
        ("to_zarr", "o.zarr", {"mode": "a"}),
        ("to_zarr", "o.zarr", {"encoding": PACKING}),
        ("to_zarr", "o.zarr", {"encoding": {"v": {"dtype": "f8"}}, "mode": "w"}),
        ("to_netcdf", "o.nc", {"unlimited_dims": ["time"]}),
        ("to_netcdf", "o.nc", {"encoding": PACKING}),
        ("to_netcdf", "o.nc", {"encoding": {"v": {"zlib": True, "dtype": "f8"}}}),
    ],
)
def test_options_that_only_xarray_has(ds, tmp_path, method, target, options):
    getattr(ds, method)(tmp_path / target, **options)
    engine = "zarr" if method == "to_zarr" else "netcdf4"
    with xarray.open_dataset(tmp_path / target, engine=engine) as theirs:
        assert theirs.equals(ds.to_xarray())
    ours = ncz.open(tmp_path / target)
    settings = options.get("encoding", {}).get("v", {})
    assert ours["v"].dtype == settings.get("dtype", "f4")
    assert ours.unlimited_dims == {*options.get("unlimited_dims", ())}
    with pytest.raises((ncz.NczError, FileExistsError)):
        getattr(ds, method)(tmp_path / target, **{**options, "mode": "w-"})


@pytest.mark.parametrize(("method", "target"), [("to_zarr", "o.zarr"), ("to_netcdf", "o.nc")])
def test_a_group(ds, tmp_path, method, target):
    getattr(ds, method)(tmp_path / target, group="g")
    found = ncz.open(tmp_path / target, group="g")
    assert found.to_xarray().equals(ds.to_xarray())
    assert ncz.open(tmp_path / target)["g/v"].shape == (2, 4)


@pytest.mark.parametrize("mode", ["a", "a-", "w-"])
def test_an_append(ds, tmp_path, mode):
    ncz.copy(ds, tmp_path / "all.zarr", notify=ignore_notice)
    text = CDL.replace(b"time = 0, 1", b"time = 2, 3")
    ncz.gen(io.BytesIO(text), tmp_path / "more.nc", notify=ignore_notice)
    options: Any = {"mode": mode, "append_dim": "time"}
    ncz.open(tmp_path / "more.nc").to_zarr(tmp_path / "all.zarr", **options)
    assert ncz.open(tmp_path / "all.zarr")["time"][:].tolist() == [0, 1, 2, 3]


def test_all_values_are_assigned_to_a_name(ds):
    with ncz.open(ds.filepath(), "r+", unpack=False) as mine:
        mine["p"] = [1, 2, 3, 4]
        mine["v"] = mine["v"] + 1
        mine["time"] = np.array([5, 6])
        with pytest.raises(TypeError, match="are packed"):
            mine["p"] = mine["p"] * 2
        mine["new"] = np.int32(1)
        assert mine["new"][...] == 1
        assert mine["p"][:].tolist() == [1, 2, 3, 4]
        assert mine["v"][1].tolist() == [5, 6, 7, -1]
        assert mine["time"][:].tolist() == [5, 6]
    with ncz.open(ds.filepath()) as again, pytest.raises(TypeError, match="open to read"):
        again["p"] = 1


def test_the_engine_takes_options_of_zarr(ds):
    options = {"storage_options": {}, "zarr_format": 3, "consolidated": None}
    found = xarray.open_dataset(ds.filepath(), engine="ncz", **options)
    assert found.equals(ds.to_xarray())
    assert ncz.open_dataset(ds.filepath(), zarr_format=3).equals(ds.to_xarray())


def test_keywords_of_other_libraries(ds):
    ways: list[Any] = [
        {"mask_and_scale": False},
        {"engine": "zarr"},
        {"zarr_format": 2},
        {"cache": True},
    ]
    for way in ways:
        assert ncz.open(ds.filepath(), **way)["time"][1] == 1
    unpacked: Any = {"mask_and_scale": True, "drop_variables": "v"}
    with ncz.open(ds.filepath(), **unpacked) as found:
        assert found["p"][0] == 1
        assert "v" not in found
