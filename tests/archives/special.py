"""Files that are not grids in time: scans, profiles, models that write one record, groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np


def _file(folder: Path, number: int, kind: Any = "NETCDF4") -> tuple[str, Any]:
    path = str(folder / f"file_{number:03}.nc")
    return path, netCDF4.Dataset(path, "w", format=kind)


def wrf(kind: str, records: int = 1) -> Any:
    """Return a writer of hours of WRF: times as text, and coordinates in each record."""

    def write(folder: Path) -> list[str]:
        paths = []
        for number in range(4):
            path, file = _file(folder, number, kind)
            with file:
                file.createDimension("Time", None)
                file.createDimension("DateStrLen", 19)
                file.createDimension("south_north", 20)
                file.createDimension("west_east", 30)
                plane = ("Time", "south_north", "west_east")
                times = file.createVariable("Times", "S1", ("Time", "DateStrLen"))
                hours = file.createVariable("XTIME", "f4", ("Time",))
                hours.units = "minutes since 2019-01-01 00:00:00"
                for name in ("XLAT", "XLONG"):
                    file.createVariable(name, "f4", plane)
                values = file.createVariable("T2", "f4", plane)
                values.coordinates = "XLONG XLAT XTIME"
                for record in range(records):
                    hour = number * records + record
                    text = f"2019-01-01_{hour:02}:00:00"
                    times[record] = np.array([*text], "S1")
                    hours[record] = 60 * hour
                    file["XLAT"][record] = np.linspace(40, 60, 600).reshape(20, 30)
                    file["XLONG"][record] = np.linspace(0, 30, 600).reshape(20, 30)
                    values[record] = np.random.default_rng(hour).random((20, 30))
            paths.append(path)
        return paths

    return write


def roms(kind: str, overlap: bool = False) -> Any:
    """Return a writer of histories of ROMS, with levels, times in seconds and several grids."""

    def write(folder: Path) -> list[str]:
        paths = []
        for number in range(3):
            path, file = _file(folder, number, kind)
            with file:
                file.createDimension("ocean_time", None)
                file.createDimension("s_rho", 5)
                file.createDimension("eta_rho", 12)
                file.createDimension("xi_rho", 14)
                file.createDimension("xi_u", 13)
                times = file.createVariable("ocean_time", "f8", ("ocean_time",))
                times.units = "seconds since 2000-01-01 00:00:00"
                times[:] = 3600.0 * (np.arange(6 + overlap) + 6 * number)
                file.createVariable("s_rho", "f8", ("s_rho",))[:] = np.linspace(-1, 0, 5)
                file.createVariable("h", "f8", ("eta_rho", "xi_rho"))[:] = 100.0
                for name, dims in (
                    ("temp", ("ocean_time", "s_rho", "eta_rho", "xi_rho")),
                    ("u", ("ocean_time", "s_rho", "eta_rho", "xi_u")),
                    ("zeta", ("ocean_time", "eta_rho", "xi_rho")),
                ):
                    variable = file.createVariable(name, "f4", dims, fill_value=1e37)
                    shape = (6 + overlap, *(file.dimensions[d].size for d in dims[1:]))
                    rows = np.arange(shape[0]) + 6 * number
                    variable[:] = np.stack(
                        [np.random.default_rng(int(row)).random(shape[1:]) for row in rows]
                    )
            paths.append(path)
        return paths

    return write


def goes(kind: str, chunk: int) -> Any:
    """Return a writer of scans of GOES: packed bytes and coordinates, and a scalar time."""

    def write(folder: Path) -> list[str]:
        paths = []
        for number in range(5):
            path, file = _file(folder, number, kind)
            with file:
                file.createDimension("y", 60)
                file.createDimension("x", 80)
                time = file.createVariable("t", "f8", ())
                time.units = "seconds since 2000-01-01 12:00:00"
                time[...] = 6.0e8 + 300.5 * number
                for name, length in (("y", 60), ("x", 80)):
                    axis = file.createVariable(name, "i2", (name,))
                    axis.set_auto_scale(False)
                    axis.scale_factor, axis.add_offset = np.float32(5.6e-5), np.float32(0.128)
                    axis[:] = np.arange(length)
                options = {} if kind.startswith("NETCDF3") else {
                    "zlib": True, "chunksizes": (chunk, chunk)}  # fmt: skip
                rad = file.createVariable("Rad", "i2", ("y", "x"), fill_value=1023, **options)
                rad.set_auto_scale(False)
                rad.scale_factor, rad.add_offset = np.float32(0.1), np.float32(-25.9)
                rad.coordinates = "t y x"
                rad[:] = np.random.default_rng(number).integers(0, 1022, (60, 80))
                rad._Unsigned = "true"
            paths.append(path)
        return paths

    return write


def argo(folder: Path) -> list[str]:
    """Write profiles of floats: characters, and numbers of profiles that differ."""
    paths = []
    for number, profiles in enumerate((3, 1, 4)):
        path, file = _file(folder, number, "NETCDF3_CLASSIC")
        with file:
            file.createDimension("N_PROF", profiles)
            file.createDimension("N_LEVELS", 40)
            file.createDimension("STRING8", 8)
            names = file.createVariable("PLATFORM_NUMBER", "S1", ("N_PROF", "STRING8"))
            names[:] = np.array([[*f"69{number}{p:04} "] for p in range(profiles)], "S1")
            days = file.createVariable("JULD", "f8", ("N_PROF",), fill_value=999999.0)
            days.units = "days since 1950-01-01 00:00:00 UTC"
            days[:] = 25000.5 + 10 * number + np.arange(profiles)
            for name in ("PRES", "TEMP"):
                variable = file.createVariable(
                    name, "f4", ("N_PROF", "N_LEVELS"), fill_value=99999.0
                )
                values = np.random.default_rng(number).random((profiles, 40))
                variable[:] = np.where(values > 0.9, 99999.0, values)
        paths.append(path)
    return paths


def trajectories(folder: Path) -> list[str]:
    """Write drifters: strings, and times along a dimension of observations."""
    paths = []
    for number, length in enumerate((7, 12, 5)):
        path, file = _file(folder, number)
        with file:
            file.createDimension("obs", length)
            times = file.createVariable("time", "f8", ("obs",))
            times.units = "seconds since 1970-01-01"
            times[:] = 1.5e9 + 600.25 * (np.arange(length) + 100 * number)
            names = file.createVariable("buoy", str, ("obs",))
            names[:] = np.array([f"buoy {number}-{i}" for i in range(length)], object)
            file.createVariable("sst", "f4", ("obs",))[:] = np.random.default_rng(number).random(
                length
            )
        paths.append(path)
    return paths


def imerg(folder: Path) -> list[str]:
    """Write half hours of IMERG: all in a group, longitudes before latitudes."""
    paths = []
    for number in range(4):
        path, file = _file(folder, number)
        with file:
            grid = file.createGroup("Grid")
            grid.createDimension("time", None)
            grid.createDimension("lon", 36)
            grid.createDimension("lat", 18)
            time = grid.createVariable("time", "i4", ("time",))
            time.units, time.calendar = "seconds since 1970-01-01 00:00:00 UTC", "julian"
            time[:] = [1_500_000_000 + 1800 * number]
            grid.createVariable("lon", "f4", ("lon",))[:] = np.linspace(-179, 179, 36)
            grid.createVariable("lat", "f4", ("lat",))[:] = np.linspace(-89, 89, 18)
            rain = grid.createVariable(
                "precipitation", "f4", ("time", "lon", "lat"), fill_value=-9999.9, zlib=True,
                chunksizes=(1, 18, 18),
            )  # fmt: skip
            rain[0] = np.random.default_rng(number).random((36, 18))
        paths.append(path)
    return paths


def members(kind: str) -> Any:
    """Return a writer of the members of an ensemble, each with all times."""

    def write(folder: Path) -> list[str]:
        paths = []
        for number in range(3):
            path, file = _file(folder, number, kind)
            with file:
                file.createDimension("time", 10)
                file.createDimension("lat", 18)
                time = file.createVariable("time", "i4", ("time",))
                time.units = "hours since 2020-01-01"
                time[:] = np.arange(10) * 6
                file.createVariable("lat", "f4", ("lat",))[:] = np.linspace(-89, 89, 18)
                options: Any = {"zlib": True} if kind == "NETCDF4" else {}
                variable = file.createVariable("z500", "f4", ("time", "lat"), **options)
                variable[:] = np.random.default_rng(number).random((10, 18))
            paths.append(path)
        return paths

    return write


def mesh(folder: Path) -> list[str]:
    """Write months on an unstructured mesh, whose connectivity is the same in all."""
    paths = []
    for number in range(3):
        path, file = _file(folder, number)
        with file:
            file.createDimension("time", None)
            file.createDimension("nod2", 300)
            file.createDimension("elem", 500)
            file.createDimension("three", 3)
            time = file.createVariable("time", "f8", ("time",))
            time.units, time.calendar = "days since 1990-01-01", "365_day"
            time[:] = 30.0 * number + np.arange(4)
            nodes = file.createVariable("face_nodes", "i4", ("elem", "three"))
            nodes[:] = np.arange(1500).reshape(500, 3) % 300
            nodes.start_index = 0
            variable = file.createVariable(
                "sst", "f4", ("time", "nod2"), zlib=True, chunksizes=(4, 300)
            )
            variable[:] = np.random.default_rng(number).random((4, 300))
        paths.append(path)
    return paths
