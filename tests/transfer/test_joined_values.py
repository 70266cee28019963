"""Arrays that are joined raw: the common properties of their chunks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from ncz.formats.opening import open_dataset
from ncz.transfer.joined_chunks import JoinedChunks, Part, join_parts
from ncz.zmap.location import parse_location

netcdf4 = pytest.importorskip("netCDF4")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, number: int, *, fill: float | None = None, **options: Any) -> str:
    """Write a file with four times of random values."""
    with netcdf4.Dataset(name, "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 500)
        t = file.createVariable("t", "i4", ("t",))
        t[:] = np.arange(4) + 4 * number
        if fill is not None:
            options["fill_value"] = fill
        v = file.createVariable("v", "f4", ("t", "x"), chunksizes=(2, 500), **options)
        v[:] = np.random.default_rng(number).random((4, 500)).round(3)
    return name


def values(*names: str) -> Any:
    parts = []
    for name in names:
        with netcdf4.Dataset(name) as file:
            parts.append(file["v"][...].filled())
    return np.concatenate(parts)


def test_levels_of_compression_do_not_matter():
    names = [
        write("a.nc", 0, zlib=True, complevel=1),
        write("b.nc", 1, zlib=True, complevel=9),
        write("c.nc", 2, zlib=True, complevel=4),
    ]
    ncz.copy(names, "all.json", concat="t", inline=0, notify=ignore_notice)
    references = json.loads(Path("all.json").read_text())["refs"]
    assert [Path(references[f"v/{i}.0"][0]).name for i in range(6)] == [
        "a.nc", "a.nc", "b.nc", "b.nc", "c.nc", "c.nc",
    ]  # fmt: skip
    np.testing.assert_array_equal(ncz.open("all.json")["v"][...], values(*names))
    ncz.copy(names, "all.zarr", concat="t", verify=True, notify=ignore_notice)
    np.testing.assert_array_equal(ncz.open("all.zarr")["v"][...], values(*names))


@pytest.mark.parametrize("other", [{"zlib": False}, {"zlib": True, "shuffle": False}])
def test_other_filters_do(other, monkeypatch):
    monkeypatch.setattr("ncz.commands.references.LARGEST_HELD", 10)
    monkeypatch.setattr("ncz.zmap.reference.held_values.LARGEST_HELD", 10)
    names = [write("a.nc", 0, zlib=True), write("b.nc", 1, **other)]
    told: list[Notice] = []
    ncz.copy(names, "all.json", concat="t", inline=0, notify=told.append)
    (notice,) = [each for each in told if each.code == "values-beside-set"]
    assert "its chunks or codecs differ between the sources" in notice.message
    np.testing.assert_array_equal(ncz.open("all.json")["v"][...], values(*names))


def test_the_fill_value_of_a_source_without_missing_chunks_does_not_matter():
    names = [write("a.nc", 0, zlib=True), write("b.nc", 1, zlib=True, fill=-1.0)]
    parts = []
    for name in names:
        with open_dataset(parse_location(name)) as opened:
            variable = next(v for v in opened.dataset.root.variables if v.name == "v")
            assert variable.data is not None
            parts.append(variable.data)
            joined = join_parts([Part(parts[0], 0, 4), Part(variable.data, 0, 4)], 0)
            assert isinstance(joined, JoinedChunks)
            assert joined.stores_all
    ncz.copy(names, "all.json", concat="t", attributes="first", notify=ignore_notice)
    np.testing.assert_array_equal(ncz.open("all.json")["v"][...], values(*names))
