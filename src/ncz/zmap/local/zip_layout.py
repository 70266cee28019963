"""The places of keys in a new zip file, and the form of its entries.

New zip files have one of two layouts, because no single layout works for all readers. netcdf-c
takes the first segment of the first entry as a prefix of all keys and rejects a first entry that
begins with a slash, so it cannot read keys at the root. zarr-python's ZipStore, and xarray
through it, look for keys only at the root. Therefore NCZarr, which netcdf-c must be able to read,
is written below a folder (`NCZARR_PREFIX`, whose own entry comes first), and pure Zarr at the
root. Unlike netcdf-c, ncz does not name the folder after the file, so that the same dataset gives
the same bytes under every file name.

Source: netcdf-c's libnczarr/zmap_zip.c, and zarr-python 3.1.6.
"""

from __future__ import annotations

from zipfile import ZipInfo

from ncz.zmap.location import Location

NCZARR_PREFIX = "nczarr/"
"""The folder of NCZarr."""

UTF8 = 0x800
"""The flag of an entry whose name is UTF-8."""

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that a zip file can contain


def layout_prefix(location: Location) -> str:
    """Return the prefix of the keys in a new zip file: a folder for NCZarr, "" for pure Zarr."""
    is_pure = location.pure or "v3" in location.modes
    return "" if is_pure else NCZARR_PREFIX


def new_entry(name: str) -> ZipInfo:
    """Return a new entry: stored, with a fixed date and permission, so that bytes never differ."""
    entry = ZipInfo(name, _EPOCH)
    entry.create_system = 3  # Unix, on every system
    entry.external_attr = (0o40755 << 16 | 0x10) if name.endswith("/") else 0o100644 << 16
    return entry
