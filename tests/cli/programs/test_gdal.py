"""Names and programs of GDAL."""

from __future__ import annotations

import pytest

from tests.cli.programs.lines import check_line


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
        ("gdalmdiminfo a.nc", "dump --json -h a.nc"),
        ("gdalmdiminfo -stats a.nc", "info --stats a.nc"),
        ("ogr2ogr -f CSV b.csv a.nc", "dump --csv a.nc -o b.csv"),
        ("ogr2ogr -f GPKG b.gpkg a.nc", None),
    ],
)  # fmt: skip
def test_programs_of_gdal(line: str, ours: str | None):
    check_line(line, ours)
