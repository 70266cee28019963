"""How files of netCDF begin."""

from __future__ import annotations

HDF5 = b"\x89HDF\r\n\x1a\n"
"""The signature of HDF5, which netCDF-4 files are."""

CLASSIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
"""The first bytes of CDF-1, CDF-2 (64-bit offset) and CDF-5."""

SUFFIXES = (".nc", ".nc3", ".nc4", ".netcdf", ".cdf", ".h5", ".hdf5", ".he5", ".hdf")
"""Names of files that are looked at first. A file with any other name is recognised too."""


def is_netcdf(start: bytes) -> bool:
    """Return whether a file that starts with these bytes is a netCDF file, or HDF5."""
    return start.startswith((HDF5, *CLASSIC))
