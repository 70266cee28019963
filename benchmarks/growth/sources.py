"""Any number of sources that follow each other in time: netCDF files of two kinds, and stores."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

_TIME, _SCALE = 123456.75, 0.0078125
"""Values that nothing else in a file has."""

_TEXT = f"""netcdf day {{ dimensions: t = UNLIMITED ; x = 4 ;
variables: double t(t) ; t:units = "days since 2000-01-01" ; float x(x) ; float v(t, x) ;
short p(t, x) ; p:scale_factor = {_SCALE} ; p:add_offset = 1. ;
data: t = {_TIME} ; x = 1, 2, 3, 4 ; v = 1, 2, 3, 4 ; p = 1, 2, 3, 4 ; }}
"""

Run = Callable[[str], object]
"""A function that runs a command line of ncz."""


def make(folder: Path, count: int, run: Run, command: str | None = None) -> dict[str, list[str]]:
    """Create `count` sources in each form, and the joined dataset; return the paths by name.

    With a command, only its inputs are created.
    """
    (folder / "day.cdl").write_text(_TEXT)
    run(f"gen -q -k netCDF-4 {folder}/day.cdl -o {folder}/day.nc")
    run(f"gen -q -k cdf5 {folder}/day.cdl -o {folder}/day.cdf")
    run(f"copy -q {folder}/day.nc {folder}/day.zarr")
    _store(folder, "first.zarr", 0)
    days = range(1, count + 1)
    nc, cdf = folder / "day.nc", folder / "day.cdf"
    found = {"folder": [str(folder)], "last": [str(cdf)]}
    found["ncs"] = [_patched(nc, folder / f"ncs/{day:06}.nc", "<", day) for day in days]
    joined = " ".join(found["ncs"])
    made: dict[str, Callable[[], list[str]]] = {
        "classics": lambda: [
            _patched(cdf, folder / f"cdfs/{day:06}.cdf", ">", day) for day in days
        ],
        "packed": lambda: [
            _patched(cdf, folder / f"packed/{day:06}.cdf", ">", day, 1 + day / 7) for day in days
        ],
        "alike": lambda: [_patched(cdf, folder / f"alike/{day:06}.cdf", ">", 1) for day in days],
        "stores": lambda: [_store(folder, f"stores/{day:06}.zarr", day) for day in days],
        "zarr": lambda: _joined(folder / "s.zarr", run, f"copy -q --concat t {joined} {{}} -c t/1"),
        "refs": lambda: _joined(
            folder / "s.json", run, f"copy -q --concat t {joined} {{}} --mode reference"
        ),
        "nca": lambda: _joined(folder / "all.nca", run, f"aggregate -q {{}} {joined} --axis t"),
    }
    other = {"changed": "zarr", "master": "nca", "removed": "stores", "folder": "stores"}
    for name, make_one in made.items():
        asked = [name, *(each for each, of in other.items() if of == name)]
        if command is None or any(f"{{{each}}}" in command for each in asked):
            found[name] = make_one()
    return found


def _joined(target: Path, run: Run, line: str) -> list[str]:
    run(line.format(target))
    return [str(target)]


def _patched(source: Path, target: Path, order: str, day: float, scale: float = _SCALE) -> str:
    """Write a copy of a file with another time, and perhaps with another scale of packed values."""
    data = source.read_bytes()
    for old, new in ((_TIME, day), (_SCALE, scale)):
        before = struct.pack(f"{order}d", old)
        assert data.count(before) == 1
        data = data.replace(before, struct.pack(f"{order}d", new))
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(data)
    return str(target)


def _store(folder: Path, name: str, day: float) -> str:
    """Write a copy of the store of one day with another time."""
    target = folder / name
    shutil.copytree(folder / "day.zarr", target)
    chunk = target / "t" / "0"
    before, after = (struct.pack("<d", each) for each in (_TIME, day))
    chunk.write_bytes(chunk.read_bytes().replace(before, after))
    return str(target)
