"""Common names of dimensions in datasets that have other names for them."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.errors import NczError, ignore_notice

ERA5 = b"""netcdf e {
 dimensions: valid_time = 4 ; pressure_level = 2 ; latitude = 3 ; longitude = 2 ;
 variables: int valid_time(valid_time) ; valid_time:units = "hours since 2020-01-01" ;
 int pressure_level(pressure_level) ; pressure_level:units = "hPa" ; float latitude(latitude) ;
 float longitude(longitude) ; int t(valid_time, pressure_level, latitude, longitude) ;
 data: valid_time = 0, 6, 12, 18 ; pressure_level = 1000, 850 ; latitude = 50, 45, 40 ;
 longitude = 0, 10 ; t = 0 ; }"""

OCEAN = b"""netcdf o { dimensions: t = 2 ; j = 2 ; i = 2 ; k = 2 ; variables:
 double t(t) ; t:units = "days since 2000-01-01" ; float j(j) ; j:units = "degrees_north" ;
 float i(i) ; i:standard_name = "longitude" ; float k(k) ; k:positive = "down" ; int v(t, k, j, i) ;
 data: t = 0, 1 ; j = 10, 20 ; i = 0, 5 ; k = 1, 2 ; v = 0 ; }"""


def made(path, text):
    ncz.gen(io.BytesIO(text), path, modes="zarr", notify=ignore_notice)
    return path


@pytest.mark.parametrize(
    ("text", "part", "variable", "expected"),
    [
        (ERA5, {"lon": 10}, "longitude", 10),
        (ERA5, {"lat": slice(40, 46)}, "latitude", [45, 40]),
        (ERA5, {"time": "2020-01-01T06"}, "valid_time", 6),
        (ERA5, {"level": 850}, "pressure_level", 850),
        (ERA5, {"Lon": 0}, "longitude", 0),
        (OCEAN, {"lon": 5}, "i", 5),
        (OCEAN, {"latitude": 10}, "j", 10),
        (OCEAN, {"depth": 2}, "k", 2),
        (OCEAN, {"time": "2000-01-02"}, "t", 1),
    ],
)
def test_values_are_selected_by_a_common_name(tmp_path, text, part, variable, expected):
    found = ncz.open(made(tmp_path / "a.zarr", text)).sel(**part)
    assert found[variable][...].tolist() == expected


def test_indices_are_selected_by_a_common_name(tmp_path):
    path = made(tmp_path / "a.zarr", ERA5)
    assert ncz.open(path).isel(time=slice(1, 3))["valid_time"][:].tolist() == [6, 12]


def test_an_exact_name_comes_first(tmp_path):
    text = ERA5.replace(b"pressure_level", b"time").replace(b'"hPa"', b'"1"')
    found = ncz.open(made(tmp_path / "a.zarr", text)).sel(time=850)
    assert found["time"][...].tolist() == 850
    assert found["valid_time"].shape == (4,)


def test_a_name_that_several_dimensions_could_mean_is_refused(tmp_path):
    text = OCEAN.replace(b'k:positive = "down"', b'k:units = "hours since 2000-01-01"')
    with pytest.raises(NczError, match="no dimension or coordinate is named 'time'"):
        ncz.open(made(tmp_path / "a.zarr", text)).sel(time=1)


def test_a_projection_has_no_longitudes(tmp_path):
    text = OCEAN.replace(b'i:standard_name = "longitude"', b'i:axis = "X" ; i:units = "m"')
    with pytest.raises(NczError, match="named 'lon'"):
        ncz.open(made(tmp_path / "a.zarr", text)).sel(lon=5)


def test_datasets_are_joined_along_times_of_another_name(tmp_path):
    first = made(tmp_path / "a.zarr", ERA5)
    second = made(tmp_path / "b.zarr", ERA5.replace(b"0, 6, 12, 18", b"24, 30, 36, 42"))
    ncz.copy([first, second], tmp_path / "all.zarr", concat="time", notify=ignore_notice)
    times = [0, 6, 12, 18, 24, 30, 36, 42]
    assert ncz.open(tmp_path / "all.zarr")["valid_time"][:].tolist() == times
    ncz.copy(second, first, append="time", notify=ignore_notice)
    assert ncz.open(first)["valid_time"][:].tolist() == times


def test_a_new_dimension_may_have_a_common_name(tmp_path):
    paths = [made(tmp_path / f"{name}.zarr", OCEAN) for name in "ab"]
    ncz.copy(paths, tmp_path / "all.zarr", new_dimension="time", notify=ignore_notice)
    assert ncz.open(tmp_path / "all.zarr")["v"].dims[0] == "time"
