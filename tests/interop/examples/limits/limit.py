"""Limits of peers."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

STORE = "(the store)"
"""The part that means a store that does not open."""


@dataclass(frozen=True)
class Limit:
    """A limit of one pair, and its reason.

    `cases` are names in cdl_examples; `parts` are paths as in `view`, where ``*`` means any
    characters, or `STORE`.
    """

    who: str
    cases: str
    parts: tuple[str, ...]
    reason: str

    def covers(self, path: str) -> bool:
        """Return whether the limit explains a difference at `path`."""
        return any(matches(path, part) for part in self.parts)


def matches(path: str, part: str) -> bool:
    """Return whether a path is a part of a limit, whose ``*`` means any characters."""
    return path == part or ("*" in part and fnmatchcase(path, part))
