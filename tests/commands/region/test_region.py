"""Copies into a region of a store, compared with numpy and xarray."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from tests.interop.targets import run_ncz

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")

FORMS: dict[str, dict[str, Any]] = {
    "a.zarr": {"chunks": {"time": 3, "x": 2}},
    "b.zarr": {"modes": ["zarr", "v3"], "chunks": {"time": 2}, "shards": {"time": 4, "x": 4}},
    "c.zarr": {"modes": ["nczarr"], "codecs": "none"},
    "d.zip": {"modes": ["zarr", "zip"]},
}


def dataset(length: int = 10, seed: int = 0) -> Any:
    values = np.random.default_rng(seed).normal(size=(length, 4))
    time = np.datetime64("2000-01-01", "ns") + np.arange(length) * np.timedelta64(1, "D")
    ds = xr.Dataset(
        {"v": (("time", "x"), values), "n": ("x", np.arange(4)), "crs": ((), 1)},
        {"time": time, "height": ((), 2.0)},
    )
    ds.v.attrs["units"] = "K"
    ds.time.encoding["units"] = "hours since 2000-01-01"
    return ds


def stored(ds: Any, path: Any, **options: Any) -> Any:
    ncz.copy(ds, path, notify=ignore_notice, **options)
    return path


def test_coordinates_place_written_values(tmp_path):
    ds = dataset()
    part = dataset(seed=1).isel(time=[7, 2, 3]).drop_vars(["n"])
    part.time.encoding["units"] = "days since 1999-12-31"
    part.v.attrs["units"] = "K"
    expected = ds.copy(deep=True)
    expected.v[[7, 2, 3]] = part.v.values
    for name, options in FORMS.items():
        place = stored(ds, tmp_path / name, **options)
        before = json.loads(ncz.dump(place, view="json", header_only=True))
        summary = ncz.copy(part, place, into="auto", verify=True, notify=ignore_notice)
        assert (summary.variables, summary.compared) == (1, 12)
        with xr.open_dataset(place, engine="ncz") as found:
            xr.testing.assert_identical(found.load(), expected)
        assert json.loads(ncz.dump(place, view="json", header_only=True)) == before
        assert not [f for f in ncz.check(place, data=True).findings if f.severity != "note"]


@pytest.mark.parametrize("form", [*FORMS][:3])
def test_values_on_a_server_match_a_store_on_the_disk(form, tmp_path, s3):
    ds, part = dataset(), dataset(seed=1).isel(time=[7, 2, 3]).drop_vars(["n"])
    options = FORMS[form]
    modes = ["s3", *options.get("modes", ["zarr"])]
    local, remote = tmp_path / form, f"{s3}/{form}#mode=s3"
    stored(ds, local, **options)
    stored(ds, f"{s3}/{form}", **{**options, "modes": modes})
    for place in (local, remote):
        summary = ncz.copy(part, place, into="auto", verify=True, notify=ignore_notice)
        assert (summary.variables, summary.compared) == (1, 12)
    assert not ncz.diff(local, remote)


@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    chunks=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    data=st.data(),
)
def test_indices_place_written_values(shape, chunks, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("region")
    region, expected = [], np.arange(np.prod(shape), dtype="i4").reshape(shape)
    for size in shape:
        first = data.draw(st.integers(0, size - 1))
        region.append(slice(first, data.draw(st.integers(first + 1, size))))
    place = stored(
        xr.Dataset({"v": (("y", "x"), expected.copy())}), folder / "a.zarr",
        chunks=dict(zip("yx", chunks, strict=True)),
    )  # fmt: skip
    expected[tuple(region)] *= -1
    part = xr.Dataset({"v": (("y", "x"), expected[tuple(region)])})
    into = dict(zip("yx", region, strict=True))
    ncz.copy(part, place, into=into, verify=True, notify=ignore_notice)
    np.testing.assert_array_equal(ncz.open(place)["v"][...], expected)


def test_a_list_places_written_values(tmp_path):
    ds, place = dataset(), stored(dataset(), tmp_path / "a.zarr")
    part = dataset(seed=1)[["v"]].isel(time=[0, 1]).drop_vars("time")
    ncz.copy(part, place, into={"time": [-1, 2]}, notify=ignore_notice)
    expected = ds.v.values.copy()
    expected[[-1, 2]] = part.v.values
    assert np.array_equal(ncz.open(place)["v"][...], expected)
    with pytest.raises(ncz.NczError, match=r"'time=2,-8' has an index several times"):
        ncz.copy(part, place, into={"time": [2, -8]}, notify=ignore_notice)


def test_chunks_outside_the_region_are_the_same_files(tmp_path):
    place = stored(dataset(), tmp_path / "a.zarr", chunks={"time": 2})
    before = {path: path.stat().st_ino for path in (place / "v").iterdir()}
    part = dataset(seed=1).isel(time=slice(4, 5))
    ncz.copy(part[["v"]], place, into={"time": 4}, notify=ignore_notice)
    after = {path: path.stat().st_ino for path in (place / "v").iterdir()}
    changed = {path.name for path in before if before[path] != after[path]}
    assert changed - {".zarray", ".zattrs"} == {"2.0"}


def test_values_are_packed_as_in_the_store(tmp_path):
    ds = dataset()
    ds.v.encoding.update(dtype="i2", scale_factor=0.01, add_offset=1.0, _FillValue=-999)
    place = stored(ds, tmp_path / "a.zarr")
    part = dataset(seed=1).isel(time=slice(0, 2))
    part.v[0, 0] = np.nan
    ncz.copy(part[["v"]], place, into="auto", verify=True, notify=ignore_notice)
    with xr.open_dataset(place, engine="ncz") as found:
        np.testing.assert_allclose(found.v[:2], part.v, rtol=0, atol=0.0051)
        assert np.isnan(found.v.values[0, 0])
    part.v[0, 0] = 1e9
    with pytest.raises(ncz.NczError, match="/v: the value 1e"):
        ncz.copy(part[["v"]], place, into="auto", notify=ignore_notice)
    with xr.open_dataset(place, engine="ncz") as found:
        assert np.isnan(found.v.values[0, 0])


def test_xarray_and_zarr_python_see_the_same(tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr-python is not installed")
    place = stored(dataset(), tmp_path / "a.zarr", chunks={"time": 3})
    part = dataset(seed=1).isel(time=slice(8, 10))[["v"]]
    ncz.copy(part, place, into="auto", notify=ignore_notice)
    np.testing.assert_array_equal(zarr.open_group(place, mode="r")["v"][8:], part.v)
    with xr.open_dataset(place, engine="zarr") as found:
        np.testing.assert_array_equal(found.v[8:], part.v)


@pytest.mark.parametrize(
    ("change", "options", "text"),
    [
        ("", ["--into", "time=9:12"], "is not within the dimension, which has 10 indices"),
        ("", ["--into", "time=0:2"], "/time has 3 indices, and the region 2"),
        ("", ["--into", "depth=0:3"], "no dimension is named 'depth'"),
        ("", ["--into", "everywhere"], "everywhere"),
        ("", ["--into", "time=0:3:2"], "the indices of time cannot have a step"),
        ("", ["--into", "auto", "--append", "time"], "--append and --into cannot be used together"),
        ("", ["--into", "auto", "--codec", "zstd"], "--codec cannot be used with --into"),
        ("later", ["--into", "auto"], "the store has no index where /time is"),
        ("other", ["--into", "auto"], "the store has no variable /w"),
        ("crs", ["--into", "auto"], "/crs differs from the store"),
        ("turned", ["--into", "auto"], "the dimensions of /v are /x, /time"),
        ("text", ["--into", "auto"], "/v"),
    ],
)
def test_datasets_that_do_not_fit_change_nothing(change, options, text, tmp_path):
    place = stored(dataset(), tmp_path / "a.zarr")
    part = dataset(seed=1).isel(time=slice(0, 3))
    if change == "later":
        part = part.assign_coords(time=part.time + np.timedelta64(99, "D"))
    if change == "other":
        part["w"] = part.v
    if change == "crs":
        part["crs"] = 2
    if change == "turned":
        part = part.transpose("x", "time")
    if change == "text":
        part["v"] = part.v.astype(str)
    source = stored(part, tmp_path / "part.nc")
    done, _ = run_ncz("copy", *options, str(source), str(place))
    assert done.code in (1, 2), done
    assert text in (done.error or "")
    with xr.open_dataset(place, engine="ncz") as found:
        xr.testing.assert_identical(found.load(), dataset())


@pytest.mark.parametrize("name", ["missing.zarr", "a.nc", "a.cdl"])
def test_only_a_store_has_regions(name, tmp_path):
    source = stored(dataset(), tmp_path / "part.zarr")
    if name == "a.nc":
        stored(dataset(), tmp_path / name)
    done, _ = run_ncz("copy", "--into", "auto", str(source), f"{tmp_path}/{name}")
    assert (done.code, done.crash) == (1, None)
    assert name in (done.error or "") or "--into" in (done.error or "")


def test_the_plan_says_which_indices_are_written(tmp_path):
    place = stored(dataset(), tmp_path / "a.zarr", chunks={"time": 2})
    source = stored(dataset().isel(time=slice(3, 6)), tmp_path / "part.nc")
    line = ["copy", "--into", "auto", "--dry-run", str(source), str(place)]
    done, out = run_ncz(*line)
    assert (done.code, out.decode()) == (0, "/v  [3:6, 0:4]  2 chunks\n/n  [0:4]  1 chunk\n")
    _, out = run_ncz(*line, "--json")
    assert json.loads(out)["into"][0] == {
        "variable": "/v",
        "indices": [[3, 6], [0, 4]],
        "chunks": 2,
    }


def test_an_icechunk_repository_gets_one_commit(tmp_path):
    pytest.importorskip("icechunk", reason="icechunk is not installed")
    place = stored(dataset(), tmp_path / "a.icechunk")
    part = dataset(seed=1).isel(time=slice(0, 2))[["v"]]
    ncz.copy(part, place, into="auto", notify=ignore_notice)
    with xr.open_dataset(place, engine="ncz") as found:
        np.testing.assert_array_equal(found.v[:2], part.v)
