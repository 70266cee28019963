"""``python -m benchmarks.programs.digest_cost FOLDER``: the processor time of a digest.

It is divided by the time of reading the same values, in turn: by decoding each chunk alone, with
ncz, and with zarr-python. Prints the rows of the table in docs/reference/digest.md.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import zarr
from numcodecs import Blosc, Shuffle, Zlib, Zstd

import ncz
from ncz.digests.sums import ZERO
from ncz.digests.variable import variable_sums
from ncz.formats.opening import open_dataset
from ncz.parallel.processors import cores
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import parse_location

_BYTES = 64 << 20
_CHUNKS = 32
_RUNS = 9

_KINDS: dict[str, tuple[str, list[Any] | None, Any]] = {
    "float, zlib with shuffle": ("f4", [Shuffle(4)], Zlib(1)),
    "double, zlib with shuffle": ("f8", [Shuffle(8)], Zlib(1)),
    "short, zlib with shuffle": ("i2", [Shuffle(2)], Zlib(1)),
    "float, zstd": ("f4", None, Zstd(1)),
    "float, blosc with lz4": ("f4", None, Blosc("lz4", 5)),
    "float, no codec, in the cache of the system": ("f4", None, None),
}
"""The dtype, the filters and the compressor of each row."""


def main(folder: Path) -> None:
    """Print a row for each kind of chunks: its name, and the quotients."""
    store = folder / "digest.zarr"
    for name, (dtype, filters, compressor) in _KINDS.items():
        _make(store, np.dtype(dtype), filters, compressor)
        calls: tuple[Callable[[], object], ...] = (
            lambda: _digest(store),
            lambda: _decode(store),
            lambda: _read_with_ncz(store),
            lambda: _read_with_zarr(store),
        )
        best = [float("inf")] * len(calls)
        for _ in range(_RUNS):
            for number, call in enumerate(calls):
                start = time.process_time()
                call()
                best[number] = min(best[number], time.process_time() - start)
        quotients = " | ".join(f"{best[0] / other:.2f}" for other in best[1:])
        print(f"| {name} | {quotients} |", flush=True)  # noqa: T201
        shutil.rmtree(store)


def _make(store: Path, dtype: np.dtype[Any], filters: list[Any] | None, compressor: Any) -> None:
    """Create a store with all digits of a smooth field with noise."""
    count = _BYTES // dtype.itemsize
    noise = np.random.default_rng(3).normal(0, 0.1, count)
    values = 280 + 20 * np.sin(np.arange(count) / 1e4) + noise
    if dtype.kind == "i":
        values *= 100
    rows = values.astype(dtype).reshape(_CHUNKS, -1)
    array = zarr.create_array(
        store, shape=rows.shape, chunks=(1, rows.shape[1]), dtype=dtype, filters=filters,
        compressors=compressor, zarr_format=2, fill_value=None,
    )  # fmt: skip
    array[:] = rows


def _digest(store: Path) -> None:
    """Add up the values of the variable as `ncz digest` does."""
    with open_dataset(parse_location(str(store))) as opened, ThreadPool(1 << 29, cores()) as pool:
        variable = opened.dataset.root.variables[0]
        assert variable.data is not None
        variable_sums(variable, variable.data.grid.shape, pool)


def _decode(store: Path) -> None:
    """Do the same without the sums."""
    with mock.patch("ncz.digests.variable.box_sums", return_value=ZERO):
        _digest(store)


def _read_with_ncz(store: Path) -> None:
    """Read the values with ncz, some chunks at a time."""
    with ncz.open(store) as dataset:
        for row in range(0, _CHUNKS, 4):
            dataset["digest"][row : row + 4]


def _read_with_zarr(store: Path) -> None:
    """Read the values with zarr-python, some chunks at a time."""
    array = zarr.open_array(store, mode="r")
    for row in range(0, _CHUNKS, 4):
        array[row : row + 4]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
