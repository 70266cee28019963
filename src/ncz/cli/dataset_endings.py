"""Endings of names of datasets, which identify a dataset on a command line."""

from __future__ import annotations

NETCDF = (".nc", ".nc3", ".nc4", ".nca", ".cdf", ".h5", ".hdf5", ".he5")
"""Files of netCDF and HDF5."""

DATASETS = (
    *NETCDF,
    ".zarr", ".zip", ".icechunk", ".json", ".parquet",
)  # fmt: skip
"""Stores, netCDF files and reference sets."""

WITH_CDL = (*DATASETS, ".cdl")
"""What ``ncz copy`` reads and writes."""


def is_named(word: str, endings: tuple[str, ...] = DATASETS) -> bool:
    """Return whether a word is a path or a URL that ends like the name of a dataset."""
    return word.partition("#")[0].rstrip("/").lower().endswith(endings)
