"""The names of netCDF files, and how such files begin."""

from __future__ import annotations

import os
import sys

from ncz.formats.kinds import CreateOptions, Source
from ncz.zmap.location import Location

NEW_SUFFIXES = (".nc", ".nc4", ".cdf", ".nca")
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
    return name.endswith(NEW_SUFFIXES) or (
        options.kind is not None
        and location.kind not in ("remote", "memory")
        and not name.endswith(_STORE_SUFFIXES)
    )


# How files of netCDF begin.

HDF5 = b"\x89HDF\r\n\x1a\n"
"""The signature of HDF5, which netCDF-4 files are."""

CLASSIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
"""The first bytes of CDF-1, CDF-2 (64-bit offset) and CDF-5."""

SUFFIXES = (".nc", ".nc3", ".nc4", ".nca", ".netcdf", ".cdf", ".h5", ".hdf5", ".he5", ".hdf")
"""Names of files that are looked at first. A file with any other name is recognised too."""


def is_netcdf(source: Source) -> bool:
    """Return whether a file is a netCDF file, or another HDF5 file."""
    start = source.start
    if start.startswith((HDF5, *CLASSIC)):
        return True
    if not start:
        return False
    from ncz.zmap.kinds import USER_BLOCKS  # the header of a store needs no such module

    return any(source.holds(HDF5, size) for size in USER_BLOCKS)


# Start what reading an HDF5 file needs, while a command still imports its own modules.

MODULES = (
    "ncz.formats.hdf5.isolation",
    "h5py",
    "ncz.formats.hdf5.file",
    "ncz.zmap.file",
)
"""Modules that a process needs to read HDF5 files."""


def prepare_to_open(location: Location) -> bool:
    """Start the process that will read `location`, if it is that of a local HDF5 file.

    Returns whether it was started. Importing h5py takes it about 50 ms, in which this process can
    import what it needs itself.
    """
    if location.kind == "remote" or not location.path.endswith(SUFFIXES):
        return False
    from ncz.formats.kinds import Source

    if not (os.path.isfile(location.path) and Source(location).start.startswith(HDF5)):
        return False
    if is_open_here(location.path):
        return False
    import numpy  # noqa: F401 (both processes need it)

    from ncz.parallel.isolation import fork_ahead

    return fork_ahead(MODULES)


UNCLOSED: set[int] = set()
"""Identifiers of HDF5 files that could not be written. If HDF5 could not close one, as on a full
disk, to ask it for the descriptor ends the process."""


def is_open_here(path: str) -> bool:
    """Return whether the HDF5 library has a file open in this process.

    HDF5 opens a file once in a process, and a forked process would share what it keeps of it: the
    descriptor, blocks that were read, and changes that were not written.
    """
    if not {"h5py", "netCDF4", "tables"} & sys.modules.keys():
        return False
    try:
        from h5py import h5f
    except ImportError:
        return False  # nothing will read it here

    ours = os.stat(path)
    for file in h5f.get_obj_ids(h5f.OBJ_ALL, h5f.OBJ_FILE):
        if file.id in UNCLOSED:
            continue
        try:
            if os.path.samestat(os.fstat(file.get_vfd_handle()), ours):
                return True
        except (OSError, NotImplementedError, TypeError, ValueError):
            continue  # a file in memory or on a server, which has no descriptor
    return False
