"""The temporary names of local stores and objects while they are built."""

from __future__ import annotations

import itertools
import os

PARTIAL, CLAIM, ASIDE, HEADERS = ".partial", ".claim", ".old", ".headers"
"""The ends of the names of an unfinished store or object, of the file that claims a target, of the
old store while the new one gets its place, and of the headers of sources that are kept."""


_numbers = itertools.count()


def _start_numbers() -> None:
    """Count from a random number, so that two processes rarely choose the same name."""
    global _numbers
    _numbers = itertools.count(int.from_bytes(os.urandom(4), "big"))


_start_numbers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_numbers)


def partial_name() -> str:
    """Return a new name for an unfinished file, which no reader takes for a store or an array."""
    return f".ncz-{next(_numbers) & 0xFFFFFFFF:08x}{PARTIAL}"


def name_start(target: str) -> str:
    """Return the common beginning of all names that belong to the target at a path."""
    import hashlib  # directories are read without it

    name = os.fsencode(os.path.basename(target))
    return f".ncz-{hashlib.sha256(name).hexdigest()[:16]}"


def claimed_name(target: str) -> str:
    """Return the temporary name of a claimed `target`."""
    return name_start(target) + PARTIAL


def unclaimed_name(target: str, end: str = PARTIAL) -> str:
    """Return a new name for a file of the `target` that only this process uses."""
    return f"{name_start(target)}-{os.urandom(4).hex()}{end}"


def placement_journal(target: str) -> str:
    """Return the path of the journal of a master and its pieces that are being replaced."""
    return os.path.join(os.path.dirname(target), f"{name_start(target)}.pieces")
