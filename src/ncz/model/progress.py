"""What long work reports while it runs, so that a person can see how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the steps of a command, in one thread."""

    def expect(self, total: int | None, unit: str = "chunks") -> None:
        """Begin a part of the work; `total` is the most units it has, or None if not known."""
        ...

    def advance(self, name: str, count: int, size: int) -> None:
        """Add units that are done, and their bytes; `name` is that of a variable or a file."""
        ...


class _NoProgress:
    """Ignores all steps."""

    def expect(self, total: int | None, unit: str = "chunks") -> None:
        """Do nothing."""

    def advance(self, name: str, count: int, size: int) -> None:
        """Do nothing."""


NO_PROGRESS: Progress = _NoProgress()
"""Ignores what it receives; the default of commands."""
