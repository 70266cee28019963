"""The rows with netCDF-4 files."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

Peer = tuple[str, list[str], str, tuple[Path, ...]]
"""A name, a command, the wanted ratio, and what the command creates."""

LEAST_VALUES = 40_000_000
"""Values of the file: 160 MB of float, so that start-up counts little."""


def make_file(store: Path, file: Path) -> None:
    """Copy a store to a netCDF-4 file with deflate and shuffle."""
    command = [sys.executable, "-m", "ncz", "copy", "-q", "--overwrite", "-d", "4", "-s"]
    subprocess.run([*command, str(store), str(file)], check=True)


def peers(file: Path, zarr: Path, other: Path) -> Iterator[Peer]:
    """Yield the programs that copy a file, to a store or to another file."""
    yield "nccopy", ["nccopy", str(file), str(other)], "-", (other,)
    if importlib.util.find_spec("xarray") is not None:
        command = [sys.executable, "-m", "benchmarks.to_zarr", str(file), str(zarr)]
        yield "xarray", command, "10", (zarr,)
    yield "cp", ["cp", str(file), str(other)], "1/2", (other,)
