"""The rows that rechunk and compress."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.peers import netcdf, program
from benchmarks.row import NCZ, Limit, Row
from benchmarks.rows.text import as_netcdf
from benchmarks.scale import Scale

_CODECS = {
    "zlib": ("shuffle+zlib:5", 1.55),
    "zstd": ("shuffle+zstd:5", 1.5),
    "blosc": ("blosc:lz4:5", 2.2),
}
"""Chain of codecs, and the largest ratio of the time of ncz to the codecs alone."""


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data: from a time step for each chunk to series of time."""
    times = scale.count(1280)
    store, ours, theirs = (folder / f"{name}.zarr" for name in ("source", "ours", "theirs"))
    shape = times, 170, 360
    lengths = times // 8, 17, 180
    size = f"{times * 170 * 360 * 4 / 1e6:.0f} MB"
    chunks = ",".join(f"d{axis}/{length}" for axis, length in enumerate(lengths))
    for codec, (chain, most) in _CODECS.items():
        make("field", folder / "plain.zarr", "float", shape, (1, 170, 360), 0)
        source = [str(folder / "plain.zarr"), str(store)]
        subprocess.run([*NCZ, "copy", "-q", "--codec", chain, *source], check=True, timeout=600)
        shutil.rmtree(folder / "plain.zarr")
        copy = [*NCZ, "copy", "--codec", chain, "-c", chunks, str(store), str(ours)]
        alone = program("codecs_alone", "numcodecs", "deflate", "isal", own=True)
        limit = Limit("codecs alone", [*alone, str(store), str(ours)], most=most) if alone else None
        words = "x".join(map(str, lengths))
        peers = {
            "xarray with Dask": program("xarray_rechunk", "xarray", "dask", "zarr"),
            "rechunker": program("rechunker_rechunk", "rechunker", environment="rechunker"),
        }
        for peer, command in peers.items():
            if command is not None:
                yield Row(
                    f"copy, rechunk, {size}, {chain}", peer, copy,
                    [*command, str(store), str(theirs), words, codec],
                    targets=(ours, theirs, theirs.with_suffix(".temporary")), limit=limit,
                    told=f"rechunk {size}, {chain}",
                )  # fmt: skip
        if codec == "zlib":
            file, other = as_netcdf(store), folder / "copy.nc"
            yield Row(
                f"copy, rechunk, {size}, shuffle and zlib 5", "nccopy, netCDF-4",
                [*NCZ, "copy", "-d", "5", "-s", "-c", chunks, str(store), str(ours)],
                [netcdf("nccopy"), "-d", "5", "-s", "-c", chunks, file, str(other)], 2.0,
                targets=(ours, other), verify=True,
            )  # fmt: skip
            Path(file).unlink(missing_ok=True)
        shutil.rmtree(store)
    if scale.tenth:
        return
    make("field", store, "float", (500, 1000, 1000), (1, 1000, 1000), 1)
    yield Row(
        "copy of 2 GB, rechunk along the slowest axis", "",
        [*NCZ, "copy", "-c", "d0/,d1/10,d2/10", str(store), str(ours)],
        targets=(ours,),
    )  # fmt: skip
    shutil.rmtree(store)
