"""Names and programs of GDAL."""

from __future__ import annotations

import pytest

from ncz.cli.programs.gdal import path_and_variable
from tests.cli.programs.lines import check_line


@pytest.mark.parametrize(
    ("name", "path", "variable"),
    [
        ('NETCDF:"a.nc":t', "a.nc", "t"),
        ("NETCDF:a.nc:t", "a.nc", "t"),
        ("NETCDF:a.nc", "a.nc", None),
        ('HDF5:"a b.h5"://g/t', "a b.h5", "g/t"),
        ('ZARR:"/d/x.zarr":/t', "/d/x.zarr", "t"),
        ("NETCDF:C:/d/a.nc:t", "C:/d/a.nc", "t"),
        ("/vsis3/b/a.zarr", "s3://b/a.zarr", None),
        ("/vsigs/b/a.zarr", "gs://b/a.zarr", None),
        ("/vsicurl/https://example.org/a.nc", "https://example.org/a.nc", None),
        ('ZARR:"/vsis3/b/a.zarr":/t', "s3://b/a.zarr", "t"),
        ("/vsizip/a.zip/a.nc", "/vsizip/a.zip/a.nc", None),
    ],
)
def test_names_of_gdal(name: str, path: str, variable: str | None):
    assert path_and_variable(name) == (path, variable)


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("buildvrt new.nca a.nc b.nc", "aggregate --axis time new.nca a.nc b.nc"),
        ("buildvrt new.vrt a.nc b.nc", None),
        ("gdal_translate -of Zarr -co COMPRESS=ZSTD a.nc b.zarr", "copy --codec zstd a.nc b.zarr"),
        ("gdalmdimtranslate -array t -co FORMAT=ZARR_V3 a.nc b.zarr",
         "copy --vars t --zarr-format 3 a.nc b.zarr"),
        ("gdal_translate -projwin 0 50 10 40 -ot Float32 a.nc b.nc",
         "copy --sel lon=0:10,lat=40:50 --type float a.nc b.nc"),
        ("gdalmdimtranslate -array name=t a.nc b.zarr", "copy --vars t a.nc b.zarr"),
        ("gdalmdimtranslate -array name=t,dstname=u a.nc b.zarr", None),
        ("gdalmdimtranslate -subset 'lat(-30,30)' -subset 'time(\"2020\")' a.nc b.nc",
         "copy --sel lat=-30:30 --sel time=2020 a.nc b.nc"),
        ("gdalmdimtranslate -subset 'lat(' a.nc b.nc", None),
        ("gdal_translate -of Zarr -co BLOCKSIZE=1,5 a.nc b.zarr", "copy --chunks 1,5 a.nc b.zarr"),
        ("gdalinfo -approx_stats -listmdd a.nc", "info --stats a.nc"),
        ("gdal_translate -of COG a.nc b.tif", None),
        ("gdal_translate -co TILED=YES a.nc b.zarr", None),
        ("gdalinfo -json -nomd a.nc", "info --json a.nc"),
    ],
)  # fmt: skip
def test_programs_of_gdal(line: str, ours: str | None):
    check_line(line, ours)
