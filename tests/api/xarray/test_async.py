"""Values that are loaded while other coroutines run."""

from __future__ import annotations

import asyncio

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")


def test_datasets_are_loaded_in_parallel(tmp_path):
    if not hasattr(xr.Dataset, "load_async"):
        pytest.skip("this xarray has no load_async")
    for name in ("a.nc", "a.zarr"):
        ncz.gen(ROOT / "cdl_examples" / "weather.cdl", tmp_path / name, notify=ignore_notice)

    async def load():
        opened = [xr.open_dataset(tmp_path / name, engine="ncz") for name in ("a.nc", "a.zarr")]
        return await asyncio.gather(*(dataset.load_async() for dataset in opened))

    for name, loaded in zip(("a.nc", "a.zarr"), asyncio.run(load()), strict=True):
        with xr.open_dataset(tmp_path / name, engine="ncz") as expected:
            xr.testing.assert_identical(loaded, expected.load())
