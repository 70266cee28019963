"""The kinds of netCDF files, and their names in netCDF's programs.

Source: the man pages of ncgen and nccopy, and tests of version 4.9.0.
"""

from __future__ import annotations

from typing import Literal, get_args

NetcdfKind = Literal["classic", "64-bit offset", "cdf5", "netCDF-4", "netCDF-4 classic model"]
"""A kind of netCDF file, as ``ncdump -k`` prints it."""

KINDS: tuple[NetcdfKind, ...] = get_args(NetcdfKind)

_WORDS: dict[NetcdfKind, tuple[str, ...]] = {
    "classic": ("nc3", "1"),
    "64-bit offset": ("64-bit-offset", "nc6", "2"),
    "cdf5": ("64-bit data", "64-bit-data", "cdf-5", "nc5", "5"),
    "netCDF-4": ("netcdf4", "nc4", "hdf5", "enhanced", "3"),
    "netCDF-4 classic model": (
        *("netcdf-4-classic", "netcdf-4_classic", "netcdf4_classic"),
        *("hdf5-nc3", "enhanced-nc3", "nc7", "4"),
    ),
}
_KIND_OF_WORD = {word.lower(): kind for kind, words in _WORDS.items() for word in (kind, *words)}


def kind_of(word: str) -> NetcdfKind | None:
    """Return the kind that a word after ``-k`` means, in any case; None if none exists.

    As in netCDF's programs, "3" means netCDF-4 here, unlike the option ``-3``, and "1" the classic
    format.
    """
    return _KIND_OF_WORD.get(word.lower())


def is_hdf5(kind: NetcdfKind) -> bool:
    """Return whether files of the kind are HDF5 files."""
    return kind.startswith("netCDF-4")
