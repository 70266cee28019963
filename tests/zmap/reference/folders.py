"""Reference sets with values in the folder next to them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

netcdf4 = pytest.importorskip("netCDF4")

WIDTH = 600
LIMIT = 1000
"""Bytes of values that a set contains in these tests, instead of 1 MiB."""

NAMES = ("a.json", "a.json.zst", "a.parq")


def write_days(path: Path, days: Sequence[int]) -> str:
    """Write a file whose chunks of `v` differ from the sets of `make_set`."""
    with netcdf4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", WIDTH)
        file.createVariable("t", "i4", ("t",))[:] = [*days]
        v = file.createVariable("v", "f8", ("t", "x"), chunksizes=(1, WIDTH), zlib=True)
        w = file.createVariable("w", "f8", ("t", "x"), chunksizes=(1, WIDTH))
        v[:] = values_of(days)
        w[:] = values_of(days)
    return str(path)


def values_of(days: Sequence[int]) -> Any:
    """Return the values of some days, which are not compressed well."""
    return np.concatenate([np.random.default_rng(day).random((1, WIDTH)) for day in days])


def make_set(folder: Path, name: str, days: Sequence[int], **options: Any) -> Path:
    """Make a set of a file of days; `v` is stored again, and `w` is not."""
    if name.endswith(".parq") and find_spec("pyarrow") is None:
        pytest.skip("pyarrow is not installed")
    file = write_days(folder / f"days-{name}-{len(days)}.nc", days)
    target = folder / name
    anew = {"chunks": f"v:1,{WIDTH // 2}", "notify": ignore_notice}
    ncz.copy(file, str(target), **{**anew, **options})
    return target


def folder_of(target: Path) -> Path:
    """Return the folder next to a set."""
    return target.with_name(f"{target.name}.chunks")


def files_beside(target: Path) -> list[str]:
    """Return the names of the files in the folder next to a set."""
    folder = folder_of(target)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def assert_days(target: Path, days: Sequence[int]) -> None:
    """Check that ncz reads the values of some days."""
    with ncz.open(target) as dataset:
        assert dataset["t"][:].tolist() == [*days]
        assert np.array_equal(dataset["v"][:], values_of(days))
        assert np.array_equal(dataset["w"][:], values_of(days))
