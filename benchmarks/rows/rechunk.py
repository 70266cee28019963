"""The rows that rechunk and compress."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.peers import program
from benchmarks.row import NCZ, Row
from benchmarks.rows.text import as_netcdf
from benchmarks.scale import Scale

_CODECS = {"zlib": "shuffle+zlib:5", "zstd": "shuffle+zstd:5", "blosc": "blosc:lz4:5"}


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data.

    Of the smaller data, start-up takes half of the time; the larger ones take a few seconds.
    """
    yield from _rows_of(folder, scale.side(scale.values), tuple(_CODECS))
    if scale.tenth:
        return
    yield from _rows_of(folder, scale.side(scale.megabytes * 125_000), ("zlib", "zstd"))
    store, ours = folder / "source.zarr", folder / "ours.zarr"
    make("field", store, "float", (500, 1000, 1000), (1, 1000, 1000), 1)
    yield Row(
        "copy of 2 GB, rechunk along the slowest axis", "",
        [*NCZ, "copy", "-c", "d0/,d1/10,d2/10", str(store), str(ours)], most_memory=300,
        targets=(ours,),
    )  # fmt: skip
    shutil.rmtree(store)


def _rows_of(folder: Path, side: int, codecs: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows of a square field, from chunks of whole rows to square chunks."""
    store, ours, theirs = (folder / f"{name}.zarr" for name in ("source", "ours", "theirs"))
    length = side // 4
    make("field", store, "float", (side, side), (side // 16, side), 5)
    size = f"{side * side * 4 / 1e6:.0f} MB"
    chunks = f"d0/{length},d1/{length}"
    file, other = as_netcdf(store), folder / "copy.nc"
    yield Row(
        f"copy, rechunk, {size}, shuffle and zlib 5", "nccopy, netCDF-4",
        [*NCZ, "copy", "-d", "5", "-s", "-c", chunks, str(store), str(ours)],
        ["nccopy", "-d", "5", "-s", "-c", chunks, file, str(other)], 2.0,
        targets=(ours, other), verify=True,
    )  # fmt: skip
    Path(file).unlink(missing_ok=True)
    peers = {
        "xarray with Dask": program("xarray_rechunk", "xarray", "dask", "zarr"),
        "rechunker": program("rechunker_rechunk", "rechunker", environment="rechunker"),
    }
    for codec in codecs:
        for peer, command in peers.items():
            if command is not None:
                yield Row(
                    f"copy, rechunk, {size}, {_CODECS[codec]}", peer,
                    [*NCZ, "copy", "--codec", _CODECS[codec], "-c", chunks, str(store), str(ours)],
                    [*command, str(store), str(theirs), str(length), codec], 4.0,
                    targets=(ours, theirs, theirs.with_suffix(".temporary")),
                )  # fmt: skip
    shutil.rmtree(store)
