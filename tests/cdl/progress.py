"""Progress that is added up."""

from __future__ import annotations


class Moved:
    """Receives progress, and adds up the bytes."""

    def __init__(self) -> None:
        self.total = 0

    def expect(self, total: int | None, unit: str = "chunks") -> None: ...

    def advance(self, name: str, count: int, size: int) -> None:
        self.total += count
