"""Names of new datasets that promise a format, such as x.nc.

A name that no entry of this table fits is that of a Zarr store.
"""

from __future__ import annotations

import os

from ncz.errors import UrlError
from ncz.zmap.kinds import JSON_SUFFIXES, PARQUET_SUFFIXES
from ncz.zmap.location import Location

_FOREIGN = {
    **dict.fromkeys((".nc", ".nc3", ".nc4", ".netcdf", ".cdf"), "a netCDF file"),
    **dict.fromkeys((".h5", ".hdf5", ".he5", ".hdf"), "an HDF5 file"),
    **dict.fromkeys(JSON_SUFFIXES, "a JSON file"),
    **dict.fromkeys(PARQUET_SUFFIXES, "a Parquet reference set"),
    ".icechunk": "an Icechunk repository",
}

_TO_REFERENCES = "use 'ncz copy' for a reference set"

_HINTS = {
    "a JSON file": f"use ncz dump --json for JSON, {_TO_REFERENCES}",
    "a Parquet reference set": _TO_REFERENCES,
}

_MODES_OF_STORES = frozenset({"nczarr", "zarr", "file", "zip", "reference"})
"""Modes that say that a store is meant, whatever its name."""


def foreign_name(location: Location) -> str | None:
    """Return what the name of a location promises; None if it is the name of a Zarr store.

    A mode such as ``nczarr`` says that a store is meant, whatever the name.
    """
    if not _MODES_OF_STORES.isdisjoint(location.modes):
        return None
    name = os.path.basename(location.path.rstrip("/")).lower()
    return next((_FOREIGN[end] for end in _FOREIGN if name.endswith(end) and name != end), None)


def is_name_of_set(location: Location) -> bool:
    """Return whether the name of a location promises a reference set, and no mode another store."""
    return foreign_name(location) in _HINTS


def not_written(location: Location) -> UrlError:
    """Return the error for a name of a format that ncz does not write."""
    what = foreign_name(location) or "a format"
    hint = _HINTS.get(what, "name it x.zarr or x.zip")
    return UrlError(
        f"ncz writes Zarr stores, but this name is that of {what}",
        location.display,
        f"{hint}, or add #mode=nczarr to write a store with this name",
    )
