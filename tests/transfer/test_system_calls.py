"""System calls for each small chunk, which take most of its time."""

from __future__ import annotations

import collections
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.zmap.local.tree import IS_AVAILABLE
from tests.sampled import sampled

FEW, MANY = 300, 1500
"""Numbers of chunks; the difference excludes calls that a command makes once."""

NAMES = (
    "open", "close", "read", "write", "pread", "pwrite", "lseek", "fstat", "stat", "lstat",
    "scandir", "listdir", "replace", "rename", "link", "unlink", "mkdir", "fsync", "fdatasync",
    "copy_file_range", "sendfile", "truncate", "ftruncate", "utime",
)  # fmt: skip


def written() -> int:
    """Return the number of calls of this process that write; 0 if no file says it.

    zipfile and HDF5 call them themselves.
    """
    try:
        lines = Path("/proc/self/io").read_text().splitlines()
    except OSError:
        return 0
    return int(dict(line.split(": ") for line in lines)["syscw"])


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[collections.Counter[str]]:
    """Count the calls of functions of `os`, and the calls that write as "written"."""
    calls: collections.Counter[str] = collections.Counter()

    def counted(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            calls[name] += 1
            return function(*arguments, **named)

        return call

    with monkeypatch.context() as patch:
        for name in NAMES:
            if hasattr(os, name):
                patch.setattr(os, name, counted(name, getattr(os, name)))
        before = written()
        yield calls
        calls["written"] = written() - before


def make(path: Path, count: int, compressor: dict[str, object] | None = None) -> Path:
    """Create a store with chunks of 16 floats."""
    document = {
        "zarr_format": 2, "shape": [count * 16], "chunks": [16], "dtype": "<f4", "order": "C",
        "fill_value": None, "filters": None, "compressor": compressor,
    }  # fmt: skip
    (path / "v").mkdir(parents=True)
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    (path / "v/.zarray").write_text(json.dumps(document))
    (path / "v/.zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    for number in range(count):
        (path / f"v/{number}").write_bytes(values_of(number).tobytes())
    return path


def values_of(number: int) -> np.ndarray:
    """Return the values of a chunk."""
    return np.arange(number, number + 16, dtype="<f4")


def dump(source: Path, target: Path) -> None:
    target.write_text(ncz.dump(source))


def statistics(source: Path, target: Path) -> None:
    ncz.info(source, stats=True)


def to_zip(source: Path, target: Path) -> None:
    ncz.copy(source, target, audience=["zarr-python"])


def rechunk(source: Path, target: Path) -> None:
    ncz.copy(source, target, chunks="x/100000")


WORK: dict[str, tuple[Callable[[Path, Path], object], str, float, float]] = {
    "dump": (dump, "x.cdl", 5, 0.5),
    "info": (statistics, "", 6, 0.5),
    "zip": (to_zip, "x.zip", 5, 0.1),
    "netCDF-4": (ncz.copy, "x.nc", 5, 1.5),
    "rechunk": (rechunk, "x.zarr", 5, 0.1),
    "directory": (ncz.copy, "x.zarr", 7, 1.1),
}
"""The work, its target, and the most calls for each chunk: of functions of `os`, and that write."""


@pytest.mark.parametrize("work", sampled(WORK, 2))
def test_calls_for_each_small_chunk(work, tmp_path, monkeypatch):
    """A chunk is opened, its size is requested, it is read, compared again, and closed."""
    function, name, most, most_written = WORK[work]
    found = []
    for count in (FEW, MANY):
        source = make(tmp_path / f"{count}.zarr", count)
        target = tmp_path / f"{count}-{name}"
        with counting(monkeypatch) as calls:
            function(source, target)
        found.append(calls)
    if target.suffix in (".zip", ".nc", ".zarr"):
        with ncz.open(target) as copy:
            expected = np.concatenate([values_of(number) for number in range(MANY)])
            assert np.array_equal(copy["v"][:], expected)
    few, many = found
    each = {name: (many[name] - few[name]) / (MANY - FEW) for name in many}
    own = sum(number for name, number in each.items() if name not in ("written", "write"))
    calls_of_path = 0 if IS_AVAILABLE else 1  # a system without `openat` looks for links
    assert 4.9 < own < most + calls_of_path + 0.1
    assert each["written"] <= most_written
