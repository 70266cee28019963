"""Copies with --each and --split: to a target for each source, or for each part of a dimension."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.errors import StoreExists, ignore_notice
from tests.interop.targets import run_ncz

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")


def days(first: str, count: int, calendar: str = "standard") -> Any:
    time = xr.date_range(first, periods=count, freq="D", calendar=calendar, use_cftime=True)
    values = np.random.default_rng(count).normal(size=(count, 3))
    return xr.Dataset({"v": (("time", "x"), values)}, {"time": time})


@pytest.fixture
def sources(tmp_path):
    for number in range(3):
        ncz.copy(days("2000-01-01", 5 + number), tmp_path / f"d.{number}.nc", notify=ignore_notice)
    return [tmp_path / f"d.{number}.nc" for number in range(3)]


@pytest.mark.parametrize(
    ("target", "options", "names"),
    [
        ("out", [], ["d.0.zarr", "d.1.zarr", "d.2.zarr"]),
        ("out/", ["-4"], ["d.0.nc", "d.1.nc", "d.2.nc"]),
        ("out/{}-copy.nc", [], ["d.0-copy.nc", "d.1-copy.nc", "d.2-copy.nc"]),
        ("out", ["--mode", "zip"], ["d.0.zip", "d.1.zip", "d.2.zip"]),
        ("out", ["--mode", "reference"], ["d.0.json", "d.1.json", "d.2.json"]),
        ("out/{}.cdl", [], ["d.0.cdl", "d.1.cdl", "d.2.cdl"]),
    ],
)
def test_each_source_has_a_target(sources, target, options, names, tmp_path):
    done, _ = run_ncz("copy", "--each", *options, *map(str, sources), f"{tmp_path}/{target}")
    assert done.code == 0, done.error
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == names
    for source, name in zip(sources, names, strict=True):
        copied = tmp_path / "out" / name
        if not name.endswith(".cdl"):
            assert not ncz.diff(source, copied)


def test_nothing_is_copied_if_one_target_exists(sources, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    ncz.copy(sources[2], out / "d.2.zarr", notify=ignore_notice)
    with pytest.raises(StoreExists, match=r"d\.2\.zarr"):
        ncz.copy(sources, out, each=True, notify=ignore_notice)
    assert [path.name for path in out.iterdir()] == ["d.2.zarr"]
    summary = ncz.copy(sources, out, each=True, resume=True, notify=ignore_notice)
    assert len(summary.targets) == 3
    assert sorted(path.name for path in out.iterdir()) == ["d.0.zarr", "d.1.zarr", "d.2.zarr"]


def test_an_error_says_how_to_copy_the_rest(sources, tmp_path):
    sources[1].write_bytes(b"not a dataset")
    with pytest.raises(ncz.NczError) as error:
        ncz.copy(sources, tmp_path / "out", each=True, notify=ignore_notice)
    assert "d.1.nc" in str(error.value)
    assert "2 targets are complete" in str(error.value)
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == ["d.0.zarr", "d.2.zarr"]


def test_two_sources_of_one_name_are_refused(sources, tmp_path):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "d.0.nc"
    other.write_bytes(sources[0].read_bytes())
    with pytest.raises(ncz.NczError, match="two targets have one name"):
        ncz.copy([*sources, other], tmp_path / "out", each=True, notify=ignore_notice)
    assert not (tmp_path / "out").exists()


@given(
    year=st.integers(1990, 2090),
    month=st.integers(1, 12),
    count=st.integers(1, 80),
    rule=st.sampled_from(["year", "month", "day"]),
    calendar=st.sampled_from(["standard", "noleap", "360_day"]),
)
def test_the_parts_are_the_groups_of_xarray(year, month, count, rule, calendar, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    ds = days(f"{year}-{month:02}-15", count, calendar)
    ncz.copy(ds, folder / "all.nc", notify=ignore_notice)
    summary = ncz.copy(
        folder / "all.nc", folder / "p" / "{}.nc", split=f"time={rule}", notify=ignore_notice
    )
    labels = ds.time.dt.strftime({"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}[rule])
    expected = {f"{folder}/p/{label}.nc" for label in labels.values.tolist()}
    assert {*summary.targets} == expected
    for label, group in ds.groupby(labels.rename("label")):
        with xr.open_dataset(folder / "p" / f"{label}.nc", decode_times=False) as part:
            np.testing.assert_array_equal(part.v, group.v)


def test_a_dimension_is_split_by_length_and_by_name(tmp_path):
    names = ["south/a", "b", "south/a"]
    ds = xr.Dataset({"v": (("name", "x"), np.arange(9).reshape(3, 3))}, {"name": names})
    ncz.copy(ds, tmp_path / "a.zarr", notify=ignore_notice)
    by_name = ncz.copy(tmp_path / "a.zarr", tmp_path / "n", split="name", notify=ignore_notice)
    assert [name.rpartition("/")[2] for name in by_name.targets] == [
        "a-south_a.zarr", "a-b.zarr"
    ]  # fmt: skip
    assert ncz.open(tmp_path / "n/a-south_a.zarr")["v"][...].tolist() == [[0, 1, 2], [6, 7, 8]]
    ncz.copy(tmp_path / "a.zarr", tmp_path / "x{}.nc", split="x=2", notify=ignore_notice)
    assert ncz.open(tmp_path / "x0.nc")["v"].shape == (3, 2)
    assert ncz.open(tmp_path / "x2.nc")["v"].shape == (3, 1)


@pytest.mark.parametrize(
    ("source", "options", "suffix"),
    [
        ("d.0.nc", {}, "nc"),
        ("d.0.nc", {"cloud": True}, "zarr"),
        ("d.0.nc", {"modes": ["v3"]}, "zarr"),
        ("d.zarr", {}, "zarr"),
        ("d.cdl", {}, "zarr"),
    ],
)
def test_parts_of_a_netcdf_file_are_netcdf_files(sources, tmp_path, source, options, suffix):
    for other in ("d.zarr", "d.cdl"):
        ncz.copy(sources[0], tmp_path / other, notify=ignore_notice)
    out = tmp_path / "out"
    ncz.copy(tmp_path / source, out, split="time=3", notify=ignore_notice, **options)
    assert {path.suffix for path in out.iterdir()} == {f".{suffix}"}


def test_joined_sources_are_split(tmp_path):
    for year in (2001, 2002):
        ncz.copy(days(f"{year}-12-31", 2), tmp_path / f"{year}.nc", notify=ignore_notice)
    sources = [tmp_path / "2001.nc", tmp_path / "2002.nc"]
    ncz.copy(sources, tmp_path / "y{}.zarr", concat="time", split="time=year", notify=ignore_notice)
    lengths = [ncz.open(tmp_path / f"y{year}.zarr")["v"].shape[0] for year in (2001, 2002, 2003)]
    assert lengths == [1, 2, 1]


def test_a_plan_and_a_report_name_each_target(sources, tmp_path):
    line = ["copy", "--each", *map(str, sources), f"{tmp_path}/out"]
    done, out = run_ncz(*line, "--dry-run")
    assert done.code == 0
    assert out.decode().count(".zarr:\nvariable") == 3
    assert not (tmp_path / "out").exists()
    done, out = run_ncz(*line, "--json")
    reports = [json.loads(line) for line in out.decode().splitlines()]
    assert [report["target"].rpartition("/")[2] for report in reports] == [
        "d.0.zarr", "d.1.zarr", "d.2.zarr"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--split", "time=decade"], "--split time=decade is not valid; write DIM=year|month|day"),
        (["--split", "x=year"], "the dimension has no coordinate variable"),
        (["--split", "z"], "no dimension is named 'z'"),
        (["--split", "time=year", "--sel", "time=2000"], "time cannot be selected and split"),
        (["--each", "--concat", "time"], "--each and --concat cannot be used together"),
        (["--split", "time=year", "--append", "time"], "--split cannot be used with --append"),
    ],
)
def test_datasets_that_cannot_be_divided_are_errors(sources, options, text, tmp_path):
    done, _ = run_ncz("copy", *options, str(sources[0]), f"{tmp_path}/out")
    assert done.code in (1, 2)
    assert text in (done.error or "")
    assert not (tmp_path / "out").exists()


def test_a_target_without_a_place_for_names_is_refused(sources, tmp_path):
    line = ["copy", "--split", "time=year", str(sources[0]), f"{tmp_path}/out.nc"]
    done, _ = run_ncz(*line)
    assert done.code == 2
    assert "write " in (done.error or "")
    assert "out-{}.nc" in (done.error or "")


def test_a_period_alone_is_one_of_time(tmp_path):
    ncz.copy(days("2000-01-30", 4), tmp_path / "days.nc", notify=ignore_notice)
    ncz.copy(tmp_path / "days.nc", tmp_path / "out/{}.nc", split="month", notify=ignore_notice)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "2000-01.nc",
        "2000-02.nc",
    ]


def test_a_dimension_of_that_name_is_meant(tmp_path):
    climate = xr.Dataset({"v": ("month", np.arange(3.0))})
    ncz.copy(climate, tmp_path / "climate.nc", notify=ignore_notice)
    ncz.copy(tmp_path / "climate.nc", tmp_path / "out/{}.nc", split="month", notify=ignore_notice)
    assert len([*(tmp_path / "out").iterdir()]) == 3


@pytest.mark.parametrize(
    ("target", "options", "names"),
    [
        ("month_", {}, {"month_2020-01.nc", "month_2020-02.nc"}),
        ("month_.nc", {}, {"month_2020-01.nc", "month_2020-02.nc"}),
        ("month-", {"modes": "zarr"}, {"month-2020-01.zarr", "month-2020-02.zarr"}),
        ("folder_", {}, {"folder_/a-2020-01.nc", "folder_/a-2020-02.nc"}),
    ],
)
def test_a_target_may_be_the_beginning_of_names(tmp_path, target, options, names):
    """So it is for cdo splitmon; an existing folder is a folder."""
    text = b"""netcdf a { dimensions: time = 2 ; variables: int time(time) ;
 time:units = "days since 2020-01-01" ; data: time = 0, 40 ; }"""
    ncz.gen(io.BytesIO(text), tmp_path / "a.nc")
    (tmp_path / "folder_").mkdir()
    ncz.copy(tmp_path / "a.nc", tmp_path / target, split="month", **options)
    assert all((tmp_path / name).exists() for name in names)
