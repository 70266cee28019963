"""The names of new netCDF files, and the modes of their locations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import UrlError, option
from ncz.formats.create_options import CreateOptions
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.netcdf_kinds import NetcdfKind


HDF5_SUFFIXES = (".h5", ".hdf5", ".he5")
"""The suffixes of HDF5 files, which netCDF-4 files may have."""

NEW_SUFFIXES = (".nc", ".nc4", ".cdf", ".nca", *HDF5_SUFFIXES)
"""The suffixes of netCDF files."""

_STORE_SUFFIXES = (".zarr", ".zip")
_STORE_MODES = frozenset({"nczarr", "zarr", "v2", "v3", "file", "zip"})


def is_netcdf_name(location: Location, options: CreateOptions) -> bool:
    """Return whether a new dataset at a location is a netCDF file.

    It is if the name ends as names of netCDF files do, or if the options choose a kind of netCDF
    file for a name that does not belong to a Zarr store. A mode such as ``zarr`` selects a store,
    and ``netcdf-4`` a file, for any name.
    """
    if not _STORE_MODES.isdisjoint(location.modes):
        return False
    if mode_of(location) is not None:
        return True
    name = location.path.rstrip("/").lower()
    return name.endswith(NEW_SUFFIXES) or (
        options.kind is not None
        and location.kind not in ("remote", "memory")
        and not name.endswith(_STORE_SUFFIXES)
    )


_MODES = {"netcdf-3": "a classic file", "netcdf-4": "a netCDF-4 file"}


def mode_of(location: Location) -> str | None:
    """Return the mode that makes a location a netCDF file; None if none does."""
    return next((mode for mode in _MODES if mode in location.modes), None)


def requested_kind(location: Location, kind: NetcdfKind | None) -> NetcdfKind | None:
    """Return the kind of file that an option or a mode selects; None if neither does.

    Parameters
    ----------
    location
        The location of a new file.
    kind
        The kind that an option selects.

    Raises
    ------
    UrlError
        If the two contradict each other.
    """
    mode = mode_of(location)
    if mode is None:
        return kind
    found: NetcdfKind = "classic" if mode == "netcdf-3" else "netCDF-4"
    if kind is not None and kind.startswith("netCDF-4") != (mode == "netcdf-4"):
        raise UrlError(
            f"mode={mode} asks for {_MODES[mode]}, and {option('kind', kind)} for another",
            location.display,
            "leave out one of them",
        )
    return kind or found
