"""Archives of files that follow each other, in each form that refers to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.record import record

netcdf4 = pytest.importorskip("netCDF4")

WIDTH = 5000


@record(kw_only=True)
class Form:
    """A form of archives: its name, and how files become one."""

    name: str
    modes: tuple[str, ...] = ()
    master: Literal["cfa", "cf"] | None = None
    package: str | None = None

    def join(self, files: Sequence[str], target: Path) -> Path:
        """Join files; return the archive. Skip the test without a package that it needs."""
        if self.package is not None and find_spec(self.package) is None:
            pytest.skip(f"{self.package} is not installed")
        place = target / self.name
        if self.master is not None:
            ncz.aggregate([*files], str(place), axis="t", mode=self.master, notify=ignore_notice)
        else:
            ncz.copy([*files], str(place), concat="t", modes=self.modes, notify=ignore_notice)
        return place


def tells_places() -> bool:
    """Return whether icechunk, if it is installed, reports which file contains a chunk."""
    if find_spec("icechunk") is None:
        return False
    import icechunk

    return hasattr(icechunk.IcechunkStore, "array_chunk_iterator")


FORMS = (
    Form(name="a.json"),
    Form(name="a.parq", package="pyarrow"),
    Form(name="a.icechunk", modes=("reference",), package="icechunk"),
    Form(name="a.nca", master="cfa"),
    Form(name="m.zarr", master="cf"),
)


def write_day(path: Path, days: Sequence[int], values: Mapping[int, float] | None = None) -> str:
    """Write a netCDF-4 file with a chunk for each day, which is not compressed."""
    path.parent.mkdir(exist_ok=True, parents=True)
    with netcdf4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", WIDTH)
        file.createVariable("t", "i4", ("t",))[:] = [*days]
        file.createVariable("x", "i4", ("x",))[:] = np.arange(WIDTH)
        v = file.createVariable("v", "f8", ("t", "x"), chunksizes=(1, WIDTH))
        for number, day in enumerate(days):
            v[number] = np.arange(WIDTH) + (values or {}).get(day, day)
    return str(path)
