"""The rows that print and parse CDL."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import MASKED, ROUNDED, SMALL, make
from benchmarks.measure import measure
from benchmarks.peers import netcdf
from benchmarks.row import NCZ, Row
from benchmarks.scale import Scale

_DUMP = {
    "float": ("float of full precision", 5.0, 2.5),
    ROUNDED: ("float with two decimals", 6.0, 2.5),
    SMALL: ("float with exponents", 2.5, 1.5),
    MASKED: ("float, half of it missing", 2.5, 1.5),
    "double": ("double of full precision", 5.0, 2.0),
    "int": ("int", 3.0, 1.5),
}
"""The name of each kind of data, and the targets with two processes, and with one."""

_GEN = {"float": 8.0, ROUNDED: 5.0, SMALL: 2.5, MASKED: 3.0, "double": 5.0, "int": 8.0}


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data."""
    side = scale.side(scale.values)  # whole chunks; netCDF-C 4.9.0 can crash on partial ones
    shape, chunks = (side, side), (side // 16, side)
    for name, (words, two, one) in _DUMP.items():
        store = folder / f"{name}0.zarr"
        make("field", store, name, shape, chunks, 0)
        # netCDF-C does not see the fill value of a pure store.
        read = as_netcdf(store) if name == MASKED else url(store)
        for jobs, target in ((2, two), (1, one)):
            yield Row(
                f"dump, {side * side:,} {words}, {'one process' if jobs == 1 else 'two processes'}",
                "ncdump", [*NCZ, "dump", "-j", str(jobs), str(store)],
                [netcdf("ncdump"), read], target, texts=True,
                told=f"print {side * side / 1e6:.0f} million values, {words}" if jobs == 2 else "",
            )  # fmt: skip
    packed = folder / "packed.zarr"
    make("field", packed, "float", shape, chunks, 5)
    yield Row(
        f"dump, {side * side:,} float, zlib 5", "ncdump, netCDF-4",
        [*NCZ, "dump", str(packed)], [netcdf("ncdump"), as_netcdf(packed)], 4.0, texts=True,
    )  # fmt: skip
    shutil.rmtree(packed)
    for name, target in _GEN.items():
        text = folder / f"{name}.cdl"
        measure([*NCZ, "dump", str(folder / f"{name}0.zarr")], text)
        made, theirs = folder / "gen.zarr", folder / "gen.nc"
        yield Row(
            f"gen, {text.stat().st_size / 1e6:.0f} MB of CDL, {_DUMP[name][0]}", "ncgen",
            [*NCZ, "gen", str(text), "-o", str(made)],
            [netcdf("ncgen"), "-4", "-o", str(theirs), str(text)], target, 0.1,
            targets=(made, theirs),
            told=f"{text.stat().st_size / 1e6:.0f} MB of CDL to a store, {_DUMP[name][0]}",
        )  # fmt: skip
        text.unlink()
        shutil.rmtree(folder / f"{name}0.zarr")
    yield from _list_rows(folder, scale)
    if scale.tenth:
        return
    vast = folder / "vast.zarr"
    make("field", vast, "float", (500, 1000, 1000), (1, 1000, 1000), 1)
    yield Row("dump of 2 GB", "", [*NCZ, "dump", str(vast)], most_memory=300)
    shutil.rmtree(vast)


_LISTS = {
    "char": ("texts of char", 5.0, 1.0),
    "string": ("strings", 0.5, 2.0),
    "int64": ("int64", 1.0, 3.0),
}
"""The data of a netCDF-4 file, and the targets of dump, with one process, and of gen."""


def _list_rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows of lists of names and of large integers."""
    count = scale.values // 10
    for kind, (words, printed, parsed) in _LISTS.items():
        file, text = folder / f"{kind}.nc", folder / f"{kind}.cdl"
        make("list", file, kind, count)
        yield Row(
            f"dump, {count:,} {words}", "ncdump", [*NCZ, "dump", "-j", "1", str(file)],
            [netcdf("ncdump"), str(file)], printed, texts=True, told=f"print {count:,} {words}",
        )  # fmt: skip
        measure([*NCZ, "dump", str(file)], text)
        made, theirs = folder / "gen.zarr", folder / "gen.nc"
        yield Row(
            f"gen, {text.stat().st_size / 1e6:.0f} MB of CDL, {words}", "ncgen",
            [*NCZ, "gen", str(text), "-o", str(made)],
            [netcdf("ncgen"), "-4", "-o", str(theirs), str(text)], parsed,
            targets=(made, theirs),
        )  # fmt: skip
        file.unlink()
        text.unlink()


def as_netcdf(store: Path) -> str:
    """Return the same data as a netCDF-4 file; netCDF-C 4.9.0 crashes on compressed Zarr."""
    file = store.with_suffix(".nc")
    if shutil.which(netcdf("ncdump")):
        subprocess.run([*NCZ, "copy", "-q", str(store), str(file)], check=True, timeout=600)
    return str(file)


def url(store: Path) -> str:
    """Return the URL of a directory store for netCDF-C."""
    return f"file://{store}#mode=zarr,file"
