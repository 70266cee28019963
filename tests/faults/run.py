"""Run each command with a fault at each of its operations in turn."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

import ncz.cli
from ncz.cli.terminal import run as run_command
from tests.faults.disk import ERRORS, Disk, failing
from tests.faults.judge import Case, Outcome, faults_of, make_source, values


def run_ncz(*arguments: str) -> Outcome:
    """Run ``ncz`` in this process."""
    with CliRunner().isolation() as (_, error, _output):
        code = run_command(ncz.cli.ncz, "ncz", list(arguments))
        return Outcome(code, error.getvalue().decode("utf-8", "replace"))


def disk_cases(folder: Path) -> dict[str, Case]:
    """Return the commands that write to the disk; their source is made in `folder`."""
    from tests.faults.judge import CDL

    (folder / "in.cdl").write_bytes(CDL)
    (folder / "plain.cdl").write_bytes(CDL.partition(b"group:")[0] + b"}")
    make_source(folder / "in.zarr")
    place = folder / "out"
    place.mkdir()
    source, text = str(folder / "in.zarr"), str(folder / "in.cdl")
    cases = (
        Case("gen", ("gen", text, "-o", f"{place}/o.zarr"), f"{place}/o.zarr"),
        Case("gen zip", ("gen", text, "-o", f"{place}/o.zip"), f"{place}/o.zip"),
        Case("raw", ("copy", source, f"{place}/o.zarr"), f"{place}/o.zarr", can_resume=True),
        Case("zip", ("copy", source, f"{place}/o.zip"), f"{place}/o.zip", can_resume=True),
        Case(
            "rechunk",
            ("copy", source, f"{place}/o.zarr", "-c", "x/3"),
            f"{place}/o.zarr",
            can_resume=True,
        ),
        Case(
            "replace",
            ("copy", source, f"{place}/o.zarr", "--overwrite"),
            f"{place}/o.zarr",
            replaces=True,
        ),
        Case("consolidate", ("consolidate", f"{place}/o.zarr"), f"{place}/o.zarr", changes=True),
        Case(
            "edit",
            ("edit", f"{place}/o.zarr", "--set", 'w:units = "km"'),
            f"{place}/o.zarr",
            changes=True,
        ),
        Case(
            "netCDF",
            ("gen", str(folder / "plain.cdl"), "-o", f"{place}/o.nc", "--kind", "classic"),
            f"{place}/o.nc",
        ),
    )
    return {case.name: case for case in cases}


def _reset(case: Case, folder: Path) -> None:
    """Make the place of the target as it is before the command."""
    shutil.rmtree(folder / "out")
    (folder / "out").mkdir()
    if case.changes or case.replaces:
        shutil.copytree(folder / "in.zarr", case.target)


def run_disk(
    case: Case, folder: Path, fault: str, *, reading: bool = False
) -> tuple[int, dict[str, list[str]]]:
    """Run a command with `fault` at each operation in turn.

    The operations are those on the target or, if `reading`, those on the source.

    Returns
    -------
    tried : int
        The number of operations.
    wrong : dict
        What was wrong, by the number and the name of the operation.
    """
    place = str(folder / "out")
    watched = str(folder / "in.zarr") if reading else place

    def keys() -> frozenset[str]:
        return frozenset(_names(place, case.target))

    wrong = {}
    _reset(case, folder)
    with failing(Disk(watched)) as disk:
        done = run_ncz(*case.arguments)
    assert done.code == 0, done.error
    expected = values(case.target)
    assert expected is not None
    old = values(str(folder / "in.zarr")) if case.changes else None
    count = len(disk.operations)
    for at in range(1, count + 1):
        _reset(case, folder)
        before = keys()
        with failing(Disk(watched, at, fault)) as disk:
            done = run_ncz(*case.arguments)
        code = ERRORS.get(fault)
        cause = os.strerror(code) if code is not None else ""
        found = faults_of(
            case, done, expected, lambda: values(case.target), keys, before, run_ncz, cause,
            watched if reading else "", old,
        )  # fmt: skip
        if found:
            wrong[f"{at} {disk.hit or disk.operations[at - 1]}: {done.error.strip()}"] = found
    return count, wrong


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

    It must either print what it prints without faults, or end with exit code 1.
    """
    if not (folder / "in.zarr").exists():
        make_source(folder / "in.zarr")
        shutil.copytree(folder / "in.zarr", folder / "same.zarr")
    arguments = [str(folder / a) if a.endswith(".zarr") else a for a in READERS[name]]
    arguments.append(str(folder / "in.zarr"))

    def run(at: int) -> tuple[Disk, int, bytes, str]:
        with (
            CliRunner().isolation() as (output, error, _),
            failing(Disk(str(folder / "in.zarr"), at, fault)) as disk,
        ):
            code = run_command(ncz.cli.ncz, "ncz", arguments)
            return disk, code, output.getvalue(), error.getvalue().decode("utf-8", "replace")

    disk, code, expected, told = run(0)
    assert code == 0, told
    wrong = {}
    for at in range(1, len(disk.operations) + 1):
        hit, code, printed, told = run(at)
        found = []
        if code not in (0, 1) or "internal error" in told:
            found.append(f"exit code {code}")
        if code == 0 and printed != expected:
            found.append("lost in silence")
        if code == 1 and not (told or printed):
            found.append("0 lines of error")
        if found:
            wrong[f"{at} {hit.hit or hit.operations[at - 1]}: {told.strip()}"] = found
    return len(disk.operations), wrong


def _names(place: str, target: str) -> Iterator[str]:
    """Yield what is beside the target, and the temporary names within it."""
    for folder, folders, files in os.walk(place):
        for name in (*folders, *files):
            if folder == place or name.startswith(".ncz-"):
                yield os.path.relpath(os.path.join(folder, name), place)
