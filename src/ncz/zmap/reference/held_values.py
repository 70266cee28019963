"""The values that a reference set contains itself, and the limit of their number."""

from __future__ import annotations

import re

LARGEST_HELD = 1 << 20
"""Bytes of new values of a variable that a reference set contains, if it cannot refer to them. If
there are more, they are in the folder next to the set."""

MOST_HELD = 16 << 20
"""Bytes of the values that a set contains, for all variables together."""

_CHUNK = re.compile(r"(?:(.*?)/)?(?:c(?:[./]\d+)*|\d+(?:[./]\d+)*)")
"""The key of a chunk after the key of its array. An array of such a name counts as its group."""


class HeldValues:
    """The sizes of the values that a set contains, by array and key.

    If an array has too many, the set contains none of them. Chunks of up to `inline` bytes
    are not counted: a reference is not much shorter.
    """

    def __init__(self, inline: int) -> None:
        self._inline = inline
        self._sizes: dict[str, dict[str, int]] = {}
        self._totals: dict[str, int] = {}
        self._total = 0
        self._excluded: set[str] = set()

    def admits(self, key: str, size: int) -> bool:
        """Return whether the set can contain a chunk of `size` bytes, which is counted then."""
        if size <= self._inline:
            return True
        array = _array_of(key)
        if array in self._excluded:
            return False
        sizes = self._sizes.setdefault(array, {})
        more = size - sizes.get(key, 0)
        if self._totals.get(array, 0) + more > LARGEST_HELD or self._total + more > MOST_HELD:
            return False
        sizes[key] = size
        self._totals[array] = self._totals.get(array, 0) + more
        self._total += more
        return True

    def exclude(self, key: str) -> list[str]:
        """Stop storing values of an array in the set; return the keys of the stored chunks."""
        array = _array_of(key)
        self._excluded.add(array)
        self._total -= self._totals.pop(array, 0)
        return [*self._sizes.pop(array, {})]


def _array_of(key: str) -> str:
    found = _CHUNK.fullmatch(key)
    return found[1] or "" if found else key.rpartition("/")[0]
