"""Coordinates that are stored in a chunk for each record, in copies and joins."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.sampled import paired

netcdf4 = pytest.importorskip("netCDF4")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, start: int, count: int) -> str:
    """Write a file whose variables have a chunk for each time, as models write them."""
    with netcdf4.Dataset(name, "w") as file:
        file.createDimension("time", None)
        file.createDimension("nv", 2)
        file.createDimension("x", 100)
        time = file.createVariable("time", "f8", ("time",), chunksizes=(1,))
        time.units = "hours since 2000-01-01"
        bounds = file.createVariable("time_bnds", "f8", ("time", "nv"), chunksizes=(1, 2))
        v = file.createVariable("v", "f4", ("time", "x"), chunksizes=(1, 100), zlib=True)
        time[:] = np.arange(start, start + count)
        bounds[:] = np.arange(start, start + count)[:, None] + [0, 1]
        v[:] = np.arange(start, start + count)[:, None] + np.zeros(100)
    return name


def chunks(store: str, name: str) -> Any:
    return ncz.open(store)[name].chunks


def opened(store: str) -> list[float]:
    dataset = ncz.open(store)
    assert (dataset["time_bnds"][:, 1] == dataset["time"][:] + 1).all()
    assert (dataset["v"][:, 7] == dataset["time"][:]).all()
    return [float(time) for time in dataset["time"][:]]


def test_a_copy_has_them_together():
    write("a.nc", 0, 200)
    ncz.copy("a.nc", "a.zarr", verify=True, notify=ignore_notice)
    assert (chunks("a.zarr", "time"), chunks("a.zarr", "time_bnds")) == ((200,), (200, 2))
    assert chunks("a.zarr", "v") == (1, 100)
    assert opened("a.zarr") == list(range(200))


def test_lengths_that_are_chosen_hold():
    write("a.nc", 0, 200)
    ncz.copy("a.nc", "a.zarr", chunks=["time/50", "time:10"], notify=ignore_notice)
    assert chunks("a.zarr", "v") == (50, 100)
    assert chunks("a.zarr", "time") == (10,)
    ncz.copy("a.nc", "b.zarr", chunks="time/50", notify=ignore_notice)
    assert chunks("b.zarr", "time") == (200,)


@pytest.mark.parametrize("target", ["all.zarr", "all.nc", "all.json"])
def test_a_join_has_them_together(target):
    names = [write(f"{n}.nc", 10 * n, 10) for n in range(5)]
    inline = 0 if target == "all.json" else None
    ncz.copy(names, target, concat="time", inline=inline, notify=ignore_notice)
    assert chunks(target, "time") == (50,)
    assert opened(target) == list(range(50))
    if target == "all.json":
        references = json.loads(Path(target).read_text())["refs"]
        assert sum(isinstance(entry, list) for entry in references.values()) == 50  # of v alone


def test_stores_that_others_have_made_so_are_joined_together():
    for name, start in (("a.zarr", 0), ("b.zarr", 20)):
        write("a.nc", start, 20)
        ncz.copy("a.nc", name, chunks="time:1", notify=ignore_notice)
        assert len([n for n in os.listdir(f"{name}/time") if n[0] != "."]) == 20
    ncz.copy("a.zarr", "again.zarr", notify=ignore_notice)
    assert chunks("again.zarr", "time") == (1,)  # unchanged
    ncz.copy(["a.zarr", "b.zarr"], "all.zarr", concat="time", notify=ignore_notice)
    assert chunks("all.zarr", "time") == (40,)
    assert opened("all.zarr") == list(range(40))


def test_few_records_and_files_do_not_change():
    write("a.nc", 0, 12)
    ncz.copy("a.nc", "a.zarr", notify=ignore_notice)
    assert chunks("a.zarr", "time") == (1,)
    write("b.nc", 0, 200)
    ncz.copy("b.nc", "c.nc", notify=ignore_notice)
    assert chunks("c.nc", "time") == (1,)


def classic(name: str, count: int, width: int = 12) -> str:
    """Write a file of records of some variables, which are interleaved."""
    with netcdf4.Dataset(name, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time", None)
        file.createDimension("n", width)
        file.createDimension("x", 400)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2000-01-01"
        names = file.createVariable("names", "S1", ("time", "n"))
        small = file.createVariable("small", "i2", ("time",))
        v = file.createVariable("v", "f4", ("time", "x"))
        time[:] = np.arange(count)
        small[:] = np.arange(count) % 1000
        texts = np.char.mod(f"%0{width}d", np.arange(count)).astype(f"S{width}")
        names[:] = texts.view("S1").reshape(count, width)
        v[:] = np.arange(count)[:, None] + np.zeros(400)
    return name


def keys_of(store: str, name: str) -> int:
    found = ncz.ls(store, name, kinds="chunk", recursive=True, long=True)
    return sum(each.size is not None for each in found)


@pytest.mark.parametrize(
    ("target", "form"), paired(["a.json", "a.parq", "a.icechunk"], ["joined", "one"])
)
def test_small_records_of_a_classic_file_are_few_keys(target: str, form: str):
    pytest.importorskip("pyarrow" if target == "a.parq" else "icechunk")
    names = [classic("a.nc", 50)]
    options: dict[str, Any] = {}
    if form == "joined":
        options = {"concat": "time", "overlap": "keep"}
        names.append(classic("b.nc", 50))
    if target == "a.icechunk":
        options["modes"] = ("reference",)
    ncz.copy(names, target, notify=ignore_notice, verify=True, **options)
    count = 50 * len(names)
    for name in ("time", "names", "small"):
        assert keys_of(target, name) == 1
    assert keys_of(target, "v") == count
    wanted = [*range(50)] * len(names)
    assert ncz.open(target)["time"][:].tolist() == wanted
    assert ncz.open(target)["v"][:, 9].tolist() == wanted


def test_records_that_take_less_than_references_are_held():
    classic("a.nc", 3000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ncz.commands.references.LARGEST_HELD", 1 << 12)
        patch.setattr("ncz.commands.copy.records.LARGEST_HELD", 1 << 12)
        patch.setattr("ncz.commands.copy.records._LARGEST_CHUNK", 1 << 12)
        ncz.copy("a.nc", "a.json", verify=True, notify=ignore_notice)
    assert 1 < keys_of("a.json", "time") < 10
    assert keys_of("a.json", "v") == 3000


def test_a_set_that_holds_nothing_refers_to_each_record():
    classic("a.nc", 50)
    ncz.copy("a.nc", "a.json", inline=0, verify=True, notify=ignore_notice)
    assert keys_of("a.json", "time") == 50
