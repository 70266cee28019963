"""Joined and merged datasets compared with xarray, NCO and CDO, from the same files.

docs/reference/joining.md names the differences: results of a peer that need an option of ncz, or
are an error.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from tests.conftest import Run

xr = pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytestmark = pytest.mark.filterwarnings("ignore")

ncrcat = pytest.mark.skipif(not shutil.which("ncrcat"), reason="ncrcat is not installed (nco)")
cdo = pytest.mark.skipif(not shutil.which("cdo"), reason="cdo is not installed (cdo)")

START = np.datetime64("2020-01-01", "ns")
MISSING = 1e20


def write(
    name: str,
    hours: Sequence[int],
    units: str = "hours since 2020-01-01",
    packing: tuple[float, float] | None = None,
    dtype: str = "f8",
    attributes: dict[str, Any] | None = None,
) -> str:
    """Write a file with a value of each hour and place; one value is missing."""
    times = START + np.array(hours) * np.timedelta64(1, "h").astype("m8[ns]")
    values = (np.array(hours, "f4")[:, None] + np.array([0, 0.25, 0.5], "f4")).astype("f4")
    values[0, 1] = np.nan
    ends = np.stack([times, times + np.timedelta64(1, "h")], 1)
    dataset = xr.Dataset(
        {
            "t2m": (("time", "x"), values, {"units": "K", **(attributes or {})}),
            "time_bnds": (("time", "nv"), ends),
        },
        coords={"time": ("time", times, {"bounds": "time_bnds"}), "x": [1.0, 2.0, 3.0]},
    )
    encoding: dict[str, Any] = {
        "time": {"units": units, "calendar": "standard", "dtype": dtype, "_FillValue": None},
        "x": {"_FillValue": None},
        "t2m": {"_FillValue": np.float32(MISSING)},
    }
    if packing is not None:
        encoding["t2m"] = {"dtype": "i2", "_FillValue": -32767}
        encoding["t2m"] |= {"scale_factor": packing[0], "add_offset": packing[1]}
    dataset.to_netcdf(name, encoding=encoding, unlimited_dims=["time"], engine="netcdf4")
    return name


def call(*arguments: str, **environment: str) -> str:
    """Run a peer, which has to succeed; return the file that it wrote."""
    subprocess.run(
        arguments,
        check=True,
        capture_output=True,
        timeout=60,
        env={**os.environ, **environment},
    )
    return arguments[-1]


def joined(*sources: str, **options: Any) -> str:
    """Join files with ncz."""
    ncz.copy(list(sources), "ncz.nc", concat="time", notify=ignore_notice, **options)
    return "ncz.nc"


def opened(name: str) -> Any:
    """Return a dataset with decoded values."""
    with xr.open_dataset(name) as dataset:
        return dataset.load()


def read(name: str) -> dict[str, Any]:
    """Return the decoded values that all programs write: the variable, and the times."""
    dataset = opened(name)
    return {"time": dataset.time.values, "t2m": dataset.t2m.values, "x": dataset.x.values}


def assert_same(name: str, other: str, within: float = 0) -> None:
    ours, theirs = read(name), read(other)
    for variable, values in ours.items():
        if variable == "t2m" and within:
            np.testing.assert_allclose(values, theirs[variable], rtol=0, atol=within)
        else:
            np.testing.assert_array_equal(values, theirs[variable])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def by_xarray(*names: str, **options: Any) -> Any:
    with xr.open_mfdataset(names, combine="nested", concat_dim="time", **options) as dataset:
        return dataset.load()


UNITS = ["days since 2020-01-02", "minutes since 1970-01-01", "hours since 2019-12-31 12:00"]


@pytest.mark.parametrize("units", UNITS)
def test_times_of_other_units_next_to_xarray(units):
    files = write("a.nc", [0, 6, 12]), write("b.nc", [24, 30], units)
    xr.testing.assert_equal(opened(joined(*files)), by_xarray(*files))


@pytest.mark.parametrize("target", ["all.zarr", "all.json"])
def test_times_in_stores_and_reference_sets_next_to_xarray(target):
    files = write("a.nc", [0, 6, 12]), write("b.nc", [24, 30], UNITS[0])
    ncz.copy(files, target, concat="time", notify=ignore_notice)
    with xr.open_dataset(target, engine="ncz") as found:
        xr.testing.assert_equal(found.load(), by_xarray(*files))


@ncrcat
@pytest.mark.parametrize("units", UNITS)
def test_times_of_other_units_next_to_ncrcat(units):
    files = write("a.nc", [0, 6, 12]), write("b.nc", [24, 30], units)
    assert_same(joined(*files), call("ncrcat", "-O", *files, "peer.nc"))


@cdo
@pytest.mark.parametrize("units", UNITS)
def test_times_of_other_units_next_to_cdo(units):
    files = write("a.nc", [0, 6, 12]), write("b.nc", [24, 30], units)
    assert_same(joined(*files), call("cdo", "-O", "mergetime", *files, "peer.nc"))


@cdo
def test_sources_in_any_order_next_to_cdo_and_xarray():
    files = write("b.nc", [24, 30], UNITS[1]), write("a.nc", [0, 6, 12])
    found = joined(*files, sort=True)
    assert_same(found, call("cdo", "-O", "mergetime", *files, "peer.nc"))
    xr.testing.assert_equal(opened(found), by_xarray(*files).sortby("time"))


@cdo
def test_sources_that_alternate_next_to_cdo_and_xarray():
    files = write("even.nc", [0, 12, 24, 36]), write("odd.nc", [6, 18, 30])
    found = joined(*files, sort=True)
    assert_same(found, call("cdo", "-O", "mergetime", *files, "peer.nc"))
    xr.testing.assert_equal(opened(found), by_xarray(*files).sortby("time"))


@cdo
def test_the_first_of_times_that_repeat_next_to_cdo_and_xarray():
    files = write("a.nc", [0, 6, 12]), write("b.nc", [6, 12, 18, 24])
    found = joined(*files, overlap="first")
    peer = call("cdo", "-O", "mergetime", *files, "peer.nc", SKIP_SAME_TIME="1")
    assert_same(found, peer)
    xr.testing.assert_equal(opened(found), by_xarray(*files).drop_duplicates("time", keep="first"))


def test_the_last_of_times_that_repeat_next_to_xarray():
    files = write("a.nc", [0, 6, 12]), write("b.nc", [6, 12, 18, 24])
    found = opened(joined(*files, overlap="last"))
    xr.testing.assert_equal(found, by_xarray(*files).drop_duplicates("time", keep="last"))


@ncrcat
def test_all_times_that_repeat_next_to_ncrcat_and_xarray():
    files = write("a.nc", [0, 6, 12]), write("b.nc", [6, 12, 18, 24])
    found = joined(*files, overlap="keep")
    assert_same(found, call("ncrcat", "-O", *files, "peer.nc"))
    xr.testing.assert_equal(opened(found), by_xarray(*files))


PACKED = {"packing": (0.01, 10.0)}, {"packing": (0.02, 30.0)}


def packed() -> tuple[str, str]:
    return write("a.nc", [0, 6, 12], **PACKED[0]), write("b.nc", [24, 30], **PACKED[1])  # type: ignore[arg-type]


def test_unpacked_values_next_to_xarray():
    files = packed()
    found = opened(joined(*files, unpack=True))
    xr.testing.assert_allclose(found, by_xarray(*files), rtol=0, atol=1e-6)
    assert "scale_factor" not in found.t2m.encoding


@ncrcat
def test_unpacked_values_next_to_ncpdq_and_ncrcat():
    files = packed()
    plain = [call("ncpdq", "-O", "-U", name, f"plain-{name}") for name in files]
    peer = call("ncrcat", "-O", *plain, "peer.nc")
    assert_same(joined(*files, unpack=True), peer, within=1e-6)


@ncrcat
def test_ncrcat_changes_packed_values_and_ncz_refuses_them():
    files = packed()
    call("ncrcat", "-O", *files, "peer.nc")
    assert read("peer.nc")["t2m"][3, 0] == pytest.approx(7)  # 24 in b.nc
    with pytest.raises(ncz.NczError, match=r"scale_factor of /t2m is 0.02, but 0.01 in a.nc"):
        joined(*files)


@cdo
@pytest.mark.parametrize("chosen", ["short", "ubyte", "int"])
def test_values_that_are_packed_again_next_to_cdo_and_xarray(chosen):
    files = packed()
    notices: list[ncz.Notice] = []
    ncz.copy(files, "ncz.nc", concat="time", repack=chosen, notify=notices.append)
    said = next(n.message for n in notices if n.code == "packing-changed")
    bound = float(said.rpartition(" ")[2])
    found, wanted = opened("ncz.nc").t2m, by_xarray(*files).t2m
    assert found.encoding["dtype"] == {"short": "i2", "ubyte": "u1", "int": "i4"}[chosen]
    worst = float(np.abs(found.astype("f8") - wanted.astype("f8")).max())
    assert worst <= bound + 4e-6  # xarray unpacks to float, which rounds too
    peer = call("cdo", "-O", "-b", "F64", "mergetime", *files, "peer.nc")
    assert_same("ncz.nc", peer, within=bound + 1e-5)


RULES: dict[str, str] = {"first": "override", "agreeing": "drop_conflicts"}


@pytest.mark.parametrize("rule", RULES)
def test_attributes_next_to_xarray(rule):
    files = (
        write("a.nc", [0, 6], attributes={"long_name": "one", "source": "s"}),
        write("b.nc", [12, 18], attributes={"long_name": "other", "source": "s", "level": 2}),
        write("c.nc", [24, 30], attributes={"long_name": "one", "cell_methods": "x: mean"}),
    )
    found = opened(joined(*files, attributes=rule))
    wanted = by_xarray(*files, combine_attrs=RULES[rule])
    xr.testing.assert_identical(found, wanted)


def test_no_attributes_next_to_xarray():
    files = (
        write("a.nc", [0, 6], attributes={"long_name": "one"}),
        write("b.nc", [12, 18], attributes={"long_name": "other"}),
    )
    found = opened(joined(*files, attributes="none"))
    wanted = by_xarray(*files, combine_attrs="drop")
    xr.testing.assert_equal(found, wanted)
    assert found.attrs == wanted.attrs == {}
    assert found.t2m.attrs == {"units": "K"}  # without units, numbers mean nothing


def fields(name: str, *variables: str, hours: Sequence[int] = (0, 6, 12)) -> str:
    """Write a file with variables of other names over the same dimensions."""
    source = opened(write(name, hours))
    renamed = xr.merge([source[["t2m"]].rename(t2m=variable) for variable in variables])
    renamed.to_netcdf(name, engine="netcdf4", mode="w")
    return name


def by_merge(*names: str) -> Any:
    return xr.merge([opened(name) for name in names], compat="equals", join="exact")


def test_merged_datasets_next_to_xarray():
    files = fields("a.nc", "t2m", "u"), fields("b.nc", "v"), fields("c.nc", "u", "w")
    ncz.copy(files, "all.zarr", notify=ignore_notice)
    with xr.open_dataset("all.zarr", engine="zarr") as found:
        xr.testing.assert_equal(found.load(), by_merge(*files))


@cdo
def test_merged_datasets_next_to_cdo():
    files = fields("a.nc", "t2m"), fields("b.nc", "v")
    ncz.copy(files, "ncz.nc", notify=ignore_notice)
    found, peer = opened("ncz.nc"), opened(call("cdo", "-O", "merge", *files, "peer.nc"))
    for name in ("t2m", "v", "time"):
        np.testing.assert_array_equal(found[name].values, peer[name].values)


@ncrcat
def test_merged_datasets_next_to_ncks():
    files = fields("a.nc", "t2m"), fields("b.nc", "v")
    shutil.copy("a.nc", "peer.nc")
    call("ncks", "-A", "b.nc", "peer.nc")
    ncz.copy(files, "ncz.nc", notify=ignore_notice)
    xr.testing.assert_equal(opened("ncz.nc"), opened("peer.nc"))


Gaps = dict[str, list[float]]

GAPS: list[tuple[Gaps, Gaps]] = [
    ({"v": [1, math.nan, 3]}, {"v": [1, 2, math.nan]}),  # values that the other lacks
    ({"v": [1, math.nan, 3]}, {"v": [math.nan] * 3, "w": [1, 2, 3]}),
    ({"v": [1, math.nan, 3]}, {"v": [1, 2, 4]}),  # a conflict
    ({"v": [1, math.nan, 3]}, {"v": [math.nan, math.nan, 3]}),
]


def gappy(name: str, values: Gaps, x: Sequence[float] = (0, 1, 2), *, mask: float) -> str:
    """Write a file of variables with missing values."""
    data = {v: ("x", np.array(each, "f4"), {"units": "K"}) for v, each in values.items()}
    encoding = {v: {"_FillValue": np.float32(mask)} for v in values}
    xr.Dataset(data, {"x": list(x)}).to_netcdf(name, engine="netcdf4", encoding=encoding)
    return name


@pytest.mark.parametrize("mask", [math.nan, -999.0])
@pytest.mark.parametrize(("ours", "theirs"), GAPS)
def test_missing_values_of_common_variables_next_to_xarray(ours, theirs, mask):
    files = gappy("a.nc", ours, mask=mask), gappy("b.nc", theirs, mask=mask)
    datasets = [opened(name) for name in files]
    try:
        wanted = xr.merge(datasets)
    except xr.MergeError:
        with pytest.raises(ncz.NczError, match=r"b.nc: /v: \[2\] is 4.0, not 3.0"):
            ncz.copy(files, "all.zarr", notify=ignore_notice)
        assert not os.path.exists("all.zarr")
        return
    ncz.copy(files, "all.zarr", notify=ignore_notice)
    with xr.open_dataset("all.zarr", engine="zarr") as found:
        xr.testing.assert_identical(found.load(), wanted)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([2, 3, 4], r"b.nc: /x: \[0\] is 2, not 0 \(compared with a.nc\)"),
        ([2, 3], r"b.nc: dimension /x has the length 2, but 3 in a.nc; to join the sources along"),
    ],
)
def test_datasets_that_xarray_extends_are_refused(x, message):
    files = (
        gappy("a.nc", {"v": [1, 2, 3]}, mask=math.nan),
        gappy("b.nc", {"w": [1.0] * len(x)}, x, mask=math.nan),
    )
    assert xr.merge(map(opened, files)).x.size == 5 - (len(x) == 2)
    with pytest.raises(ncz.NczError, match=message):
        ncz.copy(files, "all.zarr", notify=ignore_notice)
    assert not os.path.exists("all.zarr")


def test_merged_attributes_and_types_next_to_xarray():
    one, other = fields("a.nc", "t2m"), fields("b.nc", "t2m", "v")
    with xr.open_dataset("b.nc") as dataset:
        changed = dataset.load()
    changed.t2m.attrs["long_name"] = "another"
    changed.to_netcdf("b.nc", engine="netcdf4")
    with pytest.raises(ncz.NczError, match=r"attribute long_name of /t2m is .* attributes=.first"):
        ncz.copy([one, other], "all.zarr", notify=ignore_notice)
    ncz.copy([one, other], "all.zarr", attributes="first", notify=ignore_notice)
    with xr.open_dataset("all.zarr", engine="zarr") as found:
        xr.testing.assert_identical(found.load(), xr.merge(map(opened, (one, other))))
    changed["t2m"] = changed.t2m.astype("f8").drop_encoding()
    changed.to_netcdf("b.nc", engine="netcdf4", mode="w")
    assert xr.merge(map(opened, (one, other))).t2m.dtype == "f8"
    notices: list[Notice] = []
    ncz.copy([one, other], "new.zarr", attributes="first", notify=notices.append)
    assert "/t2m is double, and float in a.nc, whose values are kept" in str(notices)
    with xr.open_dataset("new.zarr", engine="zarr") as found:
        xr.testing.assert_equal(found.load(), xr.merge(map(opened, (one, other))).astype("f4"))


@pytest.mark.parametrize("hours", [(0, 6, 18), (0, 6)])
def test_datasets_that_neither_xarray_nor_ncz_merges(hours):
    files = fields("a.nc", "t2m"), fields("b.nc", "v", hours=hours)
    with pytest.raises(ValueError, match=r"exact|align|conflict"):
        by_merge(*files)
    with pytest.raises(ncz.NczError, match=r"/time"):
        ncz.copy(files, "ncz.nc", notify=ignore_notice)
    assert not os.path.exists("ncz.nc")


ENCODINGS: dict[str, Callable[[], dict[str, Any]]] = {
    "as read": dict,
    "other date": lambda: {"time": {"units": "seconds since 1970-01-01"}},
    "double": lambda: {"time": {"units": "days since 2000-01-01", "dtype": "f8"}},
}


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_store_of_xarray_grows(encoding, zarr_format):
    first, more = write("a.nc", [0, 6, 12]), write("b.nc", [18, 24], UNITS[0])
    with xr.open_dataset(first) as dataset:
        settings = ENCODINGS[encoding]()
        dataset.to_zarr("s.zarr", zarr_format=zarr_format, encoding=settings, consolidated=True)
    ncz.copy(more, "s.zarr", append="time", verify=True, notify=ignore_notice)
    for consolidated in (True, False):
        with xr.open_zarr("s.zarr", consolidated=consolidated) as found:
            xr.testing.assert_equal(found.load(), by_xarray(first, more))
    before = {p: p.read_bytes() for p in Path("s.zarr").rglob("*") if p.is_file()}
    with pytest.raises(ncz.NczError, match=r"b.nc: all its values of /time are in s.zarr"):
        ncz.copy(more, "s.zarr", append="time", notify=ignore_notice)
    assert before == {p: p.read_bytes() for p in Path("s.zarr").rglob("*") if p.is_file()}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_the_end_of_a_store_is_replaced_next_to_xarray(zarr_format):
    first, more = write("a.nc", [0, 6, 12, 18]), write("b.nc", [12, 18, 24, 30], UNITS[1])
    with xr.open_dataset(more) as dataset:
        changed = dataset.load()
    changed.t2m[:] = changed.t2m + 100
    changed.to_netcdf("b.nc", engine="netcdf4", unlimited_dims=["time"])
    with xr.open_dataset(first) as dataset:
        dataset.to_zarr("s.zarr", zarr_format=zarr_format, consolidated=True)
    options: dict[str, Any] = {"append": "time", "overlap": "last", "attributes": "first"}
    ncz.copy(more, "s.zarr", verify=True, notify=ignore_notice, **options)
    wanted = xr.concat([opened(first).isel(time=slice(2)), opened("b.nc")], "time")
    for consolidated in (True, False):
        with xr.open_zarr("s.zarr", consolidated=consolidated) as found:
            xr.testing.assert_equal(found.load(), wanted)
    late = write("c.nc", [21, 33])
    ncz.copy(late, "s.zarr", append="time", sort=True, attributes="first", notify=ignore_notice)
    wanted = xr.concat([wanted, opened(late)], "time").sortby("time")
    with xr.open_zarr("s.zarr") as found:
        xr.testing.assert_equal(found.load(), wanted)


@ncrcat
def test_an_append_next_to_ncrcat():
    first, more = write("a.nc", [0, 6, 12]), write("b.nc", [18, 24], UNITS[0])
    ncz.copy(first, "s.zarr", notify=ignore_notice)
    ncz.copy(more, "s.zarr", append="time", notify=ignore_notice)
    ncz.copy("s.zarr", "ncz.nc", notify=ignore_notice)
    shutil.copy(first, "peer.nc")
    assert_same("ncz.nc", call("ncrcat", "--rec_apn", more, "peer.nc"))


def test_a_master_next_to_xarray(run: Run):
    files = (
        write("b.nc", [24, 30], UNITS[1], packing=(0.02, 30.0)),
        write("a.nc", [0, 6, 12], packing=(0.01, 10.0)),
    )
    done = run("aggregate", "all.nca", *files, "--axis", "time", "--unpack")
    assert done.code == 0, done.stderr
    with xr.open_dataset("all.nca", engine="ncz") as found:
        xr.testing.assert_allclose(found.load(), by_xarray(*files[::-1]), rtol=0, atol=4e-6)
