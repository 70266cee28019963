"""Run the blocks of the pages that have no separate test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT
from tools.pages import Page

pytestmark = pytest.mark.long  # each command is a process

LARGE = """netcdf in { dimensions: time = 500 ; lat = 1000 ; lon = 1000 ; variables:
  float t2m(time, lat, lon) ; t2m:_ChunkSizes = 1, 1000, 1000 ; t2m:_Shuffle = "true" ;
  t2m:_DeflateLevel = 1 ; }"""
SHARDED = """netcdf sharded { dimensions: time = 8 ; variables:
  float t2m(time) ; t2m:_ChunkSizes = 2 ; data: t2m = 1, 2, 3, 4, 5, 6, 7, 8 ; }"""
SMALL = "netcdf in { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"


def page(name: str, folder: Path, **stores: str) -> Page:
    """Return a page, and stores from CDL in the folder where its blocks run."""
    for store, cdl in stores.items():
        text = folder / f"{store}.cdl"
        text.write_text(cdl)
        how = {"modes": ["zarr", "v3"], "shards": "t2m:4"} if store == "sharded" else {}
        ncz.gen(text, folder / f"{store}.zarr", notify=ignore_notice, **how)  # type: ignore[arg-type]
    return Page(f"docs/{name}.md", folder)


def test_copies(tmp_path):
    shown = page("reference/copy", tmp_path, **{"in": LARGE, "sharded": SHARDED})
    blocks = shown.blocks("console")
    assert len(blocks) == 2
    for block in blocks:
        shown.check_console(block)


def test_info(tmp_path):
    shown = page("reference/info", tmp_path)
    ncz.gen(ROOT / "cdl_examples/weather.cdl", tmp_path / "weather.nc", notify=ignore_notice)
    ncz.copy(tmp_path / "weather.nc", tmp_path / "weather.zarr", notify=ignore_notice)
    blocks = shown.blocks("console")
    assert len(blocks) == 2
    for block in blocks:
        shown.check_console(block)


def test_values_that_xarray_masks(tmp_path):
    zarr, xarray = pytest.importorskip("zarr"), pytest.importorskip("xarray")
    group = zarr.open_group(tmp_path / "store.zarr", mode="w", zarr_format=2)
    array = group.create_array("v", shape=(3,), chunks=(3,), dtype="f4", fill_value=0)
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    array[:] = [0, 1, 2]
    (block,) = (shown := page("reference/nan", tmp_path)).blocks("sh")
    shown.run(block)
    for name, missing in (("store", 1), ("other", 0)):
        with xarray.open_zarr(tmp_path / f"{name}.zarr", consolidated=False) as dataset:
            assert int(dataset["v"].isnull().sum()) == missing


def test_notices(tmp_path):
    (block,) = (shown := page("reference/notices", tmp_path, **{"in": SMALL})).blocks("python")
    shown.check_python(block)
    assert (tmp_path / "out.zarr").is_dir()


def test_names_of_netcdf_c(tmp_path):
    shown = page("start/netcdf-c", tmp_path, **{"in": SMALL})
    aliases, links = shown.blocks("sh")
    lines = "ncgen -o in.zarr in.cdl\nncdump -h in.zarr | head -n 1\nzmapio in.zarr >keys\n"
    assert shown.run(f"shopt -s expand_aliases\n{aliases}{lines}") == "netcdf in {\n"
    (tmp_path / "script").write_text(lines)
    assert shown.run(f"HOME=$PWD\n{links}bash script") == "netcdf in {\n"


def test_references(tmp_path):
    python = os.environ.get("NCZ_PEERS_KERCHUNK")
    if python is None:
        pytest.skip("NCZ_PEERS_KERCHUNK names no Python with kerchunk")
    (block,) = (shown := page("reference/references", tmp_path, **{"in": SMALL})).blocks("python")
    ncz.copy(tmp_path / "in.zarr", tmp_path / "refs.json", modes="reference", notify=ignore_notice)
    assert shown.text.count('engine="kerchunk"') == 1
    subprocess.run([python, "-c", block], cwd=tmp_path, timeout=100, check=True)
