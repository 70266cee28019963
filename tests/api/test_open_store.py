"""`ncz.open_store`: zarr-python reads every dataset as a store, without a copy."""

from __future__ import annotations

import asyncio
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

zarr = pytest.importorskip("zarr", minversion="3")

EXAMPLE = ROOT / "cdl_examples" / "weather.cdl"
SOURCES = ["weather.nc", "weather.zarr", "weather.cdl"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stores")
    (folder / "weather.cdl").write_bytes(EXAMPLE.read_bytes())
    for name in SOURCES[:2]:
        ncz.gen(EXAMPLE, folder / name, notify=ignore_notice)
    ncz.copy(folder / "weather.nc", folder / "refs.json", notify=ignore_notice)
    return folder


@pytest.mark.parametrize("name", [*SOURCES, "refs.json"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_zarr_reads_each_variable(folder, name, zarr_format):
    store = ncz.open_store(folder / name, zarr_format=zarr_format, notify=ignore_notice)
    group = zarr.open_group(store, mode="r")
    with ncz.open(folder / name, unpack=False) as ds:
        assert {*group.array_keys()} == ds.variables.keys()
        for path, variable in ds.variables.items():
            if variable.dtype.kind in "iuf":
                np.testing.assert_array_equal(group[path][...], variable[...])
    assert group.metadata.zarr_format == zarr_format
    assert (
        group["temperature"][1, ..., -1].tolist()
        == ncz.read(folder / name, "temperature", unpack=False)[1, ..., -1].tolist()
    )


@pytest.mark.parametrize("consolidated", [False, True])
def test_xarray_opens_it(folder, consolidated):
    xr = pytest.importorskip("xarray")
    store = ncz.open_store(folder / "weather.nc", notify=ignore_notice)
    with (
        xr.open_zarr(store, consolidated=consolidated) as ds,
        xr.open_dataset(folder / "weather.nc", engine="ncz") as own,
    ):
        xr.testing.assert_allclose(ds.drop_vars("station"), own.drop_vars("station"))


def test_several_datasets_are_one_store(folder, tmp_path):
    for day in range(2):
        part = ncz.open(folder / "weather.nc").isel(time=slice(2 * day, 2 * day + 2))
        ncz.copy(part, tmp_path / f"{day}.nc", notify=ignore_notice)
    store = ncz.open_store(tmp_path / "*.nc", notify=ignore_notice)
    found = zarr.open_array(store, path="temperature", mode="r")
    np.testing.assert_array_equal(found, ncz.read(folder / "weather.nc", "temperature"))


def test_it_can_be_pickled_and_compared(folder):
    store = ncz.open_store(folder / "weather.nc", notify=ignore_notice)
    again = pickle.loads(pickle.dumps(store))
    assert again == store
    assert again != ncz.open_store(folder / "weather.zarr", notify=ignore_notice)
    assert zarr.open_group(again, mode="r")["lat"][...].tolist() == [50, 52.5, 55]


def test_objects_and_their_parts(folder):
    store = ncz.open_store(folder / "weather.nc", zarr_format=2, notify=ignore_notice)

    async def look() -> None:
        from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest
        from zarr.core.buffer import default_buffer_prototype

        prototype = default_buffer_prototype()
        keys = [key async for key in store.list()]
        assert {".zmetadata", "lat/.zarray", "lat/0"} <= {*keys}
        assert sorted([key async for key in store.list_prefix("la")]) == sorted(
            key for key in keys if key.startswith("la")
        )
        assert {"lat", "lon", ".zgroup"} <= {name async for name in store.list_dir("")}
        assert {name async for name in store.list_dir("lat/")} == {".zarray", ".zattrs", "0"}
        whole = (await store.get("lat/0", prototype)).to_bytes()
        assert await store.getsize("lat/0") == len(whole)
        parts = await store.get_partial_values(prototype, [
            ("lat/0", RangeByteRequest(1, 3)), ("lat/0", OffsetByteRequest(2)),
            ("lat/0", SuffixByteRequest(4)), ("nothing", SuffixByteRequest(4)),
        ])  # fmt: skip
        assert [None if part is None else part.to_bytes() for part in parts] == [
            whole[1:3], whole[2:], whole[-4:], None,
        ]  # fmt: skip
        assert await store.get("nothing", prototype) is None
        assert not await store.exists("nothing")
        with pytest.raises(FileNotFoundError):
            await store.getsize("nothing")
        with pytest.raises(ValueError, match="read-only"):
            await store.set("lat/0", whole)
        with pytest.raises(ValueError, match="read-only"):
            await store.delete("lat/0")

    asyncio.run(look())


def test_it_is_read_only(folder):
    store = ncz.open_store(folder / "weather.nc", notify=ignore_notice)
    with pytest.raises(ValueError, match="read-only"):
        zarr.open_group(store, mode="r+")
    with pytest.raises(ValueError, match=r"ncz.copy\('.*weather.nc', 'x.zarr'\) writes another"):
        store.with_read_only(False)
    assert store.with_read_only(True) is store


def test_a_group_and_another_mode(folder, tmp_path):
    ncz.gen(ROOT / "cdl_examples" / "groups.cdl", tmp_path / "g.nc", notify=ignore_notice)
    with ncz.open(tmp_path / "g.nc") as ds:
        name, group = next(iter(ds.groups.items()))
        store = ncz.open_store(tmp_path / "g.nc", "r", group=name, notify=ignore_notice)
        assert {*zarr.open_group(store, mode="r").array_keys()} == group.variables.keys()
    with pytest.raises(ncz.NczError, match="mode 'a'"):
        ncz.open_store(folder / "weather.nc", "a")


def test_without_zarr_it_says_so_in_one_line(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr.abc.store", None)
    with pytest.raises(ncz.NczError, match="open_store needs zarr-python 3; pip install 'zarr>=3'"):
        ncz.open_store(folder / "weather.nc")
