"""A folder of data as archives deliver them: ERA5, CMIP6, Argo, Sentinel, GOES, WRF and others."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

QUIET: Any = {"notify": ignore_notice}

CMIP6 = "tas_Amon_X_historical_r1i1p1f1_gn_185001-185012"
GOES = "OR_ABI-L2-CMIPF-M6C13_G16"
WRF = "wrfout_d01_2020-01-01_00:00:00"


def _numbers(count: int, first: float = 0, step: float = 1) -> str:
    return ", ".join(str(first + step * i) for i in range(count))


ERA5 = f"""netcdf era5 {{
dimensions: time = 4 ; expver = 2 ; latitude = 4 ; longitude = 5 ;
variables:
  int time(time) ; time:units = "hours since 1900-01-01 00:00:00.0" ; time:calendar = "gregorian" ;
  int expver(expver) ;
  float latitude(latitude) ; latitude:units = "degrees_north" ;
  float longitude(longitude) ; longitude:units = "degrees_east" ;
  short t2m(time, expver, latitude, longitude) ;
    t2m:scale_factor = 0.001 ; t2m:add_offset = 280. ; t2m:_FillValue = -32767s ;
    t2m:missing_value = -32767s ; t2m:units = "K" ; t2m:long_name = "2 metre temperature" ;
  :Conventions = "CF-1.6" ;
data:
  time = {_numbers(4, 1078200, 6)} ; expver = 1, 5 ;
  latitude = 50, 45, 40, 35 ; longitude = 0, 5, 10, 15, 20 ;
  t2m = {", ".join("_" if i % 40 >= 20 else str(i * 10) for i in range(160))} ;
}}
"""

TAS = f"""netcdf tas {{
dimensions: time = UNLIMITED ; lat = 2 ; lon = 3 ; bnds = 2 ;
variables:
  double time(time) ; time:units = "days since 1850-01-01" ; time:calendar = "360_day" ;
    time:bounds = "time_bnds" ;
  double time_bnds(time, bnds) ; double lat(lat) ; lat:units = "degrees_north" ;
  double lon(lon) ; lon:units = "degrees_east" ; double height ; height:units = "m" ;
  float tas(time, lat, lon) ; tas:units = "K" ; tas:coordinates = "height" ;
    tas:_FillValue = 1.e+20f ; tas:missing_value = 1.e+20f ;
  :variant_label = "r1i1p1f1" ; :mip_era = "CMIP6" ;
data:
  time = {_numbers(12, 15, 30)} ;
  time_bnds = {", ".join(f"{30 * i}, {30 * i + 30}" for i in range(12))} ;
  lat = -45, 45 ; lon = 0, 120, 240 ; height = 2 ; tas = {_numbers(72, 250)} ;
}}
"""

ARGO = """netcdf argo {
dimensions: N_PROF = 1 ; N_LEVELS = 5 ; STRING8 = 8 ; DATE_TIME = 14 ;
variables:
  char PLATFORM_NUMBER(N_PROF, STRING8) ; char REFERENCE_DATE_TIME(DATE_TIME) ;
  double JULD(N_PROF) ; JULD:units = "days since 1950-01-01 00:00:00 UTC" ;
  float PRES(N_PROF, N_LEVELS) ; PRES:_FillValue = 99999.f ;
  float TEMP(N_PROF, N_LEVELS) ; TEMP:_FillValue = 99999.f ;
data:
  PLATFORM_NUMBER = "1900722 " ; REFERENCE_DATE_TIME = "19500101000000" ; JULD = 25567.5 ;
  PRES = 5, 10, 20, 50, _ ; TEMP = 15, 14.5, 14, 12, _ ;
}
"""

SCAN = """netcdf goes {
dimensions: y = 4 ; x = 4 ;
variables:
  short CMI(y, x) ; CMI:_FillValue = -1s ; CMI:_Unsigned = "true" ; CMI:scale_factor = 0.0613f ;
    CMI:add_offset = 89.62f ; CMI:grid_mapping = "goes_imager_projection" ; CMI:units = "K" ;
  short y(y) ; y:scale_factor = -5.6e-05f ; y:add_offset = 0.151f ; y:units = "rad" ;
  short x(x) ; x:scale_factor = 5.6e-05f ; x:add_offset = -0.151f ; x:units = "rad" ;
  int goes_imager_projection ; goes_imager_projection:perspective_point_height = 35786023. ;
data:
  CMI = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, _ ; y = 0, 1, 2, 3 ; x = 0, 1, 2, 3 ;
  goes_imager_projection = -2147483647 ;
}
"""

MODEL = f"""netcdf wrf {{
dimensions: Time = UNLIMITED ; DateStrLen = 19 ; south_north = 3 ; west_east = 4 ;
variables:
  char Times(Time, DateStrLen) ;
  float XLAT(Time, south_north, west_east) ; float XLONG(Time, south_north, west_east) ;
  float T2(Time, south_north, west_east) ; T2:coordinates = "XLONG XLAT XTIME" ; T2:units = "K" ;
  :TITLE = " OUTPUT FROM WRF V4.1 MODEL" ;
data:
  Times = "2020-01-01_00:00:00", "2020-01-01_06:00:00" ;
  XLAT = {_numbers(24, 40, 0.5)} ; XLONG = {_numbers(24, 5, 0.5)} ; T2 = {_numbers(24, 270)} ;
}}
"""


def _month(first: int) -> str:
    return f"""netcdf sst {{
dimensions: time = UNLIMITED ; lat = 2 ; lon = 3 ;
variables:
  double time(time) ; time:units = "days since 2023-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ; float lon(lon) ; lon:units = "degrees_east" ;
  float sst(time, lat, lon) ; sst:units = "degC" ; sst:_FillValue = -999.f ;
data:
  time = {first} ; lat = -30, 30 ; lon = 0, 120, 240 ; sst = {_numbers(6, first)} ;
}}
"""


DAYS = (15, 45, 74, 105)
PAGE = "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body>gone</body></html>\n"
TABLE = "station,lat,lon,temperature\nA,50.5,3.25,12.1\nB,51.0,4.0,11.8\n"


def fill(folder: Path) -> None:
    """Write the files."""
    texts = {"era5.nc": ERA5, f"{CMIP6}.nc": TAS, "R1900722_001.nc": ARGO, f"{GOES}.nc": SCAN}
    for name, text in texts.items():
        _write(text, folder / name, "netCDF-4")
    _write(MODEL, folder / "wrf.nc", "64-bit offset")
    (folder / "wrf.nc").rename(folder / WRF)
    (folder / "monthly").mkdir()
    for month, day in enumerate(DAYS, 1):
        _write(_month(day), folder / f"monthly/sst_2023-0{month}.nc", "netCDF-4")
    (folder / "my data").mkdir()
    shutil.copyfile(folder / "monthly/sst_2023-01.nc", folder / "my data/june 2020.nc")
    (folder / "sst.cdl").write_text(_month(15))
    _write_product(folder / "S2A_MSIL2A.zarr")
    with zipfile.ZipFile(folder / "products.zip", "w") as archive:
        for path in sorted((folder / "S2A_MSIL2A.zarr").rglob("*")):
            archive.write(path, path.relative_to(folder))
    _write_results(folder / "plain.h5", 0)
    _write_results(folder / "results2.h5", 0.25)
    whole = (folder / "era5.nc").read_bytes()
    (folder / "broken.nc").write_bytes(whole[: len(whole) // 2])
    body = bytes(64)
    size = (16 + len(body) + 4).to_bytes(8, "big")
    (folder / "forecast.grib2").write_bytes(b"GRIB\0\0\0\x02" + size + body + b"7777")
    (folder / "stations.csv").write_text(TABLE)
    (folder / "missing.nc").write_text(PAGE)


def _write(text: str, path: Path, kind: Any) -> None:
    cdl = path.with_suffix(".cdl")
    cdl.write_text(text)
    ncz.gen(cdl, path, kind=kind, **QUIET)
    cdl.unlink()


def _write_product(path: Path) -> None:
    """Write a product in the form of EOPF: groups of Zarr V3, and attributes that are objects."""
    zarr = pytest.importorskip("zarr")
    root = zarr.open_group(str(path), mode="w", zarr_format=3)
    root.attrs["stac_discovery"] = {"id": "S2A", "properties": {"eo:cloud_cover": 3.5}}
    for resolution, count in (("r10m", 8), ("r20m", 4)):
        group = root.create_group(f"measurements/reflectance/{resolution}")
        for band in ("b02", "b03"):
            array = group.create_array(
                band,
                shape=(count, count),
                chunks=(4, 4),
                dtype="uint16",
                fill_value=0,
                dimension_names=("y", "x"),
                attributes={"scale_factor": 0.0001, "_eopf_attrs": {"units": "digital_counts"}},
            )
            array[:] = np.arange(count * count, dtype="u2").reshape(count, count)


def _write_results(path: Path, shift: float) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        group = file.create_group("results")
        group["pressure"] = np.arange(6.0).reshape(2, 3) + shift
        group["label"] = np.array([b"a", b"b"])
        file.attrs["author"] = "solver"


def fill_bucket(url: str, folder: Path) -> None:
    """Write the stores of the server."""
    months = [str(folder / f"monthly/sst_2023-0{month}.nc") for month in (1, 2, 3)]
    ncz.copy(months, f"{url}/sst.zarr", concat="time", **QUIET)
    for name in ("old.zarr", "tmp/run1.zarr"):
        ncz.copy(months[0], f"{url}/{name}", **QUIET)
