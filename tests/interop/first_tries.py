"""First lines that people type with a copied file, in each version of Zarr, and failures.

``python -m tests.interop.first_tries [--zarr2 PYTHON]`` copies the files of `tests/corpus` and
prints a table of failures. The record about the default version of copies has it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import xarray as xr
import zarr

import ncz
from tests.conftest import ROOT

CORPUS = ROOT / "tests" / "corpus"
SUFFIXES = (".nc", ".nc4", ".h5", ".hdf5")


def _opened(store: Path) -> xr.Dataset:
    return xr.open_zarr(store, chunks=None)


def shows_the_same(file: Path, store: Path) -> None:
    with xr.open_dataset(file, engine="netcdf4") as expected, _opened(store) as found:
        xr.testing.assert_equal(found.load(), expected.load())


def is_written_again(file: Path, store: Path) -> None:
    with _opened(store) as dataset:
        dataset.to_zarr(store.with_name("again.zarr"), mode="w")


def is_written_as_netcdf(file: Path, store: Path) -> None:
    with _opened(store) as dataset:
        dataset.to_netcdf(store.with_name("again.nc"))


def is_read_by_zarr_python(file: Path, store: Path) -> None:
    def read(group: zarr.Group) -> None:
        for _, array in group.arrays():
            array[...]
        for _, child in group.groups():
            read(child)

    read(zarr.open_group(store, mode="r"))


def becomes_references(file: Path, store: Path) -> None:
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore
    from virtualizarr import open_virtual_dataset
    from virtualizarr.parsers import ZarrParser

    registry = ObjectStoreRegistry({"file://": LocalStore()})
    url = f"file://{store}"
    with open_virtual_dataset(url, parser=ZarrParser(), registry=registry) as dataset:
        dataset.vz.to_kerchunk(str(store.with_name("set.json")), format="json")


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def is_read_by_netcdf4(file: Path, store: Path) -> None:
    _run(
        sys.executable,
        "-c",
        "import netCDF4, sys\n"
        "dataset = netCDF4.Dataset('file://' + sys.argv[1] + '#mode=zarr')\n"
        "assert dataset.variables or dataset.groups\n"
        "for variable in dataset.variables.values(): variable[...]",
        str(store),
    )


def is_printed_by_ncdump(file: Path, store: Path) -> None:
    if "variables:" not in _run("ncdump", f"file://{store}#mode=zarr,file"):
        raise ValueError("there are no variables")


def is_read_by_zarr_python_2(python: str, file: Path, store: Path) -> None:
    script = "import sys, zarr\nfor _, a in zarr.open_group(sys.argv[1], mode='r').arrays(): a[...]"
    _run(python, "-c", script, str(store))


Try = Callable[[Path, Path], None]

TRIES: Mapping[str, Try] = {
    "xarray shows the contents of the file": shows_the_same,
    "`open_zarr(...).to_zarr(...)`": is_written_again,
    "`open_zarr(...).to_netcdf(...)`": is_written_as_netcdf,
    "zarr-python 3 reads every array": is_read_by_zarr_python,
    "VirtualiZarr makes a reference set": becomes_references,
    "netCDF4 (netCDF-C 4.10.1)": is_read_by_netcdf4,
    "ncdump 4.9.0": is_printed_by_ncdump,
}


def failures(file: Path, version: int, tries: Mapping[str, Try]) -> list[str]:
    """Return the tries that fail with the copy of a file in a version of Zarr."""
    failed: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="ncz-"))
    store = folder / "copy.zarr"
    try:
        ncz.copy(file, f"{store}#mode=zarr,v{version}", notify=lambda _: None)
        for name, attempt in tries.items():
            try:
                attempt(file, store)
            except Exception:  # any exception of a program
                failed.append(name)
    finally:
        shutil.rmtree(folder)
    return failed


def main() -> None:
    """Print the table, or the failures of one file as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--zarr2", help="a Python that has zarr-python 2")
    parser.add_argument("--file", type=Path, help="the only file")
    options = parser.parse_args()
    tries = dict(TRIES)
    if options.zarr2 is not None:
        tries["zarr-python 2"] = partial(is_read_by_zarr_python_2, options.zarr2)
    warnings.simplefilter("ignore")
    if options.file is not None:
        sys.stdout.write(json.dumps([failures(options.file, version, tries) for version in (2, 3)]))
        return
    count = 0
    failed: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for file in sorted(path for path in CORPUS.rglob("*") if path.suffix in SUFFIXES):
        # A process for each file: the libraries of some programs end it.
        command = [sys.executable, "-W", "ignore", "-m", __spec__.name, "--file", str(file)]
        command += [] if options.zarr2 is None else ["--zarr2", options.zarr2]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:  # the target cannot represent it, or a program crashed
            sys.stderr.write(f"{file.name}: {done.stderr.strip().splitlines()[-1:]}\n")
            continue
        count += 1
        for counter, names in zip(failed, json.loads(done.stdout), strict=True):
            counter.update(names)
    lines = [f"| first try, {count} files | V2 fails | V3 fails |", "|---|---|---|"]
    lines += [f"| {name} | {failed[0][name]} | {failed[1][name]} |" for name in tries]
    lines.append(f"| all | {failed[0].total()} | {failed[1].total()} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
