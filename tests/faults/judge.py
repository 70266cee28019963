"""Decide whether what a command did after a fault is right."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping

import ncz
from ncz.errors import NczError, ignore_notice
from ncz.record import record
from tests.faults.command import Outcome


def values(target: str) -> str | None:
    """Return what a store holds as CDL; None if it does not open."""
    try:
        return ncz.dump(target, notify=ignore_notice).partition("\n")[2]
    except NczError:
        return None


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
    source
        The path that it reads.
    read
        Returns what a target holds; None if it does not open.
    begin
        Makes the target that exists before.
    can_resume
        Whether ``--resume`` may follow.
    changes
        Whether the target exists before, and is changed.
    replaces
        Whether the target exists before, holds the same, and is replaced.
    cleans
        Whether it removes what another command left.
    reports
        Whether it prints what is wrong with a store, so that the error may be there.
    repeats
        Whether it does nothing more where it has succeeded.
    """

    name: str
    arguments: tuple[str, ...]
    target: str
    source: str = ""
    read: Callable[[str], str | None] = values
    begin: Callable[[], None] = lambda: None
    can_resume: bool = False
    changes: bool = False
    replaces: bool = False
    cleans: bool = False
    reports: bool = False
    repeats: bool = True


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
    if done.code and case.reports and not lines and done.out:
        pass  # the findings that remain
    elif done.code and (len(lines) != 1 or not lines[0].startswith("ncz: ")):
        wrong.append(f"{len(lines)} lines of error")
    elif done.code and not (
        os.path.dirname(place or case.target) in lines[0] and cause in lines[0]
    ):
        wrong.append("the error does not name place and cause")
    completes = case.changes and "run 'ncz clean' to complete it" in done.error
    if found is not None and found not in (expected, old) and not completes:
        wrong.append("half of a store opens")
    if case.cleans and done.code == 0 and keys() - before:
        wrong.append(f"left behind: {sorted(keys() - before)}")
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
        elif left and (found is None or case.cleans):
            wrong.append(f"left behind: {sorted(left)}")
        if not case.repeats and read() == expected:
            return wrong  # cleaning up completed it
        again = run(*case.arguments, *([] if case.changes or case.replaces else ["--overwrite"]))
        if again.code or read() != expected:
            wrong.append(f"cannot be repeated: {again.error.strip()}")
    return wrong


def mixture(
    case: Case, done: Outcome, wholes: tuple[str, str], read: Callable[[], str | None],
    run: Callable[..., Outcome],
) -> list[str]:  # fmt: skip
    """Return what is wrong after the source changed while a command read it.

    `wholes` are what the target holds if it has the values of before, or those of after.
    """
    wrong = []
    found = read()
    if done.code not in (0, 1) or "internal error" in done.error:
        wrong.append(f"exit code {done.code}: {done.error.strip()}")
    if done.code == 0 and found not in wholes:
        wrong.append("lost in silence")
    if done.code and found is not None:
        wrong.append("half of a store opens")
    if done.code and case.can_resume:
        resumed = run(*case.arguments, "--resume")
        if resumed.code == 0 and read() != wholes[1]:
            wrong.append("lost in silence: resumed as a mixture")
    again = run(*case.arguments, "--overwrite")
    if again.code or read() != wholes[1]:
        wrong.append(f"cannot be repeated: {again.error.strip()}")
    return wrong


def tally(rows: Mapping[str, list[str]]) -> Counter[str]:
    """Count the verdicts of many runs by their first words."""
    return Counter(text for found in rows.values() for text in found)
