"""The names of new netCDF files."""

from __future__ import annotations

from ncz.formats.kinds import CreateOptions
from ncz.zmap.location import Location

SUFFIXES = (".nc", ".nc4", ".cdf", ".nca")
"""The suffixes of netCDF files."""

_STORE_SUFFIXES = (".zarr", ".zip")
_STORE_MODES = frozenset({"nczarr", "zarr", "v2", "v3", "file", "zip"})


def is_netcdf_name(location: Location, options: CreateOptions) -> bool:
    """Return whether a new dataset at a location is a netCDF file.

    It is if the name ends as those of netCDF files do, or if the options choose a kind of netCDF
    file for a name that is not that of a Zarr store. A mode such as ``zarr`` asks for a store,
    whatever the name.
    """
    if not _STORE_MODES.isdisjoint(location.modes):
        return False
    name = location.path.rstrip("/").lower()
    return name.endswith(SUFFIXES) or (
        options.kind is not None
        and location.kind not in ("remote", "memory")
        and not name.endswith(_STORE_SUFFIXES)
    )
