"""The rows of very many small variables, and of very many small chunks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.measure import measure
from benchmarks.peers import netcdf
from benchmarks.row import NCZ, Row
from benchmarks.scale import Scale

_EACH = {"info --stats": 20.0, "to zip": 30.0, "to netCDF-4": 20.0, "rechunk": 30.0, "dump": 20.0}
"""The most microseconds of each chunk."""


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data."""
    yield from _variables(folder, scale.count(5000))
    yield from _chunks(folder, scale.count(300_000))


def _variables(folder: Path, count: int) -> Iterator[Row]:
    """Yield the rows of a dataset of `count` variables of ten values."""
    store, file, text = folder / "many.zarr", folder / "many.nc", folder / "many.cdl"
    make("many", store, count)
    subprocess.run([*NCZ, "copy", "-q", str(store), str(file)], check=True, timeout=600)
    measure([*NCZ, "dump", str(file)], text)
    header = folder / "header.nc"
    fewer = folder / "fewer.zarr"
    make("many", fewer, count * 2 // 5)
    subprocess.run([*NCZ, "copy", "-q", str(fewer), str(header)], check=True, timeout=600)
    for number, path, ratio in ((count * 2 // 5, header, 1.2), (count, file, 2.0)):
        yield Row(
            f"dump -h, netCDF-4, {number:,} variables", "ncdump",
            [*NCZ, "dump", "-h", str(path)], [netcdf("ncdump"), "-h", str(path)], ratio,
            texts=True, told=f"header of a netCDF-4 file of {number:,} variables",
        )  # fmt: skip
    ours, theirs = folder / "ours.zarr", folder / "theirs.zarr"
    made, other = folder / "ours.nc", folder / "theirs.nc"
    nczarr = f"file://{theirs}#mode=nczarr,file"
    yield Row(
        f"copy, {count:,} variables, netCDF-4 to NCZarr", "nccopy",
        [*NCZ, "copy", str(file), f"{ours}#mode=nczarr"], [netcdf("nccopy"), str(file), nczarr],
        1.0, targets=(ours, theirs), many_files=True,
        told=f"{count:,} small variables, netCDF-4 to NCZarr",
    )  # fmt: skip
    yield Row(
        f"copy, {count:,} variables, Zarr to netCDF-4", "nccopy, netCDF-4",
        [*NCZ, "copy", str(store), str(made)], [netcdf("nccopy"), str(file), str(other)],
        most_memory=150, targets=(made, other),
    )  # fmt: skip
    ncgen = [netcdf("ncgen"), "-4", "-o", str(other), str(text)]
    for kind, target in (("NCZarr", ours), ("netCDF-4", made)):
        yield Row(
            f"gen, {count:,} variables, {kind}", "ncgen, netCDF-4",
            [*NCZ, "gen", str(text), "-o", str(target)], ncgen, 2.2, targets=(target, other),
            many_files=True,
        )  # fmt: skip
    for path in (store, fewer):
        shutil.rmtree(path)
    for path in (file, header, text):
        path.unlink()


def _chunks(folder: Path, count: int) -> Iterator[Row]:
    """Yield the rows of a variable of `count` chunks of 64 bytes."""
    store, ours = folder / "chunks.zarr", folder / "ours.zarr"
    make("field", store, "float", (count * 16,), (16,), 0)
    commands: dict[str, tuple[list[str], Path | None]] = {
        "info --stats": (["info", "--stats", str(store)], None),
        "to zip": (["copy", str(store), str(folder / "ours.zip")], folder / "ours.zip"),
        "to netCDF-4": (["copy", str(store), str(folder / "ours.nc")], folder / "ours.nc"),
        "rechunk": (["copy", "-c", f"d0/{count}", str(store), str(ours)], ours),
        "dump": (["dump", str(store)], None),
    }
    for work, (command, target) in commands.items():
        yield Row(
            f"{count:,} chunks of 64 bytes, {work}", "", [*NCZ, *command],
            targets=() if target is None else (target,), each=(count, "chunk", _EACH[work]),
        )  # fmt: skip
    shutil.rmtree(store)
