"""datetime64 and timedelta64 of every unit: read as xarray's engine for Zarr does, and copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import LossError, ignore_notice
from tests.sampled import pairs, sampled

zarr = pytest.importorskip("zarr", minversion="3.1", reason="zarr-python 3.1 is not installed")
xr = pytest.importorskip("xarray", reason="the peer xarray is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # zarr-python warns of its data types

UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
CASES = pairs("Mm", UNITS, (1, 10), (False, True), (2, 3))
NAT = np.iinfo("i8").min
SHORTER = ("ps", "fs", "as")
"""The units that no other program decodes."""


def store(path: Path, kind: str, unit: str, count: int, *, has_nat: bool, version: int) -> Any:
    """Write a variable of times next to another one, and return the times."""
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


@pytest.mark.parametrize(("kind", "unit", "count", "has_nat", "version"), CASES)
def test_times_match_the_engine_for_zarr(kind, unit, count, has_nat, version, tmp_path):
    source = tmp_path / "a.zarr"
    store(source, kind, unit, count, has_nat=has_nat, version=version)
    ours = xr.open_dataset(source, engine="ncz")
    assert ours["other"].values.tolist() == [1, 2, 3]
    try:
        theirs = seen(xr.open_zarr(source, consolidated=False, chunks=None))
    except (ValueError, OverflowError, TypeError):
        return  # xarray refuses some far dates, and then all of the dataset
    assert seen(ours) == theirs


@pytest.mark.parametrize(("kind", "unit", "count", "has_nat", "version"), CASES)
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


TARGETS: dict[str, dict[str, Any]] = {
    "default.zarr": {},
    "cloud.zarr": {"cloud": True},
    "v2.zarr": {"modes": ["zarr", "v2"]},
    "v3.zarr": {"modes": ["zarr", "v3"]},
    "nczarr2.zarr": {"modes": ["nczarr", "v2"]},
    "nczarr3.zarr": {"modes": ["nczarr", "v3"]},
    "zip.zip": {},
    "netcdf4.nc": {},
    "cdf5.nc": {"kind": "cdf5"},
    "classic.nc": {"kind": "classic"},
    "set.json": {},
    "repository": {"modes": ["icechunk"]},
}
KINDS = {"plain": (3, 2, 30), "not-a-time": (3, NAT, 30), "before-1970": (3, -2, 30)}
FAR = {"Y": 3000, "M": 36_000, "W": 150_000, "D": 1_100_000, "h": 26_000_000, "m": 1_600_000_000}
"""Elements about 3,000 years after 1970, in common units for such dates."""
COUNTS = {"plain": 1, "not-a-time": 7, "before-1970": 25, "far": 1}
MATRIX = [
    *pairs(TARGETS, "Mm", UNITS, KINDS, (2, 3)),
    *((target, "M", *each) for target, *each in pairs(TARGETS, FAR, ["far"], (2, 3))),
]


def opened(path: Path) -> Any:
    """Open a target with the engine of xarray for it, as the engine finds the variables.

    Without Dask, which decodes each chunk separately: xarray 2026.9 gives dates of cftime in one
    chunk, and integers in another whose dates are near.
    """
    match path.suffix:
        case ".nc":
            return xr.open_dataset(path, engine="netcdf4")
        case ".json":
            pytest.importorskip("kerchunk", reason="the peer kerchunk is not installed")
            return xr.open_dataset(str(path), engine="kerchunk")
        case ".zip":
            return xr.open_zarr(
                zarr.storage.ZipStore(path, mode="r"), consolidated=False, chunks=None
            )
        case "":
            icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed")
            storage = icechunk.local_filesystem_storage(str(path))
            store = icechunk.Repository.open(storage).readonly_session("main").store
            return xr.open_zarr(store, consolidated=False, chunks=None)
    return xr.open_zarr(path, consolidated=False, chunks=None)


def moments(values: Any) -> list[Any]:
    """Return times without their resolution, as times of numpy; dates of cftime are converted."""
    return [
        each
        if isinstance(each, (np.datetime64, np.timedelta64))
        else np.datetime64(each.isoformat())
        for each in values
    ]


@pytest.mark.parametrize(("target", "kind", "unit", "values", "version"), sampled(MATRIX, 7))
def test_every_target_has_the_same_times_or_a_notice(target, kind, unit, values, version, tmp_path):
    numbers = KINDS.get(values) or (3, FAR[unit], 30)
    times = np.array(numbers, "i8").view(f"{kind}8[{COUNTS[values]}{unit}]")
    source, copied = tmp_path / "a.zarr", tmp_path / target
    told: list[ncz.Notice] = []
    group = zarr.open_group(source, mode="w", zarr_format=version)
    names = {"dimension_names": ("x",)} if version == 3 else {}
    array = group.create_array("t", data=times, chunks=(2,), **names)
    if version == 2:
        array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    is_file = target.startswith(("nczarr", "netcdf4", "cdf5", "classic"))
    if target == "classic.nc" or (is_file and kind == "M" and unit in SHORTER):
        with pytest.raises(LossError, match=r"int64|that are not whole nanoseconds"):
            ncz.copy(source, copied, notify=told.append, **TARGETS[target])
        assert not copied.exists()
        return
    ncz.copy(source, copied, notify=told.append, **TARGETS[target])
    whole = ncz.open(source)["t"][...].tolist()
    assert ncz.open(copied)["t"][...].tolist() == whole
    said = {notice.code for notice in told}
    if target == "set.json" and version == 3:
        assert any("does not read a set in the form of Zarr V3" in n.message for n in told)
        return
    theirs = opened(copied)["t"].values
    if "times-as-numbers" in said:
        shown = [float("nan") if n == NAT else float(n) for n in whole]
        np.testing.assert_array_equal(theirs, shown)
        return
    np.testing.assert_array_equal(moments(theirs), moments(opened(source)["t"].values))
