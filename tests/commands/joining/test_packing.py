"""Joins of values whose packing differs: values read and written, and space for more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.commands.copy.dataset import copy_dataset
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.joining.options import JoinOptions
from ncz.commands.joining.packing import with_headroom
from ncz.errors import Callbacks, ignore_notice
from ncz.zmap.file import LocalFile
from ncz.zmap.location import parse_location
from tests.conftest import Run
from tests.sampled import share_of

netcdf4 = pytest.importorskip("netCDF4")

LENGTHS = (31, 28, 31)
PLACES = (60, 160)


def month(name: str, number: int, form: str = "NETCDF3_64BIT_OFFSET", **options: Any) -> str:
    """Write a file of packed values, whose packing depends on the number."""
    length, start = LENGTHS[number % 3], sum(LENGTHS[:number])
    with netcdf4.Dataset(name, "w", format=form) as file:
        file.createDimension("time", None)
        file.createDimension("y", PLACES[0])
        file.createDimension("x", PLACES[1])
        time = file.createVariable("time", "i4", ("time",))
        time.units = "days since 2000-01-01"
        packed = file.createVariable("v", "i2", ("time", "y", "x"), fill_value=-32767, **options)
        packed.scale_factor, packed.add_offset = 0.01 + 0.001 * number, 270.0 + number
        packed.set_auto_maskandscale(False)
        time[:] = start + np.arange(length)
        values = np.random.default_rng(number).integers(-30000, 30000, (length, *PLACES))
        values[0, 0, 0] = -32767
        packed[:] = values
    return name


def months(form: str = "NETCDF3_64BIT_OFFSET", **options: Any) -> list[str]:
    return [month(f"m{number}.nc", number, form, **options) for number in range(3)]


def unpacked(names: Sequence[str]) -> Any:
    parts = []
    for name in names:
        with netcdf4.Dataset(name) as file:
            parts.append(file["v"][...].filled(np.nan))
    return np.concatenate(parts)


class Counted:
    """Counts the bytes that are read of each file."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.read: dict[str, int] = {}
        inner = LocalFile.read

        def read(file: LocalFile, start: int, count: int) -> bytes:
            name = Path(file.url).name
            self.read[name] = self.read.get(name, 0) + count
            return inner(file, start, count)

        patch.setattr(LocalFile, "read", read)


@pytest.mark.parametrize("target", ["all.zarr", "all.zarr#mode=zarr,v3", "all.nc", "all3.nc"])
@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("NETCDF3_64BIT_OFFSET", {}),
        ("NETCDF4", {"chunksizes": (10, 30, 40)}),
        ("NETCDF4", {"chunksizes": (1, *PLACES)}),
    ],
)
def test_each_piece_is_read_twice_at_most(
    monkeypatch: pytest.MonkeyPatch, form: str, options: dict[str, Any], target: str
) -> None:
    monkeypatch.setattr("ncz.model.linear_blocks.LARGEST_BLOCK", 1 << 17)
    names = months(form, **options)
    more: dict[str, Any] = {"kind": "cdf5"} if target == "all3.nc" else {}
    with monkeypatch.context() as patch:
        counted = Counted(patch)
        ncz.copy(names, target, concat="time", repack="short", notify=ignore_notice, **more)
    for name in names:
        size = Path(name).stat().st_size
        assert size < counted.read[name] < 2.3 * size  # the data twice, and the header
    found = ncz.open(target.partition("#")[0])["v"]
    scale = found.attrs["scale_factor"]
    values = np.where(found[...] == found.attrs["_FillValue"], np.nan, found[...])
    np.testing.assert_allclose(
        values * scale + found.attrs["add_offset"], unpacked(names), rtol=0, atol=scale * 0.51
    )


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_64BIT_OFFSET"])
@pytest.mark.parametrize("chunks", ["time/90,y/3,x/80", "time/7,y/60,x/160", "time/1,y/25,x/49"])
def test_chunks_of_any_shape(form: str, chunks: str) -> None:
    names = months(form)
    ncz.copy(names, "all.zarr", concat="time", repack="int", chunks=[chunks], notify=ignore_notice)
    found = ncz.open("all.zarr").to_xarray()["v"]
    np.testing.assert_allclose(found.values, unpacked(names), rtol=0, atol=1e-6)


@pytest.mark.parametrize("more", [{}, {"repack": "short"}])
def test_chunks_match_one_file(more: dict[str, Any]) -> None:
    if more:
        names = months()
    else:
        names = [month("m0.nc", 0)]
        with netcdf4.Dataset("m1.nc", "w", format="NETCDF3_64BIT_OFFSET") as file:
            copy_of(names[0], file, 31)
        names.append("m1.nc")
    ncz.copy(names, "all.zarr", concat="time", notify=ignore_notice, **more)
    ncz.copy(names[0], "one.zarr", notify=ignore_notice)
    ours, one = ({v.path: v for v in ncz.info(n).variables} for n in ("all.zarr", "one.zarr"))
    length = sum(LENGTHS) if more else 62
    assert [ours[n].chunks for n in ("/time", "/v")] == [(length,), (length, *PLACES)]
    assert [one[n].chunks for n in ("/time", "/v")] == [(31,), (31, *PLACES)]


def copy_of(name: str, file: Any, start: int) -> None:
    """Write the variables of a file to another one, with later times."""
    with netcdf4.Dataset(name) as source:
        for one, dimension in source.dimensions.items():
            file.createDimension(one, None if dimension.isunlimited() else len(dimension))
        for one, variable in source.variables.items():
            attributes = dict(variable.__dict__)
            fill = attributes.pop("_FillValue", None)
            target = file.createVariable(one, variable.dtype, variable.dimensions, fill_value=fill)
            target.setncatts(attributes)
            for each in (variable, target):
                each.set_auto_maskandscale(False)
            target[:] = variable[:] + start if one == "time" else variable[:]


class Steps:
    """Keeps the calls of a bar: the expected number of each part, and the completed one."""

    def __init__(self) -> None:
        self.parts: list[list[Any]] = []

    def expect(self, total: int | None, unit: str = "chunks") -> None:
        self.parts.append([unit, total, 0])

    def advance(self, name: str, count: int, size: int) -> None:
        self.parts[-1][2] += count


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_64BIT_OFFSET"])
def test_the_bar_ends_at_its_total(form: str) -> None:
    steps, names = Steps(), months(form)
    copy_dataset(
        CopyOptions(
            source=parse_location(names[0]),
            more_sources=tuple(map(parse_location, names[1:])),
            target=parse_location("all.zarr"),
            concat="time",
            join=JoinOptions(repack="short"),
            reshape=Reshape(),
        ),
        Callbacks(progress=steps),
    )
    count = sum(LENGTHS) * math.prod(PLACES)
    assert steps.parts[:2] == [["sources", 3, 3], ["values", count, count]]
    unit, expected, done = steps.parts[2]
    assert (unit, done) == ("chunks", expected)
    assert len(steps.parts) == 3


@given(
    st.floats(-1e6, 1e6), st.floats(0, 1e6), st.floats(0, 300),
    st.sampled_from([math.inf, -math.inf]),
)  # fmt: skip
@settings(max_examples=share_of(100), deadline=None)
def test_headroom_is_a_part_of_the_range(
    low: float, length: float, percent: float, none: float
) -> None:
    high = low + length
    first, last = with_headroom(low, high, percent)
    assert first <= low <= high <= last
    room = (high - low) * percent / 100
    assert (low - first, last - high) == pytest.approx((room, room), rel=1e-6, abs=1e-6)
    assert with_headroom(math.inf, -math.inf, percent) == (math.inf, -math.inf)


def test_later_months_fit_into_the_headroom(run: Run) -> None:
    names = months()
    for room, code in ((["--headroom", "5"], 0), ([], 1)):
        options = ["--overwrite", "--concat", "time", "--repack", "short", *room]
        done = run("copy", *options, names[0], names[1], "all.zarr")
        assert done.code == 0, done.stderr
        done = run("copy", "--append", "time", "--repack", "short", names[2], "all.zarr")
        assert done.code == code, done.stderr
    assert "cannot be packed as short" in done.stderr
    assert "join all with --concat to a new store, with --unpack" in done.stderr
    assert "or with --repack short and --headroom for later values" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--concat", "time", "--headroom", "5"],
        ["--headroom", "5"],
    ],
)
def test_headroom_needs_a_new_packing(run: Run, options: list[str]) -> None:
    done = run("copy", *options, "a.nc", "b.nc", "all.zarr")
    assert done.code == 2
    assert "--headroom needs --repack and --concat" in done.stderr


def test_a_store_keeps_its_packing(run: Run) -> None:
    names = months()
    ncz.copy(names[0], "all.zarr", notify=ignore_notice)
    with pytest.raises(ncz.NczError, match="headroom needs repack and concat") as caught:
        ncz.copy(names[1], "all.zarr", append="time", repack="short", headroom=5)
    assert caught.value.hint == "a store keeps its packing"
    options = ["--append", "time", "--repack", "short", "--headroom", "5"]
    done = run("copy", *options, names[1], "all.zarr")
    assert (done.code, "--headroom cannot be used with --append" in done.stderr) == (2, True)


def test_a_month_is_appended_in_two_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncz.model.linear_blocks.LARGEST_BLOCK", 1 << 17)
    names = months()
    ncz.copy(
        names[:2], "all.zarr", concat="time", repack="short", headroom=20, chunks=["time/1"],
        notify=ignore_notice,
    )  # fmt: skip
    with monkeypatch.context() as patch:
        counted = Counted(patch)
        ncz.copy(names[2], "all.zarr", append="time", repack="short", notify=ignore_notice)
    size = Path(names[2]).stat().st_size
    assert size < counted.read[names[2]] < 2.3 * size
    found = ncz.open("all.zarr").to_xarray()["v"]
    np.testing.assert_allclose(found.values, unpacked(names), rtol=0, atol=0.02)


def test_times_of_interleaved_records_are_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    name = month("m.nc", 0)
    with ncz.open(name) as dataset, monkeypatch.context() as patch:
        counted = Counted(patch)
        assert dataset["time"][...].tolist() == [*range(31)]
        assert counted.read[name] == 4 * 31
