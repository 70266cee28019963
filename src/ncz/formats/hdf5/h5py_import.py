"""Import h5py, which only netCDF-4 files need, so that start-up does not wait for it."""

from __future__ import annotations

from typing import Any

from ncz.errors import NczError, option


def load_h5py() -> Any:
    """Return the package h5py. Raises `NczError` if it is not installed."""
    try:
        import h5py
    except ImportError as error:
        raise NczError(
            "netCDF-4 files need the package h5py",
            hint=f"pip install h5py, or write a classic file ({option('kind', 'classic')})",
        ) from error
    return h5py
