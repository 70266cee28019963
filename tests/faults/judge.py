"""Decide whether what a command did after a fault is right."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import ncz
import ncz.cli
from ncz.errors import NczError, ignore_notice
from ncz.record import record

CDL = b"""netcdf faulty {
dimensions: x = 8 ; y = 3 ;
variables:
  int v(x, y) ; v:_ChunkSizes = 4, 3 ; v:_DeflateLevel = 1 ;
  double w(x) ; w:units = "m" ;
data:
  v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
  w = 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5 ;
group: g { variables: short s(y) ; data: s = 1, 2, 3 ; }
}"""


@record
class Case:
    """A command that writes to a target.

    Attributes
    ----------
    name
        Its name in the table.
    arguments
        The arguments of ``ncz``.
    target
        The path or URL that it creates or changes.
    can_resume
        Whether ``--resume`` may follow.
    changes
        Whether the target exists before, as for consolidate.
    replaces
        Whether the target exists before, holds the same, and is replaced.
    """

    name: str
    arguments: tuple[str, ...]
    target: str
    can_resume: bool = False
    changes: bool = False
    replaces: bool = False


def values(target: str) -> str | None:
    """Return what a store holds as CDL; None if it does not open."""
    try:
        return ncz.dump(target, notify=ignore_notice).partition("\n")[2]
    except NczError:
        return None


def make_source(path: Path) -> None:
    """Write the store that is copied."""
    ncz.gen(io.BytesIO(CDL), path, notify=ignore_notice)


@record
class Outcome:
    """What a command did after a fault."""

    code: int
    error: str


def faults_of(
    case: Case, done: Outcome, expected: str, read: Callable[[], str | None],
    keys: Callable[[], frozenset[str]],
    before: frozenset[str], run: Callable[..., Outcome], cause: str = "",
    place: str = "", old: str | None = None,
) -> list[str]:  # fmt: skip
    """Return what is wrong, as short texts; an empty list if everything is right.

    Parameters
    ----------
    case, done
        The command, and what it did while the fault was injected.
    expected
        What the target holds if nothing goes wrong.
    read
        Returns what the target holds; None if it does not open.
    keys
        Lists the place of the target, to see what was left.
    before
        What that list held before the command.
    run
        Runs ``ncz`` without faults.
    cause
        What the error must say of the fault.
    place
        The path or URL whose folder the error must name; by default the target's.
    old
        What the target may still hold after an error; None for nothing else than `expected`.
    """
    wrong = []
    lines = [line for line in done.error.splitlines() if "notice:" not in line]
    found = read()
    if done.code not in (0, 1):
        wrong.append(f"exit code {done.code}")
    if "internal error" in done.error:
        wrong.append("internal error")
    if done.code == 0 and found != expected:
        wrong.append("lost in silence")
    if done.code and (len(lines) != 1 or not lines[0].startswith("ncz: ")):
        wrong.append(f"{len(lines)} lines of error")
    elif done.code and not (
        os.path.dirname(place or case.target) in lines[0] and cause in lines[0]
    ):
        wrong.append("the error does not name place and cause")
    if found is not None and found not in (expected, old):
        wrong.append("half of a store opens")
    if found is None and case.replaces:
        cleaned = run("clean", case.target)
        if cleaned.code or read() != expected or keys() - before:
            wrong.append("the old store is lost")
    elif found is None and case.can_resume:
        if run(*case.arguments, "--resume").code or read() != expected:
            wrong.append("cannot be resumed")
    else:
        cleaned = run("clean", case.target)
        left = keys() - before
        if cleaned.code:
            wrong.append(f"clean: {cleaned.error.strip()}")
        elif found is None and left:
            wrong.append(f"left behind: {sorted(left)}")
        again = run(*case.arguments, *([] if case.changes or case.replaces else ["--overwrite"]))
        if again.code or read() != expected:
            wrong.append(f"cannot be repeated: {again.error.strip()}")
    return wrong


def tally(rows: Mapping[str, list[str]]) -> Counter[str]:
    """Count the verdicts of many runs by their first words."""
    return Counter(text for found in rows.values() for text in found)
