"""``python -m benchmarks.vast``: datasets of 50 GB, of a million chunks, and copies with Dask.

Each chunk has one value, which differs between chunks, so that 50 GB fit on a disk. Every work runs
on a tenth of the data first: memory should stay the same, and the time should grow tenfold at most.
The exit code is 1 if one does not.

A million chunks are a million files. They are kept in memory if there is enough, because ext4 takes
more time for each file of such a large folder, and even more for minutes after many files were
removed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import make
from benchmarks.measure import Measured, measure
from benchmarks.row import NCZ, remove
from benchmarks.rows.cluster import cluster

_MORE_TIME = 1.3
"""The time for each unit may grow by this factor."""

_MORE_MEMORY = 1.5
"""Memory may grow by this factor, which includes the tables of chunks."""

_IN_MEMORY = "/dev/shm"
_MEMORY_OF_A_FILE = 16 << 10
"""Bytes of memory for each chunk: of the source and of one target at a time, with a margin."""

_OVERHEAD = 1.1
"""A copy with Dask may take this many times as long as one in a process with as many threads."""


@dataclass(frozen=True, slots=True)
class Work:
    """A command, and the size of its data."""

    name: str
    units: int
    unit: str
    command: list[str]
    target: Path | None = None


def values(folder: Path, gigabytes: float) -> Iterator[Work]:
    """Yield the works on one variable of chunks of 8 MB."""
    steps = max(1, int(gigabytes * 125))
    store, made = folder / "vast.zarr", folder / "made.zarr"
    make("field", store, "constant", (steps, 1000, 1000), (1, 1000, 1000), 1)
    size = f"{steps * 8 / 1000:g} GB"
    yield Work(f"copy of {size}", steps, "chunk", ["copy", str(store), str(made)], made)
    rechunk = [
        "copy",
        "--memory",
        "1GB",
        "-c",
        f"d0/{min(steps, 50)},d1/100,d2/1000",
        str(store),
        str(made),
    ]
    yield Work(f"rechunk of {size}", steps, "chunk", rechunk, made)
    yield Work(f"dump of {size}", steps, "chunk", ["dump", str(store)])
    remove((store,))


def chunks(folder: Path, count: int) -> Iterator[Work]:
    """Yield the works on one variable of `count` chunks of 64 bytes."""
    store, made = folder / "chunks.zarr", folder / "made.zarr"
    make("field", store, "double", (count * 8,), (8,), 0)
    told = f"{count:,} chunks"
    yield Work(f"copy of {told}", count, "chunk", ["copy", str(store), str(made)], made)
    rechunk = ["copy", "-c", "d0/80000", str(store), str(made)]
    yield Work(f"rechunk of {told}", count, "chunk", rechunk, made)
    yield Work(f"dump of {told}", count, "chunk", ["dump", str(store)])
    remove((store,))


def run(work: Work) -> Measured:
    """Run a work once, print its time and memory, and remove its target."""
    done = measure([*NCZ, *work.command])
    remove((work.target,) if work.target else ())
    each = done.seconds / work.units * 1e6
    print(  # noqa: T201
        f"{work.name}: {done.seconds:.1f} s, {each:.0f} us a {work.unit}, {done.memory >> 20} MB",
        flush=True,
    )
    return done


def grows(small: Iterator[Work], large: Iterator[Work]) -> bool:
    """Run works on less and on more data; return whether one grows more than it may."""
    before = [(work.units, run(work)) for work in small]
    wrong = False
    for (units, first), work in zip(before, large, strict=True):
        done = run(work)
        slower = done.seconds / work.units > _MORE_TIME * first.seconds / units
        larger = done.memory > _MORE_MEMORY * first.memory
        if slower or larger:
            print(f"{work.name}: {'slower' if slower else 'more memory'} than a tenth of it")  # noqa: T201
            wrong = True
    return wrong


def place_for(count: int) -> str | None:
    """Return the folder in memory, if `count` chunks fit; None for the usual temporary folder."""
    if not os.path.isdir(_IN_MEMORY):
        return None
    return _IN_MEMORY if shutil.disk_usage(_IN_MEMORY).free > count * _MEMORY_OF_A_FILE else None


def with_dask(folder: Path, gigabytes: float, workers: int) -> bool:
    """Compare a copy by workers of Dask with one in a process; return whether it takes too long."""
    steps = max(1, int(gigabytes * 125))
    store, made = folder / "vast.zarr", folder / "made.zarr"
    make("field", store, "rounded", (steps, 1000, 2000), (1, 1000, 2000), 1)
    copy = ["copy", "--codec", "shuffle+zlib:5", str(store), str(made)]
    told = f"recode of {steps * 8 / 1000:g} GB"
    threads = ["--threads", str(workers)]
    alone = run(Work(f"{told}, {workers} threads", steps, "chunk", [*copy, *threads], made))
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(cluster(workers, 1))
        words = [*copy, "--dask", address]
        with_workers = run(Work(f"{told}, {workers} workers", steps, "chunk", words, made))
    remove((store,))
    overhead = with_workers.seconds / alone.seconds
    print(f"{told}: {workers} Dask workers take {overhead:.2f} times as long")  # noqa: T201
    return overhead > _OVERHEAD


def main() -> int:
    """Run everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vast", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=50.0, help="of values (default: 50)")
    parser.add_argument("--chunks", type=int, default=1_000_000, help="default: 1,000,000")
    parser.add_argument("--dask", type=float, default=5.0, help="gigabytes (default: 5)")
    parser.add_argument("--only", default="values,chunks,dask", help="some of: %(default)s")
    options = parser.parse_args()
    only, size, count = options.only.split(","), options.gigabytes, options.chunks
    wrong = False
    with tempfile.TemporaryDirectory(prefix="ncz-vast-") as name:
        folder = Path(name)
        if "values" in only:
            wrong |= grows(values(folder, size / 10), values(folder, size))
        if "dask" in only:
            wrong |= with_dask(folder, options.dask, 4)
    with tempfile.TemporaryDirectory(prefix="ncz-vast-", dir=place_for(count)) as name:
        if "chunks" in only:
            wrong |= grows(chunks(Path(name), count // 10), chunks(Path(name), count))
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
