"""Run each command with a fault at each of its operations in turn."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.reliability.cases import make_source, replace_source
from tests.reliability.command import Outcome, run_ncz
from tests.reliability.disk import ERRORS, KILL, Disk, failing
from tests.reliability.judge import ENDINGS, Case, Expected, Place, faults_of, mixture
from tests.reliability.signals import SIGNALS, heeding_signals, run_killed


def _reset(case: Case, folder: Path) -> None:
    """Create the place of the target in its state before the command."""
    shutil.rmtree(folder / "out")
    (folder / "out").mkdir()
    case.begin()


def run_disk(
    case: Case, folder: Path, fault: str, *, reading: bool = False
) -> tuple[int, dict[str, list[str]]]:
    """Run a command with `fault` at each operation in turn.

    The operations are on the target or, if `reading`, on the source.

    Returns
    -------
    tried : int
        The number of operations.
    wrong : dict
        The errors, by the number and the name of the operation.
    """
    watched = case.source if reading else str(folder / "out")

    def read() -> str | None:
        return case.read(case.target)

    def keys() -> frozenset[str]:
        return frozenset(_names(case.target))

    _reset(case, folder)
    old = read() if case.changes else None
    with failing(Disk(watched)) as disk:
        done = run_ncz(*case.arguments)
    assert done.code == 0, done.error
    values = read()
    assert values is not None
    number = SIGNALS.get(fault, 0)
    cause = os.strerror(ERRORS[fault]) if fault in ERRORS else ENDINGS.get(fault, "")
    named = "" if number else watched if reading else case.target
    expected = Expected(values, old, cause, named, number)
    wrong = {}
    for at, name in enumerate(disk.operations, 1):
        _reset(case, folder)
        before = frozenset({os.path.basename(case.target)}) if case.cleans else keys()
        if fault == KILL:
            hit, done = name, run_killed(watched, at, *case.arguments)
        else:
            with failing(Disk(watched, at, fault)) as failed, heeding_signals():
                done = run_ncz(*case.arguments)
            hit = failed.hit or name
        found = faults_of(case, done, expected, Place(read, keys, before, run_ncz))
        if found:
            wrong[f"{at} {hit}: {done.error.strip()}"] = found
    return len(disk.operations), wrong


def run_changed(case: Case, folder: Path, fault: str) -> tuple[int, dict[str, list[str]]]:
    """Run a command whose source changes at each operation on it in turn; see `run_disk`."""
    kept = folder / "kept"
    whole = folder / os.path.relpath(case.source, folder).split(os.sep)[0]
    _copied(whole, kept)

    def change() -> None:
        replace_source(case.source, in_place=fault == "rewritten")

    def run(at: int) -> tuple[Disk, Outcome]:
        _copied(kept, whole)
        _reset(case, folder)
        with failing(Disk(case.source, at, fault, change)) as disk:
            return disk, run_ncz(*case.arguments)

    disk, done = run(0)
    before = case.read(case.target)
    change()
    again = run_ncz(*case.arguments, "--overwrite")
    after = case.read(case.target)
    assert (done.code, again.code) == (0, 0), again.error
    assert before is not None
    assert after not in (None, before)
    wrong = {}
    for at in range(1, len(disk.operations) + 1):
        hit, done = run(at)
        found = mixture(case, done, (before, after), lambda: case.read(case.target), run_ncz)
        if found:
            wrong[f"{at} {hit.hit}: {done.error.strip()}"] = found
    return len(disk.operations), wrong


def run_limited(case: Case, folder: Path, parts: int = 40) -> tuple[int, dict[str, list[str]]]:
    """Run a command that writes one file, and may write only a part of it; see `run_disk`.

    HDF5 writes files itself, so that single operations cannot be made to fail. The system limits
    the size of files instead.
    """

    def read() -> str | None:
        return case.read(case.target)

    _reset(case, folder)
    done = run_ncz(*case.arguments)
    whole = read()
    assert done.code == 0, done.error
    assert whole is not None
    size = os.path.getsize(case.target)
    wrong = {}
    limits = sorted({size * part // parts for part in range(parts)})
    expected = Expected(whole, None, os.strerror(errno.EFBIG), case.target)
    place = Place(read, lambda: frozenset(_names(case.target)), frozenset(), run_ncz)
    for limit in limits:
        _reset(case, folder)
        with _largest_file(limit):
            done = run_ncz(*case.arguments)
        found = faults_of(case, done, expected, place)
        if found:
            wrong[f"{limit} of {size} bytes: {done.error.strip()}"] = found
    return len(limits), wrong


@contextlib.contextmanager
def _largest_file(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _copied(source: Path, target: Path) -> None:
    """Copy a file or a folder to the place of another, with the times of the past."""
    for each in target.parent.glob(f"*-{target.name}"):
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    if source.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
    for each in (target, *target.rglob("*")):
        os.utime(each, (10**9, 10**9))


READERS = {
    "dump": ("dump",),
    "check": ("check", "--data"),
    "info": ("info", "--stats"),
    "ls": ("ls", "-r", "-l"),
    "diff": ("diff", "same.zarr"),
}
"""Commands that only read, with their arguments before the store."""


def run_reader(name: str, folder: Path, fault: str) -> tuple[int, dict[str, list[str]]]:
    """Run a command that reads a store with `fault` at each operation in turn; see `run_disk`.

    It must either print the same as without faults, or end with exit code 1.
    """
    if not (folder / "in.zarr").exists():
        make_source(folder / "in.zarr")
        shutil.copytree(folder / "in.zarr", folder / "same.zarr")
    arguments = [str(folder / a) if a.endswith(".zarr") else a for a in READERS[name]]
    arguments.append(str(folder / "in.zarr"))

    def run(at: int) -> tuple[Disk, Outcome]:
        with failing(Disk(str(folder / "in.zarr"), at, fault)) as disk:
            return disk, run_ncz(*arguments)

    disk, whole = run(0)
    assert whole.code == 0, whole.error
    wrong = {}
    for at in range(1, len(disk.operations) + 1):
        hit, done = run(at)
        found = []
        if done.code not in (0, 1) or "internal error" in done.error:
            found.append(f"exit code {done.code}")
        if done.code == 0 and done.out != whole.out:
            found.append("lost in silence")
        if done.code == 1 and not (done.error or done.out):
            found.append("0 lines of error")
        if found:
            wrong[f"{at} {hit.hit or hit.operations[at - 1]}: {done.error.strip()}"] = found
    return len(disk.operations), wrong


def _names(target: str) -> Iterator[str]:
    """Yield the names next to the target, and the temporary names within it."""
    place = os.path.dirname(target)
    for folder, folders, files in os.walk(place):
        for name in (*folders, *files):
            if folder == place or name.startswith(".ncz-"):
                yield os.path.relpath(os.path.join(folder, name), place)
