"""Names of new datasets that promise a format."""

from __future__ import annotations

import pytest

from ncz.formats.foreign_names import (
    foreign_name,
    foreign_name_error,
    is_name_of_set,
    unknown_suffix,
)
from ncz.zmap.location import parse_location


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("x.nc", "a netCDF file"),
        ("X.NC4", "a netCDF file"),
        ("a/b.h5", "an HDF5 file"),
        ("x.tar.gz", "an archive"),
        ("x.csv.gz", "a compressed file"),
        ("x.json", "a JSON file"),
        ("x.parq/", "a Parquet reference set"),
        ("x.zarr", None),
        (".nc", None),
        ("x.nc#mode=nczarr", None),
        ("x.nc#mode=zarr,zip", None),
    ],
)
def test_the_format_that_a_name_promises(name, format):
    location = parse_location(name)
    assert foreign_name(location) == format
    assert is_name_of_set(location) == (format in ("a JSON file", "a Parquet reference set"))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("x.tif", "gdal_translate"),
        ("x.grb2", "cdo -f grb2 copy"),
        ("x.mat", "name it x.zarr, x.zip or x.nc"),
    ],
)
def test_the_error_for_a_format_that_is_not_written(name, hint):
    error = foreign_name_error(parse_location(name))
    assert str(foreign_name(parse_location(name))) in error.message
    assert hint in str(error.hint)
    assert "#mode=nczarr" in str(error.hint)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("x.zar", ".zar"),
        ("x.netcdf4", ".netcdf4"),
        ("x.zarr", None),
        ("x", None),
        ("data.v1", None),
        ("data.2024", None),
        ("x.zar#mode=zarr", None),
    ],
)
def test_a_suffix_without_a_meaning_is_reported(tmp_path, name, suffix):
    notice = unknown_suffix(parse_location(f"{tmp_path}/{name}"))
    if suffix is None:
        assert notice is None
    else:
        assert notice is not None
        assert notice.code == "suffix-unknown"
        assert f"{suffix} is not the suffix" in notice.message


def test_the_name_of_an_existing_folder_is_not_reported(tmp_path):
    (tmp_path / "x.zar").mkdir()
    assert unknown_suffix(parse_location(str(tmp_path / "x.zar"))) is None
