"""Start what reading an HDF5 file needs, while a command still imports its own modules."""

from __future__ import annotations

import os
import sys

from ncz.formats.netcdf.names import HDF5, SUFFIXES
from ncz.zmap.location import Location

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
        try:
            if os.path.samestat(os.fstat(file.get_vfd_handle()), ours):
                return True
        except (OSError, NotImplementedError, TypeError, ValueError):
            continue  # a file in memory or on a server, which has no descriptor
    return False
