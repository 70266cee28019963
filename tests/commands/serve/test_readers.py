"""Other programs read over HTTP what they read of a copy on disk."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT
from tests.interop.peers import peers
from tests.interop.test_gdal import PYTHON as GDAL
from tests.sampled import sampled

pytest.importorskip("tornado", reason="tornado is not installed")

ARRAYS = ("time", "lat", "temperature", "wind_speed")


def _weather(folder: Path) -> Path:
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", folder / "weather.zarr")
    return folder / "weather.zarr"


def _netcdf(folder: Path) -> Path:
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", folder / "weather.nc")
    return folder / "weather.nc"


def _zip(folder: Path) -> Path:
    ncz.copy(_weather(folder), folder / "weather.zip", modes="zarr,v3", notify=ignore_notice)
    return folder / "weather.zip"


def _sharded(folder: Path) -> Path:
    target = folder / "sharded.zarr"
    ncz.copy(
        _weather(folder), target, modes="zarr,v3", chunks=["temperature:2,1,2"],
        shards=["temperature:4,3,4"], notify=ignore_notice,
    )  # fmt: skip
    return target


def _references(folder: Path) -> Path:
    ncz.copy(_weather(folder), folder / "weather.json", modes="reference", notify=ignore_notice)
    return folder / "weather.json"


def _text(_: Path) -> Path:
    return ROOT / "cdl_examples" / "weather.cdl"


SOURCES: dict[str, Callable[[Path], Path]] = {
    "NCZarr": _weather,
    "netCDF-4": _netcdf,
    "zip": _zip,
    "shards": _sharded,
    "references": _references,
    "CDL": _text,
}

CASES = [(kind, zarr_format) for kind in SOURCES for zarr_format in (2, 3)]


@pytest.mark.filterwarnings("ignore")  # of codecs that Zarr V3 does not specify
@pytest.mark.parametrize(("kind", "zarr_format"), sampled(CASES, 3))
def test_readers_see_a_copy(tmp_path, kind, zarr_format):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    zarr = pytest.importorskip("zarr", reason="zarr-python is not installed")
    pytest.importorskip("aiohttp", reason="aiohttp is not installed")
    source, copy = SOURCES[kind](tmp_path), tmp_path / "copy.zarr"
    modes = f"zarr,consolidated,v{zarr_format}"
    ncz.copy(source, copy, modes=modes, notify=ignore_notice)
    with ncz.serve(source, zarr_format=zarr_format, notify=ignore_notice) as server:
        (address,) = server.addresses.values()
        with xarray.open_zarr(address) as ours, xarray.open_zarr(copy) as theirs:
            xarray.testing.assert_identical(ours.load(), theirs.load())
            assert {k: v.encoding["chunks"] for k, v in ours.variables.items()} == {
                k: v.encoding["chunks"] for k, v in theirs.variables.items()
            }

        group = zarr.open_group(address, mode="r")
        for name, array in zarr.open_group(str(copy), mode="r").arrays():
            np.testing.assert_array_equal(group[name][...], array[...])
            assert dict(group[name].attrs) == dict(array.attrs)

        mapper = fsspec.get_mapper(address)
        for key in sorted(str(p.relative_to(copy)) for p in copy.rglob("*") if p.is_file()):
            assert mapper[key] == (copy / key).read_bytes()
        assert "none" not in mapper

        assert ncz.dump(address, name="x") == ncz.dump(copy, name="x")
        assert ncz.diff(address, copy, notify=ignore_notice) == []
        ncz.copy(address, tmp_path / "again.zarr", notify=ignore_notice)
        assert ncz.diff(tmp_path / "again.zarr", copy, notify=ignore_notice) == []


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_zarrita_reads_it(tmp_path, zarr_format):
    if reason := peers.absent("zarrita"):
        pytest.skip(reason)
    source = _netcdf(tmp_path)
    with ncz.serve(source, zarr_format=zarr_format, notify=ignore_notice) as server:
        (address,) = server.addresses.values()
        done = subprocess.run(
            ["node", Path(__file__).with_name("read.mjs"), peers.node(), address, *ARRAYS],
            capture_output=True,
            check=True,
            timeout=120,
        )
    found = json.loads(done.stdout)
    with ncz.open(source) as dataset:
        for name in ARRAYS:
            values = dataset[name][...]
            assert tuple(found[name]["shape"]) == values.shape
            np.testing.assert_array_equal(found[name]["data"], values.reshape(-1))


def _plain(folder: Path) -> Path:
    """Return a store with a codec that every reader has."""
    ncz.copy(_netcdf(folder), folder / "plain.zarr", codecs="zlib:1", notify=ignore_notice)
    return folder / "plain.zarr"


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", ["tensorstore", "zarrs"])
def test_peers_see_a_copy(tmp_path, name, zarr_format):
    if reason := peers.absent(name):
        pytest.skip(reason)
    source, copy = _plain(tmp_path), tmp_path / "copy.zarr"
    ncz.copy(source, copy, modes=f"zarr,consolidated,v{zarr_format}", notify=ignore_notice)
    with ncz.serve(source, zarr_format=zarr_format, notify=ignore_notice) as server:
        (address,) = server.addresses.values()
        requests = [
            peers.Request(store=copy, format=zarr_format, address=place)
            for place in (None, address)
        ]
        on_disk, served = peers.ask(name, requests)
    for array in ARRAYS:  # tensorstore reads no strings
        found = served["arrays"][f"/{array}"]
        assert found == on_disk["arrays"][f"/{array}"]
        assert "error" not in found


READ = """
import json, sys
import rasterio
for name in sys.argv[2:]:
    with rasterio.open(f'ZARR:"{sys.argv[1]}":/{name}') as array:
        print(json.dumps([array.descriptions, array.tags(), array.read().tolist()]))
"""


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_gdal_sees_a_copy(tmp_path, zarr_format):
    if shutil.which(GDAL) is None:
        pytest.skip("rasterio is not installed; 'make interop' installs it where it can")
    source, copy = _plain(tmp_path), tmp_path / "copy.zarr"
    ncz.copy(source, copy, modes=f"zarr,consolidated,v{zarr_format}", notify=ignore_notice)
    with ncz.serve(source, zarr_format=zarr_format, notify=ignore_notice) as server:
        (address,) = server.addresses.values()
        served, on_disk = (
            subprocess.run(
                [GDAL, "-W", "ignore", "-c", READ, place, "temperature", "wind_speed"],
                capture_output=True,
                check=True,
                timeout=120,
            ).stdout
            for place in (f"/vsicurl/{address}", str(copy))
        )
    assert served == on_disk
    values = json.loads(served.splitlines()[0])[2]
    with ncz.open(source) as dataset:
        np.testing.assert_array_equal(np.float32(values), dataset["temperature"][...])


def test_parts_and_several_datasets_are_served(tmp_path):
    source, part = _weather(tmp_path), tmp_path / "part.zarr"
    chosen = {"time": slice(1, 3)}
    ncz.copy(source, part, isel=chosen, notify=ignore_notice)
    with ncz.serve([source, source], isel=chosen, notify=ignore_notice) as server:
        assert sorted(server.addresses) == ["weather", "weather-2"]
        assert ncz.diff(server.addresses["weather-2"], part, notify=ignore_notice) == []
