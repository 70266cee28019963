"""The rows of headers: on the local disk, over http, and of programs that do nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.late_server import serving_late
from benchmarks.peers import netcdf, program
from benchmarks.row import NCZ, Limit, Row
from benchmarks.rows.text import url
from benchmarks.scale import Scale


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data."""
    yield Row(
        "ncz --version", 'python -c "import click"', [*NCZ, "--version"],
        [sys.executable, "-c", "import click"], 0.5,
    )  # fmt: skip
    for count, plain, consolidated in ((3, 0.25, None), (2000, 1.3, 2.0)):
        store = folder / "many.zarr"
        make("many", store, count)
        for kind, target in (("", plain), (", consolidated", consolidated)):
            if target is None:
                continue
            if kind:
                subprocess.run([*NCZ, "consolidate", "-q", str(store)], check=True, timeout=600)
            yield Row(
                f"dump -h, {count:,} variables{kind}", "ncdump",
                [*NCZ, "dump", "-h", str(store)], [netcdf("ncdump"), "-h", url(store)], target,
                texts=True,
            )  # fmt: skip
        shutil.rmtree(store)
    yield from _web_rows(folder)


def _web_rows(folder: Path) -> Iterator[Row]:
    """Yield the rows of headers over http, whose server answers late."""
    plain, store, file = folder / "plain.zarr", folder / "web.zarr", folder / "web.nc"
    make("many", plain, 200)
    command = [*NCZ, "copy", "-q", str(plain), f"{store}#mode=nczarr"]  # it names its children
    subprocess.run(command, check=True, timeout=600)
    subprocess.run([*NCZ, "copy", "-q", str(store), str(file)], check=True, timeout=600)
    xarray = program("xarray_header", "xarray", "zarr", "aiohttp")
    h5netcdf = program("h5netcdf_header", "h5netcdf", "fsspec", "aiohttp")
    with serving_late(folder, 0.05) as (web, _):
        for kind, trips in (("", 14), (", consolidated", 2)):
            if kind:
                subprocess.run([*NCZ, "consolidate", "-q", str(store)], check=True, timeout=600)
            place = f"{web}/{store.name}"
            yield Row(
                f"dump -h over http, 50 ms, 200 variables{kind}", "xarray.open_zarr",
                [*NCZ, "dump", "-h", place], xarray and [*xarray, place, kind], 3.0,
                limit=Limit(f"{trips} round trips", seconds=trips * 0.05),
                told=f"header over HTTP, 50 ms away, 200 variables{kind}",
            )  # fmt: skip
    bare = file.with_suffix("")
    file.rename(bare)
    file.symlink_to(bare)
    with serving_late(folder, 0.02) as (web, counted):
        for kind, name in (("", file.name), (", no suffix", bare.name)):
            place = f"{web}/{name}"
            yield Row(
                f"dump -h over http, 20 ms, netCDF-4 of 200 variables{kind}", "h5netcdf",
                [*NCZ, "dump", "-h", place], h5netcdf and [*h5netcdf, place], 1.0,
                requests=(counted, 9),
            )  # fmt: skip
    shutil.rmtree(store)
    file.unlink()
    bare.unlink()
