"""The rows of everyday commands: ``info --stats`` beside xarray, and ``diff`` beside cmp."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

LEAST_VALUES = 150_000_000
"""Values of the variable: 600 MB of float, so that start-up counts little."""

_XARRAY = """import dask, sys, warnings, xarray
warnings.simplefilter("ignore")
v = xarray.open_zarr(sys.argv[1], chunks={}, consolidated=False)["v"]
print(*map(float, dask.compute(v.count(), v.min(), v.max(), v.mean(), v.std())))
"""
"""The same statistics with xarray and Dask, which read each chunk once."""

_CMP = 'cd "$0" && find . -type f -exec cmp {} "$1"/{} \\;'


def statistics_peer(store: Path) -> tuple[str, list[str]] | None:
    """Return the name and the command of the peer of ``info --stats``, if it is installed."""
    if any(importlib.util.find_spec(name) is None for name in ("xarray", "dask", "zarr")):
        return None
    return "xarray", [sys.executable, "-c", _XARRAY, str(store)]


def compare_bytes(one: Path, other: Path) -> list[str]:
    """Return the command that compares the bytes of two folders of the same names."""
    return ["sh", "-c", _CMP, str(one), str(other.resolve())]
