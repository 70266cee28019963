"""Dimensions, variables and groups that are created in an open dataset."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"""netcdf m { dimensions: time = UNLIMITED ; lat = 3 ;
  variables: double time(time) ; float lat(lat) ; float temp(time, lat) ; temp:units = "K" ;
  data: time = 0, 1 ; lat = 1, 2, 3 ; temp = 1, 2, 3, 4, 5, 6 ; }"""
FORMS: dict[str, dict[str, Any]] = {
    "nczarr.zarr": {"modes": ["nczarr"]},
    "v3.zarr": {"modes": ["zarr", "v3"]},
    "plain.zarr": {"modes": ["zarr"], "consolidated": False, "allow_loss": True},
    "file.nc": {"kind": "netCDF-4"},
}


@pytest.fixture(params=FORMS)
def path(request, tmp_path: Path) -> Path:
    ncz.gen(io.BytesIO(CDL), tmp_path / request.param, notify=ignore_notice, **FORMS[request.param])
    return Path(tmp_path, request.param)


def opened(path: Path, mode: Any = "a") -> Any:
    return ncz.open(path, mode, notify=ignore_notice)


def test_an_array_as_with_zarr_python(path):
    with opened(path) as group:
        made = group.create_array(
            "mask", shape=(3,), dtype="int8", chunks=(2,), dimension_names=["lat"],
            attributes={"a": 1},
        )  # fmt: skip
        assert (made.shape, made.dims, made.chunks) == ((3,), ("lat",), (2,))
        assert made[:].tolist() == [0] * 3
        made[:] = [1, 2, 3]
        data = np.arange(3.0)
        w = group.create_dataset("w", data=data, dimension_names=["lat"])
        assert w[:].tolist() == [0, 1, 2]
        assert group.require_array("w", shape=(3,)).dtype == "f8"
    with opened(path, "r") as group:
        assert list(group) == ["time", "lat", "temp", "mask", "w"] or path.name == "plain.zarr"
        assert group["mask"][:].tolist() == [1, 2, 3]
        assert group["mask"].attrs == {"a": 1}
        assert group["temp"][1].tolist() == [4, 5, 6]


def test_variables_as_with_netcdf4(path):
    ds = ncz.Dataset(path, "a", notify=ignore_notice)
    depth = ds.createDimension("depth", 2)
    assert (depth.name, len(depth), depth.isunlimited()) == ("depth", 2, False)
    assert ds.dims["depth"] == 2
    z = ds.createVariable("z", "f4", ("depth", "lat"), zlib=True, fill_value=-1)
    z.units = "m"
    z[0] = [1, 2, 3]
    group = ds.createGroup("g")
    group.createVariable("n", "i4", ("lat",))[:] = [7, 8, 9]
    assert ds.require_group("g").variables.keys() == {"n"}
    ds.close()
    with opened(path, "r") as again:
        assert again["z"][:].tolist() == [[1, 2, 3], [-1, -1, -1]]
        assert again["z"].attrs == {"_FillValue": -1, "units": "m"}
        assert again["g/n"][:].tolist() == [7, 8, 9]
        assert again.dims["depth"] == 2


def test_settings_of_zarr_python_and_h5py(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3")
    ncz.gen(io.BytesIO(CDL), tmp_path / "m.zarr", **FORMS["v3.zarr"])
    with opened(tmp_path / "m.zarr") as g:
        codec = zarr.codecs.ZstdCodec(level=3)
        a = g.create_array(
            "a", shape=(4, 6), dtype="f4", chunks=(2, 3), shards=(4, 6), compressors=codec,
            fill_value=7, dimension_names=["y", "x"],
        )  # fmt: skip
        assert (a.chunks, a.shards, a[0, 0]) == ((2, 3), (4, 6), 7)
        assert [each["id"] for each in a.codecs] == ["zstd"]
        g.create_array("a", shape=(2,), dtype="i2", dimension_names=["z"], overwrite=True)
        assert g["a"].shape == (2,)
        b = g.create_dataset("b", (2, 3), maxshape=(None, 3), chunks=True, shuffle=True,
                             compression="gzip", dimension_names=["t", "u"])  # fmt: skip
        assert b.unlimited_dims == {"t"}
        assert [each["id"] for each in b.codecs] == ["shuffle", "gzip"]
        assert g.zeros("zeros", shape=3)[:].tolist() == [0, 0, 0]
        assert g.full("full", (2,), "i4", fill_value=5)[:].tolist() == [5, 5]
        assert g.create_group("s", attributes={"k": 1}).attrs == {"k": 1}
        g["values"] = np.arange(3)
        assert g["values"][:].tolist() == [0, 1, 2]


def test_an_unlimited_dimension_grows_with_its_first_values(path):
    ds = ncz.Dataset(path, "a", notify=ignore_notice)
    ds.createDimension("n")
    ds.createVariable("whole", "f4", ("n",))[:] = np.arange(3)
    ds.createDimension("m", 0)
    rows = ds.createVariable("rows", "f4", ("m", "lat"))
    rows[0, :] = 1
    rows[1] = [2, 3, 4]
    rows.setncatts(ds["temp"].__dict__)
    with opened(path, "r") as again:
        assert again["whole"][:].tolist() == [0, 1, 2]
        assert again["rows"][:].tolist() == [[1, 1, 1], [2, 3, 4]]
        assert again["rows"].attrs == {"units": "K"}


def test_an_array_of_xarray_keeps_its_dimensions(path):
    xr = pytest.importorskip("xarray")
    with opened(path) as ds:
        ds["w"] = xr.DataArray([1.0, 2.0, 3.0], dims="lat", attrs={"units": "m"})
        assert (ds["w"].dims, ds["w"].attrs["units"]) == (("lat",), "m")
        ds["x"] = "lat", [4, 5, 6], {"units": "s"}
        assert (ds["x"].dims, ds["x"][1], ds["x"].attrs) == (("lat",), 5, {"units": "s"})


def test_other_programs_see_them(path):
    with opened(path) as ds:
        ds.create_array("mask", data=np.arange(3, dtype="i2"), dimension_names=["lat"])
    if path.suffix == ".nc":
        netcdf4 = pytest.importorskip("netCDF4")
        with netcdf4.Dataset(path) as other:
            assert other["mask"][:].tolist() == [0, 1, 2]
            assert other["temp"].dimensions == ("time", "lat")
        return
    xr, zarr = pytest.importorskip("xarray"), pytest.importorskip("zarr", minversion="3")
    assert zarr.open_group(path, mode="r")["mask"][:].tolist() == [0, 1, 2]
    with xr.open_dataset(path, engine="zarr", consolidated=False) as other:
        assert other.mask.dims == ("lat",)


@pytest.mark.parametrize("begin", [ncz.open_group, ncz.Dataset, ncz.open])
def test_a_dataset_that_does_not_exist_is_begun(tmp_path, begin):
    with begin(tmp_path / "new.zarr", "a") as ds:
        ds.create_array("v", data=np.arange(2), dimension_names=["x"])
    with begin(tmp_path / "new.zarr", "a") as ds:
        ds.create_array("w", data=np.arange(2), dimension_names=["x"])
    assert ncz.open(tmp_path / "new.zarr").variables.keys() == {"v", "w"}


@pytest.mark.parametrize(
    ("line", "error", "says"),
    [
        ("ds.create_array('temp', shape=(2,), dtype='i4')", ncz.NczError, "'temp' already exists"),
        ("ds.createDimension('lat', 4)", ncz.NczError, "'lat' already exists"),
        ("ds.createVariable('v', 'i4', ('other',))", ncz.NczError, "no dimension is named 'other'"),
        ("ds.isel(time=0).createGroup('g')", TypeError, "a whole dataset"),
    ],
)
def test_impossible_members_are_refused(tmp_path, line, error, says):
    ncz.gen(io.BytesIO(CDL), tmp_path / "m.zarr", notify=ignore_notice)
    with opened(tmp_path / "m.zarr") as ds, pytest.raises(error, match=says):
        eval(line, {"ds": ds})
    with opened(tmp_path / "m.zarr", "r") as ds, pytest.raises(TypeError, match="open to read"):
        ds.createGroup("g")
