"""Import h5py, which only netCDF-4 files need."""

from __future__ import annotations

from typing import Any

from ncz.errors import NczError


def load_h5py() -> Any:
    """Return the package h5py. Raises `NczError`, which names the extra, if it is not installed."""
    try:
        import h5py
    except ImportError as error:
        raise NczError(
            "netCDF-4 files need the package h5py",
            hint="pip install 'ncz[netcdf]', or write a classic file (--kind classic)",
        ) from error
    return h5py
