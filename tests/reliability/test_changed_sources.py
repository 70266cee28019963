"""Files of archives that change afterwards: each is reported, and none is read wrong.

A case draws files, references to them, and a change of one of them.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import ncz
from ncz.errors import NczError, ignore_notice
from tests.sampled import sampled

netcdf4 = pytest.importorskip("netCDF4")

Values = np.ndarray[Any, np.dtype[np.float64]]

FORMS = ["contiguous", "compressed", "classic"]


def write(path: Path, values: Values, form: str) -> None:
    """Write a record of values, and its number as the coordinate."""
    kind = "NETCDF3_64BIT_OFFSET" if form == "classic" else "NETCDF4"
    with netcdf4.Dataset(path, "w", format=kind) as file:
        file.createDimension("t", None if form == "classic" else 1)
        file.createDimension("x", values.size)
        how = {"zlib": True, "complevel": 1, "chunksizes": (1, min(1000, values.size))}
        file.createVariable("t", "i4", ("t",))[0] = int(path.stem[1:])
        options = how if form == "compressed" else {}
        file.createVariable("v", "f8", ("t", "x"), **options)[0] = values


def as_json(names: list[str], drawn: random.Random) -> str:
    target = drawn.choice(["all.json", "all.json.zst", "all.json#reference.relative_to=ref"])
    ncz.copy(names, target, concat="t", inline=0, notify=ignore_notice)
    return target


def as_parquet(names: list[str], drawn: random.Random) -> str:
    ncz.copy(names, "all.parq", concat="t", inline=0, notify=ignore_notice)
    return "all.parq"


def as_repository(names: list[str], drawn: random.Random) -> str:
    icechunk = pytest.importorskip("icechunk")
    has_names = hasattr(icechunk, "FeatureFlag")
    fragment = drawn.choice(["", "#reference.relative_to=ref"]) if has_names else ""
    target = f"all.icechunk{fragment}"
    held = drawn.randint(1, len(names))  # the others are appended
    how: Any = {"modes": ("reference",), "inline": 0, "notify": ignore_notice}
    ncz.copy(names[:held], target, concat="t", **how)
    for name in names[held:]:
        ncz.copy(name, "all.icechunk", append="t", notify=ignore_notice)
    return "all.icechunk"


def as_master(names: list[str], drawn: random.Random) -> str:
    mode: Literal["cfa", "cf", "cfa0.4"] = drawn.choice(["cfa", "cf", "cfa0.4"])
    target = drawn.choice(["all.nca", "all.zarr"])
    ncz.aggregate(names, target, axis="t", mode=mode, notify=ignore_notice)
    return target


ARCHIVES: list[Callable[[list[str], random.Random], str]] = [
    as_json, as_parquet, as_repository, as_master,
]  # fmt: skip


def with_time(path: Path, before: os.stat_result, drawn: random.Random) -> None:
    """Give a file a time from before or after, by nanoseconds or by years."""
    step = drawn.choice([1000, 10**6, 10**9, 10**10, 10**16]) * drawn.choice([-1, 1])
    os.utime(path, ns=(0, max(0, before.st_mtime_ns + step)))


def changed(path: Path, drawn: random.Random) -> None:
    """Change some bytes in place."""
    before = path.stat()
    data = bytearray(path.read_bytes())
    for _ in range(drawn.choice([1, 8, 1000])):
        data[drawn.randrange(len(data))] ^= drawn.randrange(1, 256)
    path.write_bytes(data)
    with_time(path, before, drawn)


def changed_at_once(path: Path, drawn: random.Random) -> None:
    """Change bytes near the beginning, in the moment when the file was written."""
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[drawn.randrange(min(len(data), 1 << 15))] ^= drawn.randrange(1, 256)
    path.write_bytes(data)
    os.utime(path, ns=(0, before.st_mtime_ns))


def truncated(path: Path, drawn: random.Random) -> None:
    before = path.stat()
    path.write_bytes(path.read_bytes()[: drawn.randrange(before.st_size)])
    if drawn.random() < 0.5:
        os.utime(path, ns=(0, before.st_mtime_ns))
    else:
        with_time(path, before, drawn)


def longer(path: Path, drawn: random.Random) -> None:
    before = path.stat()
    path.write_bytes(path.read_bytes() + bytes(drawn.randrange(1, 5000)))
    os.utime(path, ns=(0, before.st_mtime_ns))


def replaced(path: Path, drawn: random.Random) -> None:
    """Let a file of other values, and of the same size if it is not compressed, be in its place."""
    before = path.stat()
    with netcdf4.Dataset(path) as file:
        form = "classic" if file.data_model.startswith("NETCDF3") else "contiguous"
        count = file.dimensions["x"].size
    other = path.with_name("other") / path.name
    other.parent.mkdir()
    write(other, np.random.default_rng(drawn.randrange(1 << 30)).random(count), form)
    with_time(other, before, drawn)
    os.replace(other, path)
    other.parent.rmdir()


def exchanged(path: Path, drawn: random.Random) -> None:
    """Replace this source by a copy of another one, with its time."""
    others = [each for each in path.parent.glob("s*.nc") if each != path]
    if not others:
        removed(path, drawn)
        return
    shutil.copy2(drawn.choice(others), path)


def removed(path: Path, drawn: random.Random) -> None:
    path.unlink()


CHANGES: list[Callable[[Path, random.Random], None]] = [
    changed, changed_at_once, truncated, longer, replaced, exchanged, removed,
]  # fmt: skip


def read_or_refused(target: str, index: int) -> Values | None:
    """Return the values of one record, or None if ncz refuses to read them."""
    try:
        with ncz.open(target) as dataset:
            found: Values = np.asarray(dataset["v"][index])
            return found
    except NczError:
        return None


def run_case(seed: int) -> tuple[str, str]:
    """Run a case in the working folder; return the references to the files, and the change."""
    drawn = random.Random(seed)
    count = drawn.randint(1, 4)
    form = drawn.choice(FORMS)
    size = drawn.choice([200, 3000, 9000])
    names = [f"s{number}.nc" for number in range(count)]
    values = [np.random.default_rng([seed, n]).random(size) for n in range(count)]
    for name, each in zip(names, values, strict=True):
        write(Path(name), each, form)
    make, change = drawn.choice(ARCHIVES), drawn.choice(CHANGES)
    target = make(names, drawn)
    for index, each in enumerate(values):
        found = read_or_refused(target, index)
        assert found is not None
        assert np.array_equal(found, each)
    where = drawn.randrange(count)
    before = Path(names[where]).read_bytes()
    change(Path(names[where]), drawn)
    told = f"{make.__name__}, {change.__name__}, {form}, seed {seed}"
    if os.path.exists(names[where]) and Path(names[where]).read_bytes() == before:
        return make.__name__, "nothing"
    for index, each in enumerate(values):
        found = read_or_refused(target, index)
        assert found is None or (index != where and np.array_equal(found, each)), told
        # A repository may refuse all chunks of its container.
        assert found is not None or index == where or make is as_repository, told
    findings = [f for f in ncz.check(target).findings if f.code == "source-changed"]
    assert [f"{names[where]} " in f.message for f in findings] == [True], told
    return make.__name__, change.__name__


SEEDS = [range(20), *(range(first, first + 70) for first in range(20, 1000, 70))]
"""All of them are 1,000 cases."""


@pytest.mark.parametrize("seeds", sampled(SEEDS, len(SEEDS)), ids=str)
def test_each_change_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: range
) -> None:
    seen = set()
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        monkeypatch.chdir(folder)
        seen.add(run_case(seed))
    assert len(seen) > 10
