"""The rows of everyday commands: ``info --stats``, ``diff`` and ``ls``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.peers import program
from benchmarks.row import NCZ, Row
from benchmarks.scale import Scale

_CMP = 'cd "$0" && find . -type f -exec cmp {} "$1"/{} \\;'


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data."""
    side = scale.large_side
    size = f"{side * side * 4 / 1e6:.0f} MB"
    store, other = folder / "everyday.zarr", folder / "equal.zarr"
    make("field", store, "float", (side, side), (side // 64, side), 1)
    xarray = program("xarray_statistics", "xarray", "dask", "zarr")
    yield Row(
        f"info --stats, {size}, zlib 1", "xarray with Dask",
        [*NCZ, "info", "--stats", str(store)], xarray and [*xarray, str(store)], 3.0,
        told=f"statistics of {size}, zlib 1",
    )  # fmt: skip
    shutil.rmtree(store)
    make("field", store, "float", (side, side), (side // 64, side), 0)
    shutil.copytree(store, other)
    yield Row(
        f"diff of equal stores, {size}", "cmp", [*NCZ, "diff", str(store), str(other)],
        ["sh", "-c", _CMP, str(store), str(other)], 2 / 3,
        told=f"compare two stores of {size}",
    )  # fmt: skip
    shutil.rmtree(store)
    shutil.rmtree(other)
    count = scale.count(200_000)
    make("field", store, "int", (count,), (1,), 0)
    yield Row(
        f"ls -r, {count:,} keys", "find", [*NCZ, "ls", "-r", str(store)],
        ["find", str(store), "-type", "f"], 0.25,
    )  # fmt: skip
    shutil.rmtree(store)
