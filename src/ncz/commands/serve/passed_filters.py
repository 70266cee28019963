"""The HDF5 filters of chunks that are passed on in a served netCDF file."""

from __future__ import annotations

from collections.abc import Iterable

from ncz.codec.catalogue import find_hdf5_name
from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.model.filters import BUILT_IN

NAMES = ("zstd", "blosc", "bzip2", "szip")
"""The filters of the registry of HDF5 whose chunks Zarr and netCDF files have in common."""


def numbers_of(names: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the filters with these names, and of filters that every client has.

    Raises
    ------
    OptionError
        If a name is not known.
    """
    numbers = set(BUILT_IN)
    for name in names:
        codec = find_hdf5_name(name)
        if codec is None or codec.hdf5 is None:
            raise OptionError(
                f"no HDF5 filter is named {name!r}",
                None,
                f"{option('netcdf_filters')} takes {', '.join(NAMES)}",
            )
        numbers.add(codec.hdf5.number)
    return frozenset(numbers)
