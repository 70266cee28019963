"""Files that an append to an archive reads: new ones, and the first, which has x."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from tests.commands.append.growing import FORMS, WIDTH, Form, netcdf4, tells_places, write_day
from tests.sampled import paired, sampled

REPOSITORY = next(form for form in FORMS if form.package == "icechunk")
IS_OLDER = find_spec("icechunk") is not None and not tells_places()
TELLING = [form for form in FORMS if form is not REPOSITORY or not IS_OLDER]
"""The archives that report which file contains a chunk."""
SOME = sampled(TELLING, 2)
"""The same; tests of many files are long for every second one."""

_opened: list[str] = []
_is_heard = False


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if _is_heard and event == "open" and isinstance(arguments[0], str | bytes):
        _opened.append(os.fsdecode(arguments[0]))


@pytest.fixture(scope="module", autouse=True)
def hook() -> None:
    sys.addaudithook(_heard)


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """The paths that this process opens."""
    global _is_heard
    _opened.clear()
    _is_heard = True
    yield _opened
    _is_heard = False


def archive(form: Form, folder: Path, count: int) -> Path:
    files = [write_day(folder / "days" / f"{day:03}.nc", [day]) for day in range(count)]
    return form.join(files, folder)


@pytest.mark.parametrize("form", SOME, ids=lambda form: form.name)
def test_no_file_in_the_archive_is_opened(
    form: Form, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opens = []
    for count in (5, 10, 40):  # the first one imports
        folder = tmp_path / str(count)
        place = archive(form, folder, count)
        new = write_day(folder / "new.nc", [count])
        opened.clear()
        ncz.copy(new, str(place), append="t", notify=ignore_notice)
        opens.append([*opened])
        old = [Path(path).name for path in opens[-1] if f"{os.sep}days{os.sep}" in path]
        assert set(old) <= {"000.nc"}
        with ncz.open(str(place)) as dataset:
            assert np.array_equal(dataset["t"][:], np.arange(count + 1))
            assert np.array_equal(dataset["v"][:, 1], np.arange(count + 1) + 1)
    assert len(opens[1]) == len(opens[2])


@pytest.mark.parametrize("form", TELLING, ids=lambda form: form.name)
def test_files_that_are_elsewhere_now_are_not_needed(form: Form, tmp_path: Path) -> None:
    place = archive(form, tmp_path, 4)
    days, away = [*(tmp_path / "days").iterdir()], tmp_path / "away"
    away.mkdir()
    for path in days:
        if path.name != "000.nc":
            path.rename(away / path.name)
    ncz.copy(
        write_day(tmp_path / "new.nc", [4, 5]), str(place), append="t", verify=True,
        notify=ignore_notice,
    )  # fmt: skip
    for path in away.iterdir():
        path.rename(tmp_path / "days" / path.name)
    with ncz.open(str(place)) as dataset:
        assert np.array_equal(dataset["v"][:, WIDTH - 1], np.arange(6) + WIDTH - 1)
    states = [source.state for source in ncz.info(str(place), sources=True).sources or ()]
    assert {*states} <= {"unchanged", "present"}  # the state of a piece that is a store is unknown
    assert len(states) >= 5


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="reads are counted on Linux")
@pytest.mark.parametrize("form", SOME, ids=lambda form: form.name)
def test_bytes_that_are_read_do_not_grow_with_the_files(form: Form, tmp_path: Path) -> None:
    read = []
    for count in (5, 10, 40):  # the first one imports
        folder = tmp_path / str(count)
        place = archive(form, folder, count)
        new = write_day(folder / "new.nc", [count])
        before = _read()
        ncz.copy(new, str(place), append="t", notify=ignore_notice)
        read.append(_read() - before)
    assert read[2] - read[1] < 30 * 8 * WIDTH / 4  # metadata, and not values


def _read() -> int:
    """Return the bytes that this process has read so far."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["rchar"])


@pytest.mark.skipif(not IS_OLDER, reason="icechunk reports places of chunks, or is missing")
def test_an_older_library_needs_all_files_unchanged(tmp_path: Path, opened: list[str]) -> None:
    place = archive(REPOSITORY, tmp_path, 4)
    opened.clear()
    ncz.copy(write_day(tmp_path / "new.nc", [4]), str(place), append="t", notify=ignore_notice)
    old = {Path(path).name for path in opened if f"{os.sep}days{os.sep}" in path}
    assert old == {f"{day:03}.nc" for day in range(4)}
    (tmp_path / "days" / "002.nc").rename(tmp_path / "away.nc")
    with pytest.raises(ZmapError, match=r"does not exist: .*002\.nc"):
        ncz.copy(write_day(tmp_path / "more.nc", [5]), str(place), append="t", notify=ignore_notice)
    (tmp_path / "away.nc").rename(tmp_path / "days" / "002.nc")
    with ncz.open(str(place)) as dataset:
        assert np.array_equal(dataset["t"][:], np.arange(5))


SPAN = 600


def write_hours(path: Path, first: int, count: int = SPAN) -> str:
    """Write a file with enough times that sets refer to them."""
    hours = np.arange(first, first + count)
    with netcdf4.Dataset(path, "w") as file:
        file.createDimension("t", count)
        file.createVariable("t", "f8", ("t",), chunksizes=(min(count, SPAN),))[:] = hours
        file.createVariable("v", "f8", ("t",), chunksizes=(min(count, SPAN),))[:] = hours
    return str(path)


@pytest.mark.long
@pytest.mark.parametrize(
    "form", sampled([form for form in TELLING if form.master is None], 2), ids=lambda f: f.name
)
def test_only_the_last_times_of_an_archive_are_read(
    form: Form, tmp_path: Path, opened: list[str]
) -> None:
    for count in (20, 40):
        folder = tmp_path / str(count)
        (folder / "days").mkdir(parents=True)
        files = [write_hours(folder / "days" / f"{n:03}.nc", SPAN * n) for n in range(count)]
        place = form.join(files, folder)
        if form.name == "a.json":
            assert all("t/" in line for line in place.read_text().splitlines()[1 : count + 1])
        new = write_hours(folder / "new.nc", SPAN * count)
        opened.clear()
        ncz.copy(new, str(place), append="t", notify=ignore_notice)
        old = {Path(path).name for path in opened if f"{os.sep}days{os.sep}" in path}
        assert old == {f"{n:03}.nc" for n in range(count - 16, count)}
        with ncz.open(str(place)) as dataset:
            assert np.array_equal(dataset["t"][:], np.arange(SPAN * count + SPAN))


@pytest.mark.parametrize(
    ("first", "rule", "sign"), paired([40 * SPAN - 50, 15 * SPAN, 50], ["first", "last"], [1, -1])
)
def test_more_times_are_read_where_values_overlap(
    rule: Literal["first", "last"], first: int, sign: int, tmp_path: Path
) -> None:
    files = [write_hours(tmp_path / f"{n:03}.nc", SPAN * n) for n in range(40)]
    new = write_hours(tmp_path / "new.nc", first, 41 * SPAN - first)
    with netcdf4.Dataset(new, "a") as file:
        file["v"][:] = -1
    if sign < 0:
        for path in (*files, new):
            with netcdf4.Dataset(path, "a") as file:
                file["t"][:] = -file["t"][:]
    place = tmp_path / "a.zarr"
    ncz.copy(files, str(place), concat="t", notify=ignore_notice)
    ncz.copy(new, str(place), append="t", overlap=rule, notify=ignore_notice)
    with ncz.open(str(place)) as dataset:
        hours = np.arange(41 * SPAN)
        assert np.array_equal(dataset["t"][:], sign * hours)
        start = first if rule == "last" else 40 * SPAN
        assert np.array_equal(dataset["v"][:], np.where(hours < start, hours, -1))
