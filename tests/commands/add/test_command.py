"""Variables are added to stores and files that exist, as one change."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import ncz
from ncz.commands.option_error import OptionError
from ncz.model.types import Atomic
from tests.conftest import Run

CDL = b"""netcdf m { dimensions: time = UNLIMITED ; lat = 3 ;
  variables: double time(time) ; time:units = "days since 2020-01-01" ; float lat(lat) ;
  float temp(time, lat) ; temp:units = "K" ; :title = "old" ;
  data: time = 0, 1 ; lat = 1, 2, 3 ; temp = 1, 2, 3, 4, 5, 6 ; }"""
MORE = b"""netcdf m { dimensions: lat = 3 ; depth = 2 ;
  variables: float lat(lat) ; lat:units = "degrees_north" ; byte mask(lat) ; float z(depth) ;
  :note = "new" ; data: lat = 1, 2, 3 ; mask = -127, 0, 1 ; z = 5, 6 ;
  group: g { variables: int n(lat) ; data: n = 7, 8, 9 ; } }"""
TARGETS = {
    "nczarr-v2": ("m.zarr", ["nczarr", "v2"]),
    "nczarr-v3": ("m.zarr", ["nczarr", "v3"]),
    "zarr-v2": ("m.zarr", ["zarr", "v2"]),
    "zarr-v3": ("m.zarr", ["zarr", "v3"]),
    "zip": ("m.zip", ["zarr", "v2"]),
    "file": ("m.nc", []),
}


def made(path: Path | str, text: bytes = CDL, **options: Any) -> str:
    ncz.gen(io.BytesIO(text), path, notify=lambda _: None, **options)
    return str(path)


@pytest.fixture(params=TARGETS)
def target(request, tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    name, modes = TARGETS[request.param]
    return made(name, modes=modes, kind=None if modes else "netCDF-4")


def added(target: str, text: bytes = MORE) -> Any:
    return ncz.copy(io.BytesIO(text), target, add=True, notify=lambda _: None)


def errors(target: str) -> list[str]:
    return [each.code for each in ncz.check(target) if each.severity == "error"]


def test_variables_are_added_and_others_stay(target):
    assert added(target).variables == (6 if target.endswith(".nc") else 3)
    with ncz.open(target) as ds:
        assert ds.dims == {"time": 2, "lat": 3, "depth": 2}
        assert ds["temp"][:].tolist() == [[1, 2, 3], [4, 5, 6]]
        assert ds["mask"][:].tolist() == [-127, 0, 1]
        assert ds["g/n"][:].tolist() == [7, 8, 9]
        assert ds.attrs == {"title": "old", "note": "new"}
        assert ds["lat"].attrs["units"] == "degrees_north"
        assert ds["temp"].unlimited_dims == {"time"}
    assert errors(target) == []


@pytest.mark.parametrize("form", ["nczarr-v2", "zarr-v3"])
def test_chunks_of_an_addition_that_was_killed_are_removed(form, tmp_path):
    target, other = (made(tmp_path / name, modes=TARGETS[form][1]) for name in ("m.zarr", "o.zarr"))
    start = "netcdf m { dimensions: lat = 3 ; variables: byte mask(lat) ; mask:_ChunkSizes = 1 ;"
    added(other, f"{start} data: mask = 1, 2, 3 ; }}".encode())
    documents = shutil.ignore_patterns(".z*", "zarr.json")
    shutil.copytree(Path(other) / "mask", Path(target) / "mask", ignore=documents)
    (Path(target) / "mask" / "notes.txt").write_text("kept")
    source = made(
        tmp_path / "s.zarr", f"{start} data: mask = 4, 5, 6 ; }}".encode(), modes=TARGETS[form][1]
    )
    os.remove(next((Path(source) / "mask").rglob("0")))
    ncz.copy(source, target, add=True, notify=lambda _: None)
    with ncz.open(target, unpack=False) as ds:
        assert ds["mask"][:].tolist() == [Atomic.BYTE.default_fill, 5, 6]
    assert (Path(target) / "mask" / "notes.txt").exists()


def test_a_variable_is_replaced(target):
    text = b"""netcdf m { dimensions: time = 2 ; lat = 3 ; variables: short temp(time, lat) ;
      temp:units = "C" ; data: temp = 9, 8, 7, 6, 5, 4 ; }"""
    assert added(target, text).variables == (3 if target.endswith(".nc") else 1)
    with ncz.open(target) as ds:
        assert ds["temp"].dtype == "i2"
        assert ds["temp"][:].tolist() == [[9, 8, 7], [6, 5, 4]]
        assert ds["temp"].attrs == {"units": "C"}
        assert ds["time"][:].tolist() == [0, 1]
    assert errors(target) == []


def test_equal_variables_are_not_written(target):
    before = ncz.digest(target).value
    assert added(target, CDL).variables == 0
    assert ncz.digest(target).value == before


def test_another_length_is_refused(run: Run, target):
    Path("c.cdl").write_text("netcdf c { dimensions: lat = 4 ; variables: int c(lat) ; }")
    before = ncz.digest(target).value
    ran = run("copy", "--add", "c.cdl", target)
    assert ran.code
    assert "the dimension /lat has length 4, but 3 in the existing dataset" in ran.stderr
    assert "--append lat" in ran.stderr
    assert ncz.digest(target).value == before


@pytest.mark.parametrize("line", ["copy --add", "copy --mode a", "ncks -A"])
def test_a_missing_target_is_a_copy_and_the_next_is_added(run: Run, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    Path("a.cdl").write_bytes(CDL)
    Path("b.cdl").write_bytes(MORE)
    for name in ("a.cdl", "b.cdl"):
        assert run(*line.split(), name, "new.zarr").code == 0
    assert {"temp", "mask"} <= ncz.open("new.zarr").variables.keys()


def test_xarray_adds_to_a_store_that_it_reads(target):
    xr = pytest.importorskip("xarray")
    with xr.open_dataset(target, engine="ncz") as ds:
        extra = (ds[["temp"]] - 273.15).rename(temp="celsius")
        ncz.copy(extra, target, **cast(Any, {"mode": "a", "notify": lambda _: None}))
    with xr.open_dataset(target, engine="ncz") as ds:
        np.testing.assert_allclose(ds.celsius, ds.temp - 273.15)
        assert str(ds.time.values[1]).startswith("2020-01-02")


def test_coordinates_of_xarray_are_equal_although_nan_is_not(tmp_path):
    xr = pytest.importorskip("xarray")
    ds = xr.Dataset({"v": ("x", [1.0, np.nan])}, {"x": [0.5, 1.5]})
    ds.to_netcdf(tmp_path / "a.nc", unlimited_dims=["x"])
    ncz.copy(ds, tmp_path / "a.zarr", modes=["zarr", "v3"], consolidated=False)
    with xr.open_dataset(tmp_path / "a.nc") as other:
        extra = other.rename(v="w")
        options: Any = {"mode": "a"}
        assert ncz.copy(extra, tmp_path / "a.zarr", **options).variables == 1
        ncz.copy(other, tmp_path / "a.zarr", **{**options, "group": "g/h"})
    assert ncz.open(tmp_path / "a.zarr")["g/h/v"][0] == 1


@pytest.mark.parametrize("form", ["zarr-v2", "zarr-v3", "nczarr-v2"])
@pytest.mark.parametrize("replaces", [False, True])
def test_other_programs_see_additions(tmp_path, form, replaces):
    xr, zarr = pytest.importorskip("xarray"), pytest.importorskip("zarr", minversion="3")
    name, modes = TARGETS[form]
    target = made(tmp_path / name, modes=modes, consolidated=True)
    text = MORE.replace(b"lat = 1, 2, 3", b"lat = 4, 5, 6") if replaces else MORE
    added(target, text)
    with xr.open_zarr(target, consolidated=True) as ds:
        assert ds.mask.values.tolist() == [-127, 0, 1]
        assert ds.lat.values.tolist() == ([4, 5, 6] if replaces else [1, 2, 3])
        assert ds.temp.shape == (2, 3)
    group = zarr.open_group(target, mode="r", use_consolidated=True)
    assert {"mask", "z", "temp"} <= {*group.array_keys()}
    assert group["g/n"][:].tolist() == [7, 8, 9]


def test_netcdf_reads_additions_to_nczarr(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4")
    target = made(tmp_path / "m.zarr")
    added(target)
    try:
        ds = netcdf4.Dataset(f"file://{target}#mode=nczarr,file")
    except OSError:
        pytest.skip("this netCDF-C reads no NCZarr")
    assert ds["mask"][:].tolist() == [-127, 0, 1]
    assert ds["g/n"][:].tolist() == [7, 8, 9]
    assert ds.dimensions["depth"].size == 2


def test_a_store_on_a_server_gets_variables(s3):
    target = made(f"{s3}/m.zarr#mode=s3", modes=["zarr"], consolidated=True)
    assert added(target).variables == 3
    assert added(target, MORE.replace(b"z = 5, 6", b"z = 7, 8")).variables == 1
    assert ncz.open(target)["mask"][:].tolist() == [-127, 0, 1]
    assert ncz.open(target)["z"][:].tolist() == [7, 8]
    assert errors(target) == []


def test_an_icechunk_repository_gets_one_commit(tmp_path):
    pytest.importorskip("icechunk")
    target = made(tmp_path / "m.icechunk", modes=["zarr", "v3"])
    assert added(target).variables == 3
    assert added(target, MORE.replace(b"z = 5, 6", b"z = 7, 8")).variables == 1
    with ncz.open(target) as ds:
        assert ds["mask"][:].tolist() == [-127, 0, 1]
        assert ds["z"][:].tolist() == [7, 8]


def test_an_error_leaves_the_dataset_unchanged(target):
    text = b"""netcdf m { dimensions: lat = 3 ; variables: int a(lat) ; int b(lat) ;
      data: a = 1, 2, 3 ; b = 1, 2, "x" ; }"""
    before = ncz.digest(target).value
    with pytest.raises(ncz.CdlError):
        added(target, text)
    assert ncz.digest(target).value == before
    assert ncz.open(target).variables.keys() == {"time", "lat", "temp"}
    assert errors(target) == []


@pytest.mark.parametrize("name", ["digest", "verify"])
def test_options_of_new_targets_are_refused(target, name):
    with pytest.raises(OptionError, match="cannot be used together"):
        ncz.copy(
            io.BytesIO(MORE), target, add=True, digest=name == "digest", verify=name == "verify"
        )


def test_an_aggregation_is_not_changed(tmp_path):
    made(tmp_path / "a.nc")
    ncz.aggregate([tmp_path / "a.nc"], tmp_path / "m.nca", axis="time", notify=lambda _: None)
    with pytest.raises(ncz.NczError, match="cannot be added to an aggregation"):
        added(str(tmp_path / "m.nca"))
