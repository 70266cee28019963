"""datetime64 and timedelta64 of every unit: read as xarray's engine for Zarr does, and copied."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import LossError, ignore_notice
from tests.sampled import sampled

zarr = pytest.importorskip("zarr", minversion="3.1", reason="zarr-python 3.1 is not installed")
xr = pytest.importorskip("xarray", reason="the peer xarray is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # zarr-python warns of its data types

UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
CASES = list(itertools.product("Mm", UNITS, (1, 10), (False, True), (2, 3)))
NAT = np.iinfo("i8").min
SHORTER = ("ps", "fs", "as")
"""The units that no other program decodes."""


def store(path: Path, kind: str, unit: str, count: int, *, has_nat: bool, version: int) -> Any:
    """Write a variable of times beside another one, and return the times."""
    dtype = np.dtype(f"{kind}8[{count}{unit}]")
    times = np.array([3, NAT if has_nat else -2, 30], "i8").view(dtype)
    group = zarr.open_group(path, mode="w", zarr_format=version)
    for name, values in (("t", times), ("other", np.arange(1.0, 4.0))):
        names = {"dimension_names": ("x",)} if version == 3 else {}
        array = group.create_array(name, data=values, chunks=(2,), **names)
        if version == 2:
            array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    return times


def seen(dataset: Any) -> Any:
    return dataset["t"].dtype, dataset["t"].values.astype("i8").tolist()


@pytest.mark.parametrize(("kind", "unit", "count", "has_nat", "version"), sampled(CASES, 5))
def test_times_are_those_of_the_engine_for_zarr(kind, unit, count, has_nat, version, tmp_path):
    source = tmp_path / "a.zarr"
    store(source, kind, unit, count, has_nat=has_nat, version=version)
    ours = xr.open_dataset(source, engine="ncz")
    assert ours["other"].values.tolist() == [1, 2, 3]
    try:
        theirs = seen(xr.open_zarr(source, consolidated=False))
    except (ValueError, OverflowError, TypeError):
        return  # xarray refuses some far dates, and then all of the dataset
    assert seen(ours) == theirs


@pytest.mark.parametrize(("kind", "unit", "count", "has_nat", "version"), sampled(CASES, 5))
def test_copies_keep_the_unit_or_are_refused(kind, unit, count, has_nat, version, tmp_path):
    source = tmp_path / "a.zarr"
    times = store(source, kind, unit, count, has_nat=has_nat, version=version)
    for target in ("v2", "v3"):
        copied = tmp_path / f"{target}.zarr"
        ncz.copy(source, copied, modes=["zarr", target], notify=ignore_notice)
        array = zarr.open_array(copied / "t", mode="r")
        assert (array.dtype, array[...].astype("i8").tolist()) == (
            times.dtype,
            times.astype("i8").tolist(),
        )
    numbers = ncz.open(source)["t"][...].tolist()
    for name, modes in (("a.nc", []), ("n.zarr", ["nczarr", "v2"])):
        if unit in SHORTER and kind == "M":
            with pytest.raises(LossError, match="that are not whole nanoseconds"):
                ncz.copy(source, tmp_path / name, modes=modes, notify=ignore_notice)
            continue
        ncz.copy(source, tmp_path / name, modes=modes, notify=ignore_notice)
        assert ncz.open(tmp_path / name)["t"][...].tolist() == numbers
