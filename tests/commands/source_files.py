"""netCDF files that other datasets refer to."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

netcdf4 = pytest.importorskip("netCDF4")


def write(path: Path, number: int) -> None:
    with netcdf4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 500)
        file.createVariable("t", "i4", ("t",))[0] = number
        file.createVariable("v", "f8", ("t", "x"))[0] = np.arange(500) + number


def older(path: Path) -> None:
    """Replace a file by an older one."""
    before = path.stat().st_mtime_ns
    write(path, 7)
    os.utime(path, ns=(0, before - 10**15))


def of_the_same_time(path: Path) -> None:
    """Change values of a file, which keeps its size and its time."""
    before = path.stat().st_mtime_ns
    data = bytearray(path.read_bytes())
    data[16_000:16_008] = bytes(8)
    path.write_bytes(data)
    os.utime(path, ns=(0, before))
