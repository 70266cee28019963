"""The rows of files that become one dataset, and of the headers of files of many groups."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.peers import netcdf, program
from benchmarks.row import NCZ, Row
from benchmarks.s3_server import find_rclone
from benchmarks.scale import Scale

_GROUPS = 48
"""Groups of each of as many groups."""


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data."""
    yield from _headers(folder)
    yield from _joins(folder, scale.count(1000))
    yield _months(folder, scale.count(364))


def _headers(folder: Path) -> Iterator[Row]:
    """Yield the rows of headers of files of groups, and of a single variable."""
    groups, one, store = folder / "groups.nc", folder / "one.nc", folder / "one.zarr"
    variables = 'variables: float v(x) ; v:units = "K" ; float w(x) ; w:units = "K" ;'
    inner = "".join(f"group: h{number} {{ {variables} }}\n" for number in range(_GROUPS))
    outer = "".join(f"group: g{number} {{ {inner} }}\n" for number in range(_GROUPS))
    _make(groups, f"netcdf groups {{ dimensions: x = 10 ;\n{outer} }}")
    text = 'netcdf one { dimensions: t = 5 ; x = 10 ; variables: float v(t, x) ; v:units = "K" ; }'
    for path in (one, store):
        _make(path, text)
    yield Row(
        f"dump -h, netCDF-4, {_GROUPS**2:,} groups", "ncdump",
        [*NCZ, "dump", "-h", str(groups)], [netcdf("ncdump"), "-h", str(groups)], 1.5, texts=True,
        told=f"header of a netCDF-4 file of {_GROUPS**2:,} groups",
    )  # fmt: skip
    yield Row(
        "dump -h, netCDF-4, one variable", "ncz, a Zarr store",
        [*NCZ, "dump", "-h", str(one)], [*NCZ, "dump", "-h", str(store)], 1 / 1.3,
    )  # fmt: skip


def _make(path: Path, text: str) -> None:
    """Create a file or a store from CDL."""
    kind = ["-k", "netCDF-4"] if path.suffix == ".nc" else []
    command = [*NCZ, "gen", "-q", *kind, "-", "-o", str(path)]
    subprocess.run(command, check=True, timeout=600, input=text.encode())


def _joins(folder: Path, count: int) -> Iterator[Row]:
    """Yield the row of `count` files that become one dataset without being copied."""
    files = folder / "files"
    make("days", files, count)
    ours, theirs = folder / "ours.json", folder / "theirs.json"
    command = program("virtualizarr_join", "virtualizarr", "h5py", "obspec_utils")
    sources = [str(path) for path in sorted(files.iterdir())]
    yield Row(
        f"copy --concat, {count:,} files, references as JSON", "VirtualiZarr",
        [*NCZ, "copy", "-q", *sources, str(ours), "--concat", "time", "--mode", "reference"],
        command and [*command, str(files), str(theirs)], 5.0, targets=(ours, theirs),
        told=f"{count:,} files joined as one reference set",
    )  # fmt: skip
    ours, theirs = folder / "ours.icechunk", folder / "theirs.icechunk"
    yield Row(
        f"copy --concat, {count:,} files, virtual chunks in Icechunk", "VirtualiZarr",
        [*NCZ, "copy", "-q", *sources, str(ours), "--concat", "time", "--mode", "reference"],
        command and [*command, str(files), str(theirs)], 5.0, targets=(ours, theirs),
        told=f"{count:,} files joined as one Icechunk repository",
    )  # fmt: skip
    joined, ours, theirs = folder / "joined.json", folder / "resolved.zarr", folder / "copied"
    subprocess.run(
        [*NCZ, "copy", "-q", *sources, str(joined), "--concat", "time"], check=True, timeout=600
    )
    yield Row(
        f"copy, a set over {count:,} files becomes a store", "cp -r of the files",
        [*NCZ, "copy", "-q", str(joined), str(ours)], ["cp", "-r", str(files), str(theirs)],
        1 / 5, targets=(ours, theirs),
    )  # fmt: skip
    rclone = find_rclone()
    yield Row(
        f"copy, a set over {count:,} files becomes a store", "rclone copy of the files",
        [*NCZ, "copy", "-q", str(joined), str(ours)],
        [rclone, "copy", str(files), str(theirs)] if rclone else None, 1 / 5,
        targets=(ours, theirs),
    )  # fmt: skip


def _months(folder: Path, count: int) -> Row:
    """Return the row of three packed files that are packed again as one store."""
    files, ours, theirs = (folder / name for name in ("months", "months.zarr", "theirs.zarr"))
    make("months", files, count)
    sources = [str(path) for path in sorted(files.iterdir())]
    size = f"{sum(path.stat().st_size for path in files.iterdir()) / 1e6:.0f} MB"
    command = program("xarray_join", "xarray", "dask", "zarr", "netCDF4")
    chunks = f"{min(61, count)}x281x451"  # the pieces of ncz
    return Row(
        f"copy --concat --repack, three classic months of {size}", "xarray with Dask",
        [*NCZ, "copy", "-q", *sources, str(ours), "--concat", "time", "--repack", "short"],
        command and [*command, str(files), str(theirs), chunks], most_seconds=3.0,
        targets=(ours, theirs), told=f"three packed months of {size} joined and packed again",
    )  # fmt: skip
