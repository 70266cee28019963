"""Decide whether a command behaved correctly after a fault."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import ncz
from ncz.errors import NczError, ignore_notice
from ncz.record import record
from tests.reliability.command import HUNG, Outcome

ENDINGS = {"interrupt": "interrupted", "terminate": "terminated"}
"""The words of errors about a signal."""

ENDS: dict[int, int] = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""The exit codes of commands that handle a signal."""


def values(target: str) -> str | None:
    """Return the contents of a store as CDL; None if it does not open."""
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
        Returns the contents of a target; None if it does not open.
    begin
        Makes the target that exists before.
    can_resume
        Whether ``--resume`` may follow.
    changes
        Whether the target exists before, and is changed.
    replaces
        Whether the target exists before, contains the same, and is replaced.
    cleans
        Whether it removes the remains of another command.
    reports
        Whether it prints the errors of a store, so that the error may be printed there.
    repeats
        Whether it does nothing if it has succeeded before.
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


@record
class Place:
    """The ways to look at the files that a command left.

    Attributes
    ----------
    read
        Returns the contents of the target; None if it does not open.
    keys
        Lists the place of the target.
    before
        That list before the command.
    run
        Runs ``ncz`` without faults.
    """

    read: Callable[[], str | None]
    keys: Callable[[], frozenset[str]]
    before: frozenset[str]
    run: Callable[..., Outcome]

    def left(self) -> list[str]:
        """Return the files that were left."""
        return sorted(self.keys() - self.before)

    def hidden(self) -> list[str]:
        """Return the files that were left under a temporary name."""
        return [name for name in self.left() if "/.ncz-" in f"/{name}"]


@record
class Expected:
    """The states that are right after a fault.

    Attributes
    ----------
    values
        The contents of the target without faults.
    old
        The possible contents of the target after an error; None for `values` only.
    cause
        The text about the fault that the error must have.
    place
        The path or URL that the error must name; "" if it need not name any.
    signal
        The number of the signal that ended the command; 0 for none.
    """

    values: str
    old: str | None
    cause: str
    place: str
    signal: int = 0


def faults_of(case: Case, done: Outcome, expected: Expected, place: Place) -> list[str]:
    """Return the faults as short texts; an empty list if everything is right.

    Parameters
    ----------
    case, done
        The command, and its result with the injected fault.
    """
    wrong = _told(case, done, expected)
    found = place.read()
    if done.code == 0 and found != expected.values:
        wrong.append("lost in silence")
    if found not in (None, expected.values, expected.old):
        # After kill -9 or a clean, the next command must complete it, or the error says so.
        is_clean = case.arguments[0] == "clean"
        can_complete = expected.signal or is_clean or "run 'ncz clean' to complete it" in done.error
        if not (case.changes and can_complete):
            wrong.append("half of a store opens")
    if case.cleans and done.code == 0 and place.left():
        wrong.append(f"left behind: {place.left()}")
    if done.code == 0 and found == expected.values and not case.cleans:
        if place.hidden():
            place.run("clean", case.target)
        return [*wrong, f"left behind: {place.hidden()}"] if place.hidden() else wrong
    return wrong + _not_repaired(case, expected, place, found)


def _told(case: Case, done: Outcome, expected: Expected) -> list[str]:
    """Return the faults of the exit code and the message."""
    if done.code == HUNG:
        return ["hung"]
    if expected.signal and done.code == -expected.signal:
        return []
    ends = ENDS.get(expected.signal)
    wrong = []
    if done.code not in (0, 1, ends):
        wrong.append(f"exit code {done.code}")
    if "internal error" in done.error:
        wrong.append("internal error")
    lines = [line for line in done.error.splitlines() if "notice:" not in line]
    if done.code == 0 or (case.reports and not lines and done.out):
        return wrong  # the findings that remain
    if len(lines) != 1 or not lines[0].startswith("ncz: "):
        wrong.append(f"{len(lines)} lines of error")
    elif os.path.dirname(expected.place) not in lines[0] or expected.cause not in lines[0]:
        wrong.append("the error does not name place and cause")
    return wrong


def _not_repaired(case: Case, expected: Expected, place: Place, found: str | None) -> list[str]:
    """Return the faults of the files that are left after an error."""
    if found is None and case.replaces:
        cleaned = place.run("clean", case.target)
        if cleaned.code or place.read() != expected.values or place.left():
            return ["the old store is lost"]
        return []
    if found is None and case.can_resume:
        resumed = place.run(*case.arguments, "--resume")
        return ["cannot be resumed"] if resumed.code or place.read() != expected.values else []
    wrong = []
    cleaned = place.run("clean", case.target)
    left = place.left()
    if cleaned.code:
        wrong.append(f"clean: {cleaned.error.strip()}")
    elif left and (found is None or case.cleans):
        wrong.append(f"left behind: {left}")
    elif place.hidden():
        wrong.append(f"left behind: {place.hidden()}")
    if not case.repeats and place.read() == expected.values:
        return wrong  # cleaning up completed it
    is_there = case.changes or case.replaces
    again = place.run(*case.arguments, *([] if is_there else ["--overwrite"]))
    if again.code or place.read() != expected.values:
        wrong.append(f"cannot be repeated: {again.error.strip()}")
    return wrong


def mixture(
    case: Case, done: Outcome, wholes: tuple[str, str], read: Callable[[], str | None],
    run: Callable[..., Outcome],
) -> list[str]:  # fmt: skip
    """Return the faults after the source changed while a command read it.

    `wholes` are the contents of the target with the values of before, and of after.
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
