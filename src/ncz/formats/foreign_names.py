"""Names of new datasets that promise a format, such as x.nc.

A name that no entry of the table fits belongs to a Zarr store.
"""

from __future__ import annotations

import os
import re

from ncz.errors import DUMP_AS_JSON, Notice, UrlError, command, did_you_mean
from ncz.zmap.kinds import JSON_SUFFIXES, PARQUET_SUFFIXES
from ncz.zmap.location import Location

_FOREIGN = {
    **dict.fromkeys((".nc", ".nc3", ".nc4", ".netcdf", ".cdf"), "a netCDF file"),
    **dict.fromkeys((".h5", ".hdf5", ".he5"), "an HDF5 file"),
    ".hdf": "an HDF4 file",
    **dict.fromkeys(JSON_SUFFIXES, "a JSON file"),
    **dict.fromkeys(PARQUET_SUFFIXES, "a Parquet reference set"),
    **dict.fromkeys((".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".7z"), "an archive"),
    ".rar": "an archive",
    **dict.fromkeys((".gz", ".bz2", ".xz", ".zst"), "a compressed file"),
    **dict.fromkeys((".grib", ".grib2", ".grb", ".grb2"), "a GRIB file"),
    **dict.fromkeys((".tif", ".tiff"), "a TIFF file"),
    ".bufr": "a BUFR file",
    ".mat": "a MATLAB file",
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".svg"), "a picture"),
    **dict.fromkeys((".txt", ".csv", ".xml", ".ncml", ".html", ".md", ".yaml", ".yml"), "a text"),
    **dict.fromkeys((".pdf", ".docx", ".xlsx"), "a document"),
    **dict.fromkeys((".npy", ".npz"), "a file of numpy"),
}

_TO_REFERENCES = f"use {command('copy')} for a reference set"

_HINTS = {
    "a JSON file": f"use {DUMP_AS_JSON} for JSON, {_TO_REFERENCES}",
    "a Parquet reference set": _TO_REFERENCES,
    "a TIFF file": "gdal_translate NETCDF:FILE.nc:VAR FILE.tif writes GeoTIFF",
    "a picture": f"use {command('view')} for a picture",
    "a text": f"use {command('dump')} for text",
    "a GRIB file": "cdo -f grb2 copy writes GRIB; or name it x.zarr, x.zip or x.nc",
}

_MODES_OF_STORES = frozenset({"nczarr", "zarr", "file", "zip", "reference"})
"""Modes that mean a store with any name."""


def foreign_name(location: Location) -> str | None:
    """Return the format that the name of a location implies; None for the name of a Zarr store.

    A mode such as ``nczarr`` means a store with any name.
    """
    if not _MODES_OF_STORES.isdisjoint(location.modes):
        return None
    name = os.path.basename(location.path.rstrip("/")).lower()
    return next((_FOREIGN[end] for end in _FOREIGN if name.endswith(end) and name != end), None)


_OF_STORES = (".zarr", ".zip", ".icechunk", ".nczarr", ".zmap", ".store", ".dir", ".d")
"""Suffixes of stores."""

_ALSO_WRITTEN = (".nc", ".nc4", ".nca", ".cdf", *JSON_SUFFIXES, *PARQUET_SUFFIXES)
_WRITTEN = (".zarr", ".zip", ".icechunk", *_ALSO_WRITTEN)
"""Suffixes that choose the format to write."""

_SUFFIX = re.compile(r"[^.].*(\.(?!v\d)[a-z][a-z0-9]{0,7})")
"""A name that ends in a suffix, and not in a number or a version, as ``data.v1.2`` does."""


def unknown_suffix(location: Location) -> Notice | None:
    """Return a notice if a new store has a name with an unknown suffix; otherwise None."""
    if not {*_MODES_OF_STORES, "v2", "v3", "icechunk", "reference"}.isdisjoint(location.modes):
        return None
    found = _SUFFIX.fullmatch(os.path.basename(location.path.rstrip("/")).lower())
    if found is None or found[1] in _OF_STORES or os.path.lexists(location.path):
        return None
    return Notice(
        "suffix-unknown",
        f"a Zarr store is written, because {found[1]} is not the suffix of a known format",
        location.display,
        did_you_mean(found[1], _WRITTEN, "name it x.zarr, or x.nc for a netCDF file"),
    )


def is_name_of_set(location: Location) -> bool:
    """Return whether the name of a location promises a reference set, and no mode another store."""
    return foreign_name(location) in ("a JSON file", "a Parquet reference set")


def foreign_name_error(location: Location) -> UrlError:
    """Return the error for a name of a format that ncz does not write."""
    what = str(foreign_name(location))
    hint = _HINTS.get(what, "name it x.zarr, x.zip or x.nc")
    return UrlError(
        f"ncz writes Zarr stores and netCDF files, but this is the name of {what}",
        location.display,
        f"{hint}, or add #mode=nczarr to write a store with this name",
    )
