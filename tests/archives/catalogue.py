"""The archives, with the features that each project is known for."""

from __future__ import annotations

from typing import Any

from tests.archives.archive import Archive
from tests.archives.gridded import Grid, days_of
from tests.archives.special import argo, goes, imerg, members, mesh, roms, trajectories, wrf

_QUARTER = days_of(2001, 3)
_CLASSIC, _OFFSET, _CDF5 = "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"
_UNPACKED: dict[str, Any] = {"ncz": {"unpack": True}}
_WIDE = (("lat", 90), ("lon", 120))
_DEPTH = (("depth", 4), ("lat", 10), ("lon", 12))
_HOURS: dict[str, Any] = {"units": "hours since 1900-01-01", "time_type": "i4"}


def _grid(name: str, *, options: dict[str, Any] | None = None, **grid: Any) -> Archive:
    grid.setdefault("lengths", _QUARTER)
    dim = grid.get("time", "time")
    return Archive(name=name, write=Grid(**grid), dim=dim, **(options or {}))


ARCHIVES = (
    _grid("CMIP6, months of days, chunks of a day", bounds=True, calendar="noleap"),
    _grid("CMIP6, years of months, chunks of a month", lengths=[12, 12, 12], bounds=True),
    _grid("CMIP6, months of days, chunks of 31 days", chunk=31, bounds=True),
    _grid("CMIP6, months of days, chunks of a month", chunk=31, limited=True, axes=_WIDE,
          options={"exceeds": True}),
    _grid("CMIP6, chunks that fit", lengths=[30, 60, 45], chunk=15, calendar="360_day"),
    _grid("CMIP6, other levels of the compressor", levels=[1, 4, 9]),
    _grid("CMIP6, times of hours that restart", restarts=True, units="hours since 2000-01-01"),
    _grid("CMIP6 ocean on a curvilinear grid", plane=True, axes=(("j", 15), ("i", 20))),
    _grid("CMIP6 with levels", axes=_DEPTH, names=("ta", "ua")),
    _grid("CMIP5, classic", kind=_CLASSIC, bounds=True, calendar="noleap"),
    _grid("CORDEX, years of days", lengths=[365, 366], plane=True, scalars=["rotated_pole"],
          axes=(("rlat", 8), ("rlon", 9)), chunk=1),
    _grid("CORDEX, months, one chunk each", chunk=31, plane=True, scalars=["rotated_pole"],
          axes=(("rlat", 12), ("rlon", 13)), limited=True),
    _grid("CORDEX, contiguous", chunk=0, zlib=0, limited=True, plane=True,
          axes=(("rlat", 12), ("rlon", 13))),
    _grid("ERA5, months, packed alike, classic", kind=_OFFSET, packing="equal", **_HOURS),
    _grid("ERA5, months, packed differently, classic", kind=_OFFSET, packing="different",
          options=_UNPACKED, **_HOURS),
    _grid("ERA5, months, packed differently, compressed", packing="different",
          options=_UNPACKED, **_HOURS),
    _grid("ERA5, months, packed alike, compressed", packing="equal", chunk=24, **_HOURS),
    _grid("ERA5, months, not packed", time="valid_time", time_type="i8",
          units="seconds since 1970-01-01", step=3600, scalars=["number"], chunk=7),
    _grid("ERA5-Land, not packed, contiguous", chunk=0, zlib=0, limited=True, axes=_WIDE,
          options={"exceeds": True}, **_HOURS),
    _grid("ERA-Interim, packed differently, cdf5", kind=_CDF5, packing="different",
          options=_UNPACKED, **_HOURS),
    Archive(name="WRF, one time a file, classic", write=wrf(_OFFSET), dim="Time"),
    Archive(name="WRF, one time a file, netCDF-4", write=wrf("NETCDF4"), dim="Time"),
    Archive(name="WRF, three times a file", write=wrf("NETCDF4", 3), dim="Time"),
    Archive(name="ROMS, classic", write=roms(_OFFSET), dim="ocean_time"),
    Archive(name="ROMS, netCDF-4", write=roms("NETCDF4"), dim="ocean_time"),
    Archive(name="ROMS, the last record repeated", write=roms(_OFFSET, overlap=True),
            dim="ocean_time", ncz={"overlap": "first"},
            finish=lambda joined: joined.drop_duplicates("ocean_time")),
    Archive(name="GOES, scans", write=goes("NETCDF4", 30), dim="t", is_new=True),
    Archive(name="GOES, scans, chunks that do not fit", write=goes("NETCDF4", 37), dim="t",
            is_new=True),
    Archive(name="GOES, scans, classic", write=goes(_CLASSIC, 0), dim="t", is_new=True),
    Archive(name="Argo, profiles", write=argo, dim="N_PROF"),
    Archive(name="Drifters, strings", write=trajectories, dim="obs"),
    _grid("OISST, days, packed, classic", lengths=[1] * 12, kind=_CLASSIC, packing="equal",
          axes=(("zlev", 1), ("lat", 18), ("lon", 36))),
    _grid("OISST, days, packed, compressed", lengths=[1] * 12, packing="equal",
          axes=(("zlev", 1), ("lat", 18), ("lon", 36))),
    _grid("OISST, days, contiguous", lengths=[1] * 12, chunk=0, zlib=0, limited=True,
          packing="equal"),
    _grid("HYCOM, packed, classic", lengths=[8, 8, 8], kind=_OFFSET, packing="equal",
          axes=_DEPTH, names=("water_u", "water_v"), step=0.125),
    _grid("HYCOM, packed, compressed", lengths=[8, 7, 8], packing="equal", axes=_DEPTH,
          names=("water_temp", "salinity"), step=0.125),
    Archive(name="GPM IMERG, groups", write=imerg, group="Grid", dim="/Grid/time"),
    _grid("MUR SST, days, chunks of a part", lengths=[1, 1, 1, 1], packing="equal",
          units="seconds since 1981-01-01", time_type="i4", step=86400),
    _grid("MODIS, unsigned bytes", lengths=[1, 1, 1], packing="unsigned"),
    _grid("CHIRPS, years, classic", lengths=[365, 366], kind=_CLASSIC,
          axes=(("lat", 8), ("lon", 9))),
    _grid("CHIRPS, years, compressed", lengths=[365, 366], chunk=73, shuffle=False,
          axes=(("lat", 8), ("lon", 9))),
    _grid("CESM, history of months", lengths=[1] * 6, bounds=True, calendar="noleap",
          kind=_OFFSET, names=("TREFHT", "PSL")),
    _grid("CESM, time series", lengths=[120, 120, 60], bounds=True, calendar="noleap"),
    _grid("NCEP reanalysis, years, packed", lengths=[365, 366], packing="equal",
          axes=(("lat", 7), ("lon", 9)), units="hours since 1800-01-01", step=24),
    _grid("NCEP reanalysis, four times a day", lengths=[1460, 1464], step=6,
          axes=(("lat", 5), ("lon", 6)), units="hours since 1800-01-01", chunk=1),
    _grid("GLORYS, days with depths, packed", lengths=[1] * 5, packing="equal", axes=_DEPTH,
          names=("thetao", "so")),
    _grid("AVISO, days, packed as long integers", lengths=[1] * 6, packing="equal", chunk=1,
          units="days since 1950-01-01", time_type="f4"),
    _grid("NEMO, years of months", lengths=[12, 12], time="time_counter", plane=True,
          axes=(("y", 12), ("x", 15)), units="seconds since 1900-01-01", step=2592000),
    _grid("HadISST, months", lengths=[12, 12, 12], kind=_CLASSIC, fill=-1e30),
    _grid("CRU, decades, compressed", lengths=[120, 120], chunk=10, dtype="f8"),
    _grid("E-OBS, packed, one file a year", lengths=[365, 366], packing="equal", chunk=122,
          axes=(("latitude", 8), ("longitude", 9))),
    _grid("Daymet, years", lengths=[365, 365], plane=True, axes=(("y", 9), ("x", 8)), chunk=5),
    _grid("CAMS, months without masks", fill=None, dtype="f4", chunk=4),
    _grid("MERRA-2, days of hours", lengths=[24, 24, 24], units="minutes since 1980-01-01",
          time_type="i4", step=60, restarts=True, names=("T2M", "U2M", "V2M"), zlib=2),
    _grid("MERRA-2, days of hours, chunks of a day", lengths=[24, 24, 24], chunk=24,
          units="minutes since 1980-01-01", time_type="i4", step=60, restarts=True),
    _grid("AMSR, days, bytes", lengths=[1] * 5, packing="unsigned", chunk=0, zlib=0,
          limited=True),
    Archive(name="Ensemble, members", write=members("NETCDF4"), dim="member", is_new=True),
    Archive(name="Ensemble, members, classic", write=members(_OFFSET), dim="member",
            is_new=True),
    Archive(name="FESOM, unstructured mesh", write=mesh),
    _grid("Model days, cdf5, doubles", lengths=[5, 6, 7], kind=_CDF5, dtype="f8"),
)  # fmt: skip
"""All of them."""
