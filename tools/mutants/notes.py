"""Note which tests execute certain statements, in all processes that they start.

A copy of this file is the module ``sitecustomize``, which each process of Python imports first.
"""

from __future__ import annotations

import contextlib
import os

NOTES = "NCZ_MUTANTS_NOTES"
"""The environment variable with the file of the notes."""

_file = os.open(os.environ[NOTES], os.O_WRONLY | os.O_APPEND) if NOTES in os.environ else -1
_seen: set[tuple[str, str]] = set()


def note(name: str) -> None:
    """Write the name of a mutant, and the test that reaches it."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    if (name, test) not in _seen:
        _seen.add((name, test))
        with contextlib.suppress(OSError):  # a test may limit the size of files
            os.write(_file, f"\n{name} {test}\f\n".encode())  # now, as a process may be killed
