"""The first bytes of netCDF files."""

from __future__ import annotations

from ncz.formats.kinds import Source

HDF5 = b"\x89HDF\r\n\x1a\n"
"""The signature of HDF5, which netCDF-4 files are."""

CLASSIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
"""The first bytes of CDF-1, CDF-2 (64-bit offset) and CDF-5."""


def is_netcdf(source: Source) -> bool:
    """Return whether a file is a netCDF file, or another HDF5 file."""
    start = source.start
    if start.startswith((HDF5, *CLASSIC)):
        return True
    if not start:
        return False
    from ncz.zmap.foreign import USER_BLOCKS

    return any(source.holds(HDF5, size) for size in USER_BLOCKS)
