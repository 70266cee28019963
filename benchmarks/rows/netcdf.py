"""The rows with netCDF-4 files."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.data import make
from benchmarks.peers import netcdf, program
from benchmarks.row import NCZ, Row
from benchmarks.scale import Scale

_KERCHUNK = "NCZ_PEERS_KERCHUNK"
"""The environment variable with the Python of another environment that has kerchunk."""


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows that copy a netCDF-4 file to Zarr and back, and that refer to its chunks."""
    side = scale.side(4 * scale.values)
    store, file = folder / "source.zarr", folder / "source.nc"
    make("field", store, "float", (side, side), (side // 32, side), 0)
    command = [*NCZ, "copy", "-q", "-d", "4", "-s", str(store), str(file)]
    subprocess.run(command, check=True, timeout=600)
    shutil.rmtree(store)
    ours, theirs, other = folder / "ours.zarr", folder / "theirs.zarr", folder / "theirs.nc"
    copying = [*NCZ, "copy", str(file), str(ours)]
    work = f"copy, netCDF-4 of {side * side * 4 / 1e6:.0f} MB to Zarr"
    yield Row(
        work, "nccopy, netCDF-4", copying, [netcdf("nccopy"), str(file), str(other)], 2.0,
        targets=(ours, other), verify=True,
    )  # fmt: skip
    xarray = program("xarray_to_zarr", "xarray", "zarr", "netCDF4")
    if xarray is not None:
        command = [*xarray, str(file), str(theirs)]
        told = f"netCDF-4 of {side * side * 4 / 1e6:.0f} MB to Zarr"
        yield Row(work, "xarray", copying, command, 10.0, targets=(ours, theirs), told=told)
    cp = ["cp", str(file), str(other)]
    yield Row(work, "cp", copying, cp, 0.5, targets=(ours, other))
    yield from _to_netcdf(file, folder)
    file.unlink()
    yield from _contiguous(folder, scale)
    yield from _beside_cp(folder, scale)
    yield from _references(folder, scale)


def _to_netcdf(file: Path, folder: Path) -> Iterator[Row]:
    """Yield the rows of a copy back to netCDF-4."""
    store, ours, theirs = folder / "source.zarr", folder / "ours.nc", folder / "theirs.nc"
    subprocess.run([*NCZ, "copy", "-q", str(file), str(store)], check=True, timeout=600)
    copying = [*NCZ, "copy", str(store), str(ours)]
    nccopy = [netcdf("nccopy"), str(file), str(theirs)]
    work = "copy, Zarr to netCDF-4"
    yield Row(work, "nccopy, netCDF-4", copying, nccopy, 2.0, targets=(ours, theirs), verify=True)
    xarray = program("xarray_to_netcdf", "xarray", "zarr", "netCDF4")
    if xarray is not None:
        command = [*xarray, str(store), str(theirs)]
        told = "the same back to netCDF-4"
        yield Row(work, "xarray", copying, command, 10.0, targets=(ours, theirs), told=told)
    cp = ["cp", "-r", str(store), str(folder / "theirs.zarr")]
    yield Row(work, "cp -r", copying, cp, 0.5, targets=(ours, folder / "theirs.zarr"))
    shutil.rmtree(store)


def _contiguous(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows of files that are not divided into chunks, whose zeros take no space."""
    import h5py
    import netCDF4

    shape, store = (scale.count(750), 1000, 1000), folder / "ours.zarr"
    size = f"{shape[0] * 4 / 1000:g} GB"
    contiguous, classic = folder / "contiguous.nc", folder / "classic.nc"
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    created.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    created.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    with h5py.File(contiguous, "w") as file:
        space = h5py.h5s.create_simple(shape)
        h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F32LE, space, created)
    with netCDF4.Dataset(classic, "w", format="NETCDF3_64BIT_DATA") as dataset:
        dataset.set_fill_off()
        for name, length in zip("tyx", shape, strict=True):
            dataset.createDimension(name, length)
        dataset.createVariable("v", "f4", ("t", "y", "x"))[-1, -1, -1] = 0
    for kind, source in (("contiguous netCDF-4", contiguous), ("CDF-5", classic)):
        command = [*NCZ, "copy", str(source), str(store)]
        yield Row(f"copy, {kind} of {size} to Zarr", "", command, most_memory=160, targets=(store,))
        source.unlink()


def _beside_cp(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows of copies that are so large that start-up counts little."""
    file, store = folder / "large.nc", folder / "large.zarr"
    count = scale.count(1000)
    _make_large_chunks(file, count)
    subprocess.run([*NCZ, "copy", "-q", str(file), str(store)], check=True, timeout=600)
    size = f"{count / 1000:g} GB of chunks"
    to_zarr, to_netcdf = folder / "ours.zarr", folder / "ours.nc"
    for work, source, target, copied, cp in (
        (f"copy, netCDF-4 to Zarr, {size}", file, to_zarr, file, ["cp"]),
        (f"copy, netCDF-4 to Zarr, {size}", file, to_zarr, store, ["cp", "-r"]),
        (f"copy, Zarr to netCDF-4, {size}", store, to_netcdf, store, ["cp", "-r"]),
    ):
        theirs = folder / f"theirs{copied.suffix}"
        peer = " ".join(cp) + (" of the result" if copied is not source else "")
        yield Row(
            work, peer, [*NCZ, "copy", str(source), str(target)],
            [*cp, str(copied), str(theirs)], 0.5, targets=(target, theirs), many_files=True,
        )  # fmt: skip
    shutil.rmtree(store)
    file.unlink()


def _make_large_chunks(file: Path, count: int) -> None:
    """Write a netCDF-4 file with `count` chunks of 1 MiB of random numbers, with two filters."""
    import h5py
    import numpy as np

    side = 512
    elements = np.random.default_rng(0).integers(0, 256, (side * side, 4), "u1")
    data = zlib.compress(elements.T.tobytes(), 1)
    with h5py.File(file, "w") as root:
        v = root.create_dataset(
            "v", (count * side, side), "f4", chunks=(side, side), shuffle=True,
            compression="gzip", compression_opts=1,
        )  # fmt: skip
        for index in range(count):
            v.id.write_direct_chunk((index * side, 0), data)
        _attach(root, v, "yx", (count * side, side))


def _references(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows that refer to the chunks of a netCDF-4 file."""
    command = program("kerchunk_set", "kerchunk", "h5py", "pyarrow")
    if _KERCHUNK in os.environ:
        script = Path(__file__).parents[1] / "programs" / "kerchunk_set.py"
        command = [os.environ[_KERCHUNK], str(script)]
    if command is None:
        return
    many, chunks = folder / "many.nc", scale.count(100_000)
    _make_many_chunks(many, chunks)
    for layout in ("json", "parquet"):
        ours, theirs = folder / f"ours.{layout}", folder / f"theirs.{layout}"
        yield Row(
            f"copy, {chunks:,} references as {layout}", "kerchunk",
            [*NCZ, "copy", str(many), str(ours), "--mode", "reference"],
            [*command, str(many), str(theirs)], 3.0, targets=(ours, theirs),
            told=f"{chunks:,} references to chunks, as {layout}",
        )  # fmt: skip
    many.unlink()


def _make_many_chunks(file: Path, count: int) -> None:
    """Write a netCDF-4 file with `count` chunks, each too large to be inlined."""
    import h5py
    import numpy as np

    data = np.random.default_rng(0).integers(0, 256, 600, "u1").tobytes()
    with h5py.File(file, "w") as root:
        v = root.create_dataset("v", (count, 600), "u1", chunks=(1, 600))
        for index in range(count):
            v.id.write_direct_chunk((index, 0), data)
        _attach(root, v, "tx", (count, 600))


def _attach(root: Any, variable: Any, names: str, lengths: tuple[int, int]) -> None:
    """Create the coordinate variables of a variable."""
    import numpy as np

    for axis, (name, length) in enumerate(zip(names, lengths, strict=True)):
        root[name] = np.arange(length)
        root[name].make_scale(name)
        variable.dims[axis].attach_scale(root[name])
