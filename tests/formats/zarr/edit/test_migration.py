"""Migration in place from Zarr V2 to V3: views of programs, and unchanged parts."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.conftest import ROOT, Run

pytest.importorskip("xarray")
pytest.importorskip("zarr", minversion="3")

import xarray as xr
import zarr

from tests.sampled import sampled

GOLDEN = sorted((ROOT / "tests/golden/netcdf-c").glob("*/store.zip"))


def _dataset() -> xr.Dataset:
    random = np.random.default_rng(7)
    names = np.array(["a", "bb", "cé", "", "e", "f"], object)
    values = random.random((4, 6, 8), "f4")
    dataset = xr.Dataset(
        {
            "t": (("time", "y", "x"), values, {"units": "K"}),
            "packed": (("y", "x"), random.integers(0, 9, (6, 8), "i2"), {"scale_factor": 0.5}),
            "masked": (("time", "y", "x"), np.where(values > 0.5, values, np.nan)),
            "name": (("y",), names),
            "is_land": (("x",), np.arange(8) % 2 == 0),
            "scalar": ((), 3.5),
        },
        {"time": np.arange(4).astype("M8[D]").astype("M8[ns]")},
        {"title": "a"},
    )
    dataset["masked"].encoding["_FillValue"] = -9999.0
    return dataset


def _codecs() -> dict[str, Any]:
    import numcodecs

    delta, blosc = numcodecs.Delta("f4"), numcodecs.Blosc()
    return {"t": {"chunks": (1, 3, 8), "compressors": (blosc,), "filters": (delta,)}}


def _chunks(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith((".z", "zarr.json"))
    }


def _seen(store: Path, **options: Any) -> xr.Dataset:
    with xr.open_zarr(store, chunks=None, **options) as dataset:
        return dataset.load()


@pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3")
@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("separator", [".", "/"])
def test_xarray_and_zarr_python_see_the_same(tmp_path, consolidated, separator):
    store = tmp_path / "s.zarr"
    with zarr.config.set({"array.v2_default_separator": separator}):
        _dataset().to_zarr(store, zarr_format=2, consolidated=consolidated, encoding=_codecs())
    seen = partial(_seen, store, consolidated=consolidated)
    decoded, raw = seen(), seen(decode_cf=False)
    chunks = _chunks(store)

    (change,) = ncz.edit(store, zarr_format=3, notify=lambda _: None)

    assert (change.kind, change.before, change.after) == ("zarr_format", "2", "3")
    assert _chunks(store) == chunks
    assert not [path for path in store.rglob(".z*") if path.name != ".zincomplete"]
    xr.testing.assert_identical(seen(), decoded)
    xr.testing.assert_identical(seen(decode_cf=False), raw)
    group = zarr.open_group(store, mode="r", zarr_format=3)
    assert np.array_equal(group["t"][...], raw["t"].values)
    assert (group.metadata.consolidated_metadata is not None) == consolidated


def test_the_axis_order_and_the_bytes_of_elements_stay(tmp_path):
    store = tmp_path / "s.zarr"
    values = np.arange(24, dtype=">i4").reshape(4, 6)
    group = zarr.open_group(store, mode="w", zarr_format=2)
    array = group.create_array("v", shape=(4, 6), chunks=(2, 3), dtype=">i4", order="F")
    array[...] = values
    array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    ncz.edit(store, zarr_format=3, notify=lambda _: None)
    assert np.array_equal(zarr.open_array(store / "v", mode="r")[...], values)


def test_a_store_with_missing_chunks_keeps_its_fill_value(tmp_path):
    store = tmp_path / "s.zarr"
    group = zarr.open_group(store, mode="w", zarr_format=2)
    array = group.create_array("v", shape=(4, 6), chunks=(2, 3), dtype="i4", fill_value=7)
    array[:2, :3] = 1
    array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    before = array[...]
    ncz.edit(store, zarr_format=3, notify=lambda _: None)
    assert np.array_equal(zarr.open_array(store / "v", mode="r")[...], before)


def test_chunks_that_v3_cannot_describe_are_refused(run: Run, tmp_path):
    store = tmp_path / "s.zarr"
    group = zarr.open_group(store, mode="w", zarr_format=2)
    group.create_array("v", shape=(4,), dtype="S3")[...] = np.array([b"abc"] * 4)
    group["v"].attrs["_ARRAY_DIMENSIONS"] = ["x"]
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    result = run("edit", store, "--zarr-format", "3")
    if result.code == 0:  # a later Zarr has the type
        assert zarr.open_array(store / "v", mode="r")[0] == b"abc"
        return
    assert "chunks would have to be encoded again (/v)" in result.stderr
    assert {path: path.read_bytes() for path in store.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("path", sampled(GOLDEN, 4), ids=lambda path: path.parent.name)
def test_stores_of_netcdf_c(tmp_path, path):
    store = tmp_path / "s.zarr"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(store)
    before = ncz.dump(store, notify=lambda _: None)
    with suppress(ncz.errors.FormatError, ncz.errors.LossError):
        ncz.edit(store, zarr_format=3, notify=lambda _: None)
    assert ncz.dump(store, notify=lambda _: None) == before


def test_a_zip_file(tmp_path):
    store = tmp_path / "s.zip"
    folder = tmp_path / "s.zarr"
    _dataset()[["t", "time"]].to_zarr(folder, zarr_format=2, consolidated=True)
    ncz.copy(folder, store, notify=lambda _: None)
    before = ncz.dump(store, notify=lambda _: None)
    ncz.edit(store, zarr_format=3, notify=lambda _: None)
    assert ncz.dump(store, notify=lambda _: None) == before
    with zipfile.ZipFile(store) as archive:
        assert "zarr.json" in archive.namelist()
        assert ".zgroup" not in archive.namelist()


def test_a_store_on_s3(s3, run: Run, tmp_path):
    local = tmp_path / "s.zarr"
    _dataset()[["t", "time"]].to_zarr(local, zarr_format=2, consolidated=True)
    url = f"{s3}/migrated.zarr#mode=s3"
    assert run("copy", local, url).code == 0
    before = run("dump", url).text
    assert run("edit", url, "--zarr-format", "3").stderr == ""
    assert run("dump", url).text == before
    keys = run("ls", "-r", url).text
    assert "zarr.json" in keys
    assert ".zarray" not in keys


@pytest.mark.parametrize("failing", range(1, 6))
def test_an_error_leaves_the_old_store(tmp_path, monkeypatch, failing):
    store = tmp_path / "s.zarr"
    _dataset().to_zarr(store, zarr_format=2, consolidated=True)
    before = {str(path): path.read_bytes() for path in store.rglob("*") if path.is_file()}
    put, calls = WritableDirectoryZmap.put, []

    def put_or_fail(self, key, value):
        calls.append(key)
        if len(calls) == failing:
            raise ncz.NczError("no space left")
        return put(self, key, value)

    monkeypatch.setattr(WritableDirectoryZmap, "put", put_or_fail)
    with pytest.raises(ncz.NczError, match="no space left"):
        ncz.edit(store, zarr_format=3, notify=lambda _: None)
    assert {str(path): path.read_bytes() for path in store.rglob("*") if path.is_file()} == before


def test_a_second_migration_changes_nothing(tmp_path):
    store = tmp_path / "s.zarr"
    _dataset().to_zarr(store, zarr_format=3, consolidated=False)
    assert ncz.edit(store, zarr_format=3, notify=lambda _: None) == []


def test_a_dry_run_reports_and_changes_nothing(run: Run, tmp_path):
    store = tmp_path / "s.zarr"
    _dataset().to_zarr(store, zarr_format=2, consolidated=True)
    before = {str(path): path.read_bytes() for path in store.rglob("*") if path.is_file()}
    result = run("edit", store, "--zarr-format", "3", "--dry-run")
    assert result.text == "would change the version of Zarr from 2 to 3\n"
    assert {str(path): path.read_bytes() for path in store.rglob("*") if path.is_file()} == before


def test_other_changes_need_a_separate_command(run: Run, tmp_path):
    result = run("edit", tmp_path, "--zarr-format", "3", "--delete", ":a")
    assert result.code == 2
    assert "--zarr-format and other changes cannot be made together" in result.stderr
