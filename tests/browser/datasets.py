"""Typical datasets for viewing: global fields, stations, sections."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice


def listed(values: Iterable[float]) -> str:
    """Return values as a data list of CDL; NaN is missing."""
    return ", ".join("_" if value != value else f"{value:.9g}" for value in values)


def made(folder: Path, name: str, cdl: str) -> Path:
    """Make a store from CDL, and return its path."""
    (folder / f"{name}.cdl").write_text(cdl)
    store = folder / f"{name}.zarr"
    ncz.gen(folder / f"{name}.cdl", store, notify=ignore_notice)
    return store


LATITUDES = np.arange(-87.5, 90, 5)
LONGITUDES = np.arange(2.5, 360, 5)


def ocean_temperature() -> np.ndarray:
    """Return monthly temperatures of the sea for three years, with land as NaN."""
    lat, lon = np.meshgrid(np.deg2rad(LATITUDES), np.deg2rad(LONGITUDES), indexing="ij")
    months = np.arange(36)[:, None, None]
    values = 28 * np.cos(lat) ** 2 - 2 + 3 * np.sin(lat) * np.cos(np.pi * (months - 1) / 6)
    is_land = np.sin(2 * lon) * np.cos(3 * lat) + 0.5 * np.sin(5 * lon + 1) > 0.75
    result: np.ndarray = np.where(is_land, np.nan, values).astype("f4")
    return result


@pytest.fixture(scope="session")
def ocean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A global field of float and one of packed numbers, from 0 to 360 degrees east."""
    months = np.arange(36)
    rain = (np.arange(LATITUDES.size * LONGITUDES.size) * 37) % 901
    return made(
        tmp_path_factory.mktemp("ocean"),
        "ocean",
        f"""netcdf ocean {{ dimensions: time = 36 ; lat = 36 ; lon = 72 ;
        variables: double time(time) ; time:units = "days since 1990-01-01" ;
          float lat(lat) ; lat:units = "degrees_north" ;
          float lon(lon) ; lon:units = "degrees_east" ;
          float sst(time, lat, lon) ; sst:units = "degC" ; sst:_FillValue = -999.f ;
            sst:long_name = "sea surface temperature" ;
          short rain(lat, lon) ; rain:units = "mm/day" ; rain:scale_factor = 0.01 ;
            rain:long_name = "precipitation" ;
          float section(time, lat) ;
        data: time = {listed(15 + 30.4375 * months)} ; lat = {listed(LATITUDES)} ;
          lon = {listed(LONGITUDES)} ; sst = {listed(ocean_temperature().ravel().tolist())} ;
          rain = {listed(rain.tolist())} ; section = {listed(range(36 * 36))} ; }}""",
    )


@pytest.fixture(scope="session")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A field across 180 degrees, a slender one, uneven latitudes, and a field in metres."""
    lon = [170, 172, 174, 176, 178, 180, -178, -176, -174, -172]
    mercator = np.rad2deg(np.arctan(np.sinh(np.linspace(-2, 2, 9))))
    return made(
        tmp_path_factory.mktemp("regions"),
        "regions",
        f"""netcdf regions {{ dimensions: lat = 5 ; lon = 10 ; far = 100 ; near = 2 ; row = 9 ;
          y = 4 ; x = 8 ;
        variables: float lat(lat) ; lat:units = "degrees_north" ;
          float lon(lon) ; lon:units = "degrees_east" ;
          float far(far) ; far:units = "degrees_east" ;
          float near(near) ; near:units = "degrees_north" ;
          double row(row) ; row:units = "degrees_north" ;
          float y(y) ; y:units = "m" ; y:standard_name = "projection_y_coordinate" ;
          float x(x) ; x:units = "m" ; x:standard_name = "projection_x_coordinate" ;
          int pacific(lat, lon) ; int strip(near, far) ; int mercator(row, lon) ; int plane(y, x) ;
        data: lat = 4, 2, 0, -2, -4 ; lon = {listed(lon)} ;
          far = {listed(range(100))} ; near = 0, 1 ;
          row = {listed(mercator.tolist())} ; y = 0, 1000, 2000, 3000 ;
          x = {listed(range(0, 8000, 1000))} ;
          pacific = {listed(range(50))} ; strip = {listed(range(200))} ;
          mercator = {listed(range(90))} ; plane = {listed(range(32))} ; }}""",
    )


@pytest.fixture(scope="session")
def hours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Series of several lengths and calendars."""
    hours = np.arange(24 * 40)
    return made(
        tmp_path_factory.mktemp("hours"),
        "hours",
        f"""netcdf hours {{ dimensions: hour = {hours.size} ; day = 500 ; year = 150 ; minute = 90 ;
          level = 7 ;
        variables: int hour(hour) ; hour:units = "hours since 2026-03-01" ;
          int day(day) ; day:units = "days since 2024-12-20" ; day:calendar = "360_day" ;
          int year(year) ; year:units = "days since 1850-07-01" ; year:calendar = "noleap" ;
          int minute(minute) ; minute:units = "minutes since 2026-03-01 23:00" ;
          float level(level) ; level:units = "hPa" ;
          float hourly(hour) ; float daily(day) ; float yearly(year) ; float minutely(minute) ;
          float profile(level) ;
        data: hour = {listed(hours.tolist())} ; day = {listed(range(500))} ;
          year = {listed(range(0, 150 * 365, 365))} ; minute = {listed(range(90))} ;
          level = 1000, 850, 500, 250, 100, 50, 10 ;
          hourly = {listed(np.sin(hours / 4).tolist())} ; daily = {listed(range(500))} ;
          yearly = {listed(range(150))} ; minutely = {listed(range(90))} ;
          profile = 1, 2, 3, 4, 5, 6, 7 ; }}""",
    )
