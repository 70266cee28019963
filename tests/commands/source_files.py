"""netCDF files to which other datasets refer."""

from __future__ import annotations

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
