"""The rows that print and parse CDL."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.measure import measure
from benchmarks.row import NCZ, Row
from benchmarks.scale import Scale

_DUMP = {"float": (5.0, 2.5), "double": (4.0, 2.0), "int": (3.0, 1.5)}
"""Target for each type with two processes, and with one."""

_GEN = {"float": 5.0, "double": 5.0, "int": 8.0}


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data."""
    side = scale.side(scale.values)  # whole chunks; netCDF-C 4.9.0 can crash on partial ones
    shape, chunks = (side, side), (side // 16, side)
    for name, (two, one) in _DUMP.items():
        store = folder / f"{name}0.zarr"
        make("field", store, name, shape, chunks, 0)
        for jobs, target in ((2, two), (1, one)):
            yield Row(
                f"dump, {side * side:,} {name}, {'one process' if jobs == 1 else 'two processes'}",
                "ncdump", [*NCZ, "dump", "-j", str(jobs), str(store)], ["ncdump", url(store)],
                target, texts=True,
            )  # fmt: skip
    packed = folder / "packed.zarr"
    make("field", packed, "float", shape, chunks, 5)
    yield Row(
        f"dump, {side * side:,} float, zlib 5", "ncdump, netCDF-4",
        [*NCZ, "dump", str(packed)], ["ncdump", as_netcdf(packed)], 4.0, texts=True,
    )  # fmt: skip
    shutil.rmtree(packed)
    for name, target in _GEN.items():
        text = folder / f"{name}.cdl"
        measure([*NCZ, "dump", str(folder / f"{name}0.zarr")], text)
        made, theirs = folder / "gen.zarr", folder / "gen.nc"
        yield Row(
            f"gen, {text.stat().st_size / 1e6:.0f} MB of CDL, {name}", "ncgen",
            [*NCZ, "gen", str(text), "-o", str(made)],
            ["ncgen", "-4", "-o", str(theirs), str(text)], target, 0.1, targets=(made, theirs),
        )  # fmt: skip
        text.unlink()
        shutil.rmtree(folder / f"{name}0.zarr")
    if scale.tenth:
        return
    vast = folder / "vast.zarr"
    make("field", vast, "float", (500, 1000, 1000), (1, 1000, 1000), 1)
    yield Row("dump of 2 GB", "", [*NCZ, "dump", str(vast)], most_memory=300)
    shutil.rmtree(vast)


def as_netcdf(store: Path) -> str:
    """Return the same data as a netCDF-4 file; netCDF-C 4.9.0 crashes on compressed Zarr."""
    file = store.with_suffix(".nc")
    if shutil.which("ncdump"):
        subprocess.run([*NCZ, "copy", "-q", str(store), str(file)], check=True, timeout=600)
    return str(file)


def url(store: Path) -> str:
    """Return the URL of a directory store for netCDF-C."""
    return f"file://{store}#mode=zarr,file"
