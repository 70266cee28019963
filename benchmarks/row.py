"""A row of the table: a command of ncz, the command of a peer, and the target ratio."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Measured, best, measure
from benchmarks.scale import Scale

_aside = itertools.count()

NCZ = [sys.executable, "-m", "ncz"]


@dataclass(frozen=True, slots=True)
class Limit:
    """The time of the machine alone: the codecs in memory, a copy of the bytes, the round trips."""

    name: str
    command: list[str] | None = None
    """Prints the time in seconds. It runs while the target of ncz exists."""
    seconds: float | None = None
    """The time, if it is known beforehand."""
    most: float | None = None
    """ncz should take at most this many times as long."""

    def measure(self) -> float:
        """Return the time in seconds."""
        if self.seconds is not None:
            return self.seconds
        assert self.command is not None
        done = subprocess.run(self.command, check=True, capture_output=True, text=True, timeout=600)
        return float(done.stdout)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: the commands of ncz and of its peer, and the outputs to compare."""

    work: str
    peer: str
    """Name of the peer; empty without a peer."""
    ours: list[str]
    theirs: list[str] | None = None
    target: float | None = None
    """The smallest acceptable ratio of the peer's time to the time of ncz."""
    most_memory: int | float | None = None
    """Most memory of ncz: MB if whole, and the share of the peer's if a fraction."""
    most_seconds: float | None = None
    """Most time of ncz, as people wait for it."""
    texts: bool = False
    """Whether both print text, which must be equal except for the first line."""
    targets: tuple[Path, ...] = ()
    """Stores that the commands create, removed before each run; ncz creates the first one."""
    requests: tuple[list[str], int] | None = None
    """The list of requests that a server extends, and the most requests that ncz should make."""
    verify: bool = False
    """Whether the last two words of `ours` are source and target, whose values must be equal."""
    many_files: bool = False
    """Whether `targets` stay, empty and under other names, until all rows are measured. After many
    files were removed, ext4 without a journal takes many times as long to create others, for
    minutes."""
    clearing: tuple[list[str], ...] = ()
    """Commands that remove the results of a run from a server; each may fail."""
    limit: Limit | None = None
    each: tuple[int, str, float] | None = None
    """Number of units (chunks, variables), the unit, and the most microseconds for each."""
    told: str = ""
    """The work in the words of users, if the row stands in the table for them."""


@dataclass(frozen=True, slots=True)
class Result:
    """The measurements of a row."""

    row: Row
    ours: Measured
    theirs: Measured | None
    requests: int | None = None
    """Requests of the last run of ncz."""
    limit: float | None = None
    """Seconds of the row's limit."""

    @property
    def each(self) -> float | None:
        """Microseconds of ncz for each unit of the row."""
        return None if self.row.each is None else self.ours.seconds / self.row.each[0] * 1e6

    @property
    def ratio(self) -> float | None:
        """The time of the peer divided by the time of ncz."""
        return self.theirs.seconds / self.ours.seconds if self.theirs else None

    @property
    def verdict(self) -> str:
        """Whether the targets are met, as text; empty without a target or a peer."""
        met = []
        if self.row.target is not None and self.ratio is not None:
            met.append(self.ratio >= self.row.target)
        most = self.row.most_memory
        if isinstance(most, float) and self.theirs:
            met.append(self.ours.memory <= most * self.theirs.memory)
        elif isinstance(most, int):
            met.append(self.ours.memory <= most << 20)
        if self.row.most_seconds is not None:
            met.append(self.ours.seconds <= self.row.most_seconds)
        if self.row.limit is not None and self.row.limit.most is not None and self.limit:
            met.append(self.ours.seconds <= self.row.limit.most * self.limit)
        if self.row.each is not None and self.each is not None:
            met.append(self.each <= self.row.each[2])
        if self.row.requests is not None and self.requests is not None:
            met.append(self.requests <= self.row.requests[1])
        return ("met" if all(met) else "missed") if met else ""


def run_row(row: Row, folder: Path, scale: Scale) -> Result:
    """Run both commands alternately. Raise `RuntimeError` if their results differ."""
    theirs_runs = row.theirs is not None and shutil.which(row.theirs[0]) is not None
    texts = folder / "ours.txt", folder / "theirs.txt"
    ours: list[Measured] = []
    theirs: list[Measured] = []
    counted, _ = row.requests or ([], 0)
    requests = None
    spent = 0.0
    away = set_aside if row.many_files else remove
    while len(ours) < scale.times and spent < scale.seconds:
        clear(row)
        away(row.targets[:1])
        counted.clear()
        ours.append(measure(row.ours, texts[0] if row.texts else None))
        requests = len(counted) if row.requests else None
        spent += ours[-1].seconds
        if theirs_runs and row.theirs:
            away(row.targets[1:])
            theirs.append(measure(row.theirs, texts[1]))
            spent += theirs[-1].seconds
    if theirs and row.texts and not _same_text(*texts):
        raise RuntimeError(f"{row.work}: the texts differ")
    if row.verify:
        subprocess.run([*NCZ, "copy", "-q", "--verify", *row.ours[-2:]], check=True, timeout=600)
    limit = None if row.limit is None else min(row.limit.measure() for _ in range(2))
    away(row.targets)
    clear(row)
    return Result(row, best(ours), best(theirs) if theirs else None, requests, limit)


def clear(row: Row) -> None:
    """Remove the results of an earlier run on a server."""
    for command in row.clearing:
        subprocess.run(command, check=False, capture_output=True, timeout=600)


def remove(paths: tuple[Path, ...]) -> None:
    """Remove the results of an earlier run."""
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def set_aside(paths: tuple[Path, ...]) -> None:
    """Rename the results of an earlier run, and free the memory that holds their data.

    A virtual machine may return free memory to its host; memory that is reused immediately takes
    less time. Removing files, as `remove` does, has the same effect.
    """
    for path in filter(Path.exists, paths):
        away = path.rename(path.with_name(f"{path.name}-{next(_aside)}"))
        for file in away.rglob("*") if away.is_dir() else [away]:
            if file.is_file():
                os.truncate(file, 0)


def _same_text(ours: Path, theirs: Path) -> bool:
    """Compare all except the first line, which names the source, in constant memory."""
    with open(ours, "rb") as one, open(theirs, "rb") as other:
        one.readline()
        other.readline()
        while True:
            block = one.read(1 << 20)
            if block != other.read(1 << 20):
                return False
            if not block:
                return True
