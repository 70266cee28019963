"""Names that GDAL has for datasets."""

from __future__ import annotations

import pytest

from ncz.cli.programs.gdal_names import path_and_variable


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
