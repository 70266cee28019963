"""Bring the keys of a listing into the order of `Zmap.walk` while they arrive.

A server sorts keys by their bytes, so that ``a.b`` comes before ``a/b``; `Zmap.walk` sorts by the
parts of a key, so that ``a/b`` comes first. A key is held back only while a key may follow that
belongs before it: ``a.b`` until the server has passed all keys below ``a/``. If that takes too many
keys, the keys below ``a/`` are listed immediately.

Some servers sort by the parts themselves, and others do not sort at all.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from ncz.zmap.key import order

HELD = 10_000
"""Limit of the keys held back with one prefix; above it, the keys before them are listed."""

Entry = tuple[str, int | None]
"""A key, and the size of its object in bytes if the listing has sizes."""

_EARLY = re.compile(r"[^/][\0-.]")
"""The end of a prefix, and a character that sorts before the slash."""


@dataclass(slots=True)
class _Group:
    """The keys that start with `prefix` and a character that sorts before the slash.

    They follow all keys below the prefix; with `is_listed`, these have been listed.
    """

    prefix: str
    held: list[Entry] = field(default_factory=list)
    is_listed: bool = False


class InKeyOrder:
    """The entries of a listing in the order of `Zmap.walk`; it can be iterated over once.

    Parameters
    ----------
    entries
        The listing, in the server's order.
    list_below
        Lists all keys below a prefix.
    start
        The length of the prefix that all keys have in common, with its slash.
    most
        Limit of the keys held back with one prefix.

    Attributes
    ----------
    is_sorted
        False once the server sent keys in neither order. The rest of the listing is sorted then,
        but may belong before keys that were yielded.
    held
        The number of keys that are held back.
    """

    def __init__(
        self,
        entries: Iterable[Entry],
        list_below: Callable[[str], Iterable[Entry]],
        start: int = 0,
        most: int = HELD,
    ) -> None:
        self._entries = iter(entries)
        self._list_below = list_below
        self._start = start
        self._most = most
        self._groups: list[_Group] = []
        self._again: deque[Entry] = deque()
        self._listed: list[str] = []
        self._is_by_bytes = False  # seen to be: a key before the slash came before one with it
        self.is_sorted = True
        self.held = 0

    def __iter__(self) -> Iterator[Entry]:
        last = ""
        groups = self._groups
        while True:
            if self._again:
                entry = self._again.popleft()
            elif (new := next(self._entries, None)) is None:
                break
            elif new[0] < last:
                yield from self._of_other_order(last, new)
                break
            else:
                entry = new
                last = new[0]
            key = entry[0]
            while groups and not _concerns(groups[-1].prefix, key):
                yield from self._release(groups.pop())
            start = self._start
            if groups:
                group = groups[-1]
                start = len(group.prefix)
                if key[start] == "/":
                    self._is_by_bytes = True
                    if group.is_listed:
                        continue
                    start += 1
                elif not group.is_listed:
                    self._hold(group, entry)
                    if len(group.held) > self._most:
                        yield from self._list_first(group)
                    continue
            early = _EARLY.search(key, start)
            if early is None:
                yield entry
            else:
                groups.append(_Group(key[: early.start() + 1]))
                self._hold(groups[-1], entry)
        while groups:
            yield from self._release(groups.pop())

    def _hold(self, group: _Group, entry: Entry) -> None:
        group.held.append(entry)
        self.held += 1

    def _release(self, group: _Group) -> list[Entry]:
        held, group.held = group.held, []
        self.held -= len(held)
        return sorted(held, key=lambda entry: order(entry[0]))

    def _list_first(self, group: _Group) -> Iterator[Entry]:
        """Yield the keys before a group with too many keys; then look at the group again."""
        below = f"{group.prefix}/"
        entries = self._list_below(group.prefix)
        for entry in InKeyOrder(entries, self._list_below, len(below), self._most):
            if self._listed[-1:] != [below]:
                self._listed.append(below)
            yield entry
        group.is_listed = True
        self._again.extendleft(reversed(group.held))
        self.held -= len(group.held)
        group.held = []

    def _of_other_order(self, last: str, entry: Entry) -> Iterator[Entry]:
        """Yield the keys after `last` on a server that does not sort by bytes."""
        listed = tuple(self._listed)
        entries: Iterator[Entry] = chain((entry,), self._entries)
        entries = (each for each in entries if not each[0].startswith(listed))
        if not self._is_by_bytes and not listed:
            while self._groups:
                yield from self._release(self._groups.pop())
            before = order(last)
            for entry in entries:
                now = order(entry[0])
                if now < before:
                    entries = chain((entry,), entries)
                    break
                before = now
                yield entry
        rest = list(entries)
        self.is_sorted = not rest
        for group in self._groups:
            rest += self._release(group)
        yield from sorted(rest, key=lambda entry: order(entry[0]))


def _concerns(prefix: str, key: str) -> bool:
    """Return whether a key is below a prefix, or continues it with an earlier character."""
    return key.startswith(prefix) and key[len(prefix) : len(prefix) + 1] <= "/"
