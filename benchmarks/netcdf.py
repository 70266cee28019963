"""The rows with netCDF-4 files."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

Peer = tuple[str, list[str], str, tuple[Path, ...]]
"""A name, a command, the wanted ratio, and what the command creates."""

KERCHUNK = "NCZ_PEERS_KERCHUNK"
"""The environment variable with the Python of an environment that has kerchunk."""

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


def make_many_chunks(file: Path, count: int) -> None:
    """Write a netCDF-4 file with `count` chunks of which each is too large to be inlined."""
    import h5py
    import numpy as np

    data = np.random.default_rng(0).integers(0, 256, 600, "u1").tobytes()
    with h5py.File(file, "w") as root:
        v = root.create_dataset("v", (count, 600), "u1", chunks=(1, 600))
        for index in range(count):
            v.id.write_direct_chunk((index, 0), data)
        for name, scale in zip("tx", (np.arange(count), np.arange(600)), strict=True):
            root[name] = scale
            root[name].make_scale(name)
            v.dims["tx".index(name)].attach_scale(root[name])


def reference_peers(file: Path, folder: Path) -> Iterator[tuple[str, list[str], Path, Path]]:
    """Yield the layout of a set, the command of kerchunk, and the sets of ncz and of kerchunk."""
    python = os.environ.get(KERCHUNK)
    for layout in ("json", "parquet") if python else ():
        ours, theirs = folder / f"ours.{layout}", folder / f"theirs.{layout}"
        yield (
            layout,
            [str(python), "benchmarks/kerchunk_set.py", str(file), str(theirs)],
            ours,
            theirs,
        )
