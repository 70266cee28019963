"""The zmap: a flat map of keys to bytes, with search. It knows nothing of what the bytes mean.

Source: the NCZarr document, "NCZarr Map Implementation". Keys are as `ncz.zmap.key` has them. An
absent key is an answer (None), not an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from ncz.zmap.key import display


@runtime_checkable
class Zmap(Protocol):
    """What every store can do: read and list."""

    @property
    def url(self) -> str:
        """Where the store is, as messages show it."""
        ...

    def get(self, key: str) -> bytes | None:
        """The object's bytes, or None if there is no such object."""
        ...

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """`count` bytes from `start`, fewer at the end; a negative `start` counts from the end."""
        ...

    def size(self, key: str) -> int | None:
        """The object's size in bytes, or None if there is no such object."""
        ...

    def search(self, prefix: str) -> list[str]:
        """Every name such that ``prefix/name`` is, or leads to, an object: sorted by bytes.

        This is the search of the document: immediate suffixes only; [] where nothing is.
        """
        ...

    def walk(self, prefix: str = "") -> Iterator[str]:
        """The keys of all objects at or below `prefix`, depth first, each level sorted by bytes."""
        ...

    def close(self) -> None:
        """Give back files and connections. Reading afterwards is an error."""
        ...


@runtime_checkable
class DistantZmap(Zmap, Protocol):
    """A store whose answers take long, many of which can be waited for at once."""

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Begin to fetch objects: keys that `get` will be asked for next, in order, each once.

        With each comes the most bytes that it will have, by which is known how many to hold. What
        an object's fetching raises, `get` raises.
        """
        ...


@runtime_checkable
class WritableZmap(Zmap, Protocol):
    """A store that can be written, one whole object at a time."""

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object."""
        ...

    def delete(self, key: str) -> bool:
        """Remove an object; False if there was none."""
        ...


def location_of(zmap: Zmap, key: str) -> str:
    """What messages call an object."""
    return f"{zmap.url}: {display(key)}"


def expect(zmap: Zmap, wanted: Iterable[tuple[str, int]]) -> None:
    """Tell a store whose answers take long what it will be asked for; see `DistantZmap`."""
    if isinstance(zmap, DistantZmap):
        zmap.expect(wanted)
