"""A store whose change is decided, while its objects are not all in their places.

`ncz.zmap.journal` deletes the documents of the root of a store on a server while it moves chunks
and replaces documents, so that no program reads old and new ones together. The journal has the new
documents and the places of the new chunks: with it, the new state can be read at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ncz.zmap import DelegatingZmap, Zmap
from ncz.zmap.journal import Journal, journal_of
from ncz.zmap.key import JOURNAL, LARGEST_DOCUMENT, SortedKeys, ancestors, check_inside, part


class CommittedChange(DelegatingZmap):
    """A store in the state after the steps of a journal.

    Chunks are read next to the store until they are moved, and then at their final keys.
    """

    is_unfinished = True

    def __init__(self, zmap: Zmap, journal: Journal) -> None:
        super().__init__(zmap)
        self._put = {
            key: text.encode("utf-8", "surrogateescape") for key, text in journal.put.items()
        }
        self._gone = {*journal.deleted, *journal.swept}
        self._staged = journal.staged

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        if self._is_gone(check_inside(key)):
            return None
        if key in self._put:
            return self._put[key]
        new = self._zmap.get(f"{self._staged}/{key}", limit) if self._staged else None
        return self._zmap.get(key, limit) if new is None else new

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        if self._is_gone(check_inside(key)):
            return None
        if key in self._put:
            return part(self._put[key], start, count)
        new = self._zmap.get_range(f"{self._staged}/{key}", start, count) if self._staged else None
        return self._zmap.get_range(key, start, count) if new is None else new

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        if self._is_gone(check_inside(key)):
            return None
        if key in self._put:
            return len(self._put[key])
        new = self._zmap.size(f"{self._staged}/{key}") if self._staged else None
        return self._zmap.size(key) if new is None else new

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return self._keys.search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys.walk(check_inside(prefix))

    def walk_unsorted(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk_unsorted`."""
        return self.walk(prefix)

    @cached_property
    def _keys(self) -> SortedKeys:
        start = len(self._staged) + 1
        new = {key[start:] for key in self._zmap.walk(self._staged)} if self._staged else set()
        old = {key for key in self._zmap.walk() if not self._is_gone(key)}
        return SortedKeys(old | new | self._put.keys())

    def _is_gone(self, key: str) -> bool:
        """Return whether an object has no place in the new state; the journal itself has."""
        if key in self._put or key == JOURNAL:
            return False
        return key in self._gone or any(above in self._gone for above in ancestors(key))


def committed_change(zmap: Zmap) -> CommittedChange | None:
    """Return the new state of a store whose change is decided; None without such a change."""
    journal = journal_of(zmap)
    return None if journal is None else CommittedChange(zmap, journal)
