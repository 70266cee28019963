"""The folder of five people: model output, daily files, members, stores, and other files."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path
from typing import Any

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

QUIET: Any = {"notify": ignore_notice}


def _numbers(count: int, first: float = 0, step: float = 1) -> str:
    return ", ".join(f"{first + step * i:g}" for i in range(count))


TEMP = f"""netcdf temp_2023 {{
dimensions: time = UNLIMITED ; lat = 5 ; lon = 6 ;
variables:
  double time(time) ; time:units = "days since 2023-01-01" ; time:calendar = "standard" ;
    time:standard_name = "time" ;
  float lat(lat) ; lat:units = "degrees_north" ;
  float lon(lon) ; lon:units = "degrees_east" ;
  float temp(time, lat, lon) ; temp:units = "K" ; temp:long_name = "air temperature" ;
    temp:_FillValue = -999.f ;
  :title = "Output of a model" ; :history = "made" ;
data:
  time = 15, 45, 74, 105, 135, 166, 196, 227, 258, 288, 319, 349 ;
  lat = {_numbers(5, -60, 30)} ; lon = {_numbers(6, 0, 60)} ;
  temp = {_numbers(360, 250, 0.25)} ;
}}
"""

PACKED = f"""netcdf packed_sst {{
dimensions: time = 2 ; y = 2 ; x = 3 ;
variables:
  int time(time) ; time:units = "hours since 2024-02-01 00:00:00" ;
  short sst(time, y, x) ; sst:scale_factor = 0.01 ; sst:add_offset = 20. ;
    sst:_FillValue = -32768s ; sst:units = "degC" ;
data:
  time = 0, 12 ; sst = {_numbers(11, 100, 10)}, _ ;
}}
"""

STATIONS = """netcdf stations {
dimensions: station = 3 ; time = 2 ;
variables:
  string station(station) ; float lat(station) ; float lon(station) ;
  int time(time) ; time:units = "hours since 2023-06-01" ;
  float rain(station, time) ; rain:units = "mm" ; rain:coordinates = "lat lon" ;
  :featureType = "timeSeries" ;
data:
  station = "Oslo", "Bergen", "Tromsø" ; lat = 59.9, 60.4, 69.6 ; lon = 10.8, 5.3, 19 ;
  time = 0, 6 ; rain = 1, 2, 3, 4, 5, 6 ;
}
"""

GROUPED = """netcdf grouped {
group: surface { dimensions: x = 2 ; variables: float p(x) ; data: p = 1, 2 ; }
group: upper { dimensions: level = 3 ; variables: float u(level) ; data: u = 7, 8, 9 ; }
}
"""


def _day(name: str, day: int, first: float, units: str = "days since 2023-01-01") -> str:
    return f"""netcdf {name} {{
dimensions: time = UNLIMITED ; lat = 2 ; lon = 3 ;
variables:
  double time(time) ; time:units = "{units}" ;
  float lat(lat) ; lat:units = "degrees_north" ; float lon(lon) ; lon:units = "degrees_east" ;
  float pr(time, lat, lon) ; pr:units = "mm" ;
  :institution = "an institute" ;
data:
  time = {day} ; lat = 10, 20 ; lon = 0, 10, 20 ; pr = {_numbers(6, first)} ;
}}
"""


def fill(folder: Path) -> None:
    """Write the files."""
    for name, text in (
        ("temp_2023", TEMP),
        ("packed_sst", PACKED),
        ("stations", STATIONS),
        ("grouped", GROUPED),
    ):
        _write(text, folder / f"{name}.nc")
    _write(TEMP.replace("250.25", "260"), folder / "temp_v2.nc")
    _write(_day("precip", 3, 7), folder / "precip.nc", "64-bit offset")
    for day in range(6):
        _write(_day("pr", day, day), folder / f"daily/pr_2023010{day + 1}.nc")
    for number in (1, 2, 3):
        _write(_day("pr", 0, 10 * number), folder / f"ensemble/r{number}.nc")
    _write(_day("a", 0, 1), folder / "mixed/a.nc")
    _write(_day("b", 24, 2, "hours since 2023-01-01"), folder / "mixed/b.nc")
    days = [folder / f"daily/pr_2023010{day}.nc" for day in (1, 2, 3, 4)]
    ncz.copy(days, folder / "archive.zarr", concat="time", **QUIET)
    ncz.copy(folder / "temp_2023.nc", folder / "old.zarr", modes=["zarr", "v2"], **QUIET)
    ncz.copy(folder / "temp_2023.nc", folder / "model.zarr", modes=["zarr", "v3"], **QUIET)
    _write_others(folder)


def _write(text: str, path: Path, kind: Any = "netCDF-4") -> None:
    path.parent.mkdir(exist_ok=True)
    cdl = path.with_suffix(".cdl")
    cdl.write_text(text, "utf-8")
    ncz.gen(cdl, path, kind=kind, **QUIET)
    cdl.unlink()


def _write_others(folder: Path) -> None:
    """Write files that are not datasets, or that are archives of datasets."""
    (folder / "data.nc.gz").write_bytes(gzip.compress((folder / "precip.nc").read_bytes(), mtime=0))
    with tarfile.open(folder / "backup.tar", "w") as archive:
        archive.add(folder / "precip.nc", "precip.nc")
    (folder / "forecast.grib").write_bytes(b"GRIB\0\0\x60\x01" + bytes(84) + b"7777")
    (folder / "table.csv").write_text("date,temperature\n2023-01-01,3.5\n2023-01-02,4.5\n")
    (folder / "scene.hdf").write_bytes(b"\x0e\x03\x13\x01" + bytes(200))
    (folder / "tiles").mkdir()
    for name in ("a.tif", "b.tif"):
        (folder / "tiles" / name).write_bytes(b"II*\0\x08\0\0\0" + bytes(64))
    (folder / "my results.nc").write_bytes((folder / "precip.nc").read_bytes())
    (folder / "list.txt").write_text("daily/pr_20230101.nc\ndaily/pr_20230102.nc\n")
    (folder / "weather.cdl").write_bytes((ROOT / "cdl_examples/weather.cdl").read_bytes())


def fill_bucket(url: str, folder: Path) -> None:
    """Write the stores and files of the server."""
    ncz.copy(folder / "archive.zarr", f"{url}/rain.zarr", **QUIET)
    ncz.copy(folder / "model.zarr", f"{url}/runs/model.zarr", **QUIET)
