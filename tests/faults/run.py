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
            watched if reading else "",
        )  # fmt: skip
        if found:
            wrong[f"{at} {disk.hit or disk.operations[at - 1]}: {done.error.strip()}"] = found
    return count, wrong


def _names(place: str, target: str) -> Iterator[str]:
    """Yield what is beside the target, and the temporary names within it."""
    for folder, folders, files in os.walk(place):
        for name in (*folders, *files):
            if folder == place or name.startswith(".ncz-"):
                yield os.path.relpath(os.path.join(folder, name), place)
