"""A zmap in memory: for tests, for Python callers, and for ``memory://NAME``.

The stores of ``memory://`` live as long as the process, under their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ncz.errors import ZmapError
from ncz.zmap.key import SortedKeys, ancestors, check_inside, check_key, display, part

STORES: dict[str, dict[str, bytes]] = {}
"""The stores that ``memory://NAME`` opens, by name."""


class MemoryZmap:
    """A `WritableZmap` over a dictionary of keys and bytes, which it shares with its maker."""

    def __init__(self, objects: dict[str, bytes] | None = None, url: str = "memory://") -> None:
        self._objects: dict[str, bytes] | None = {} if objects is None else objects
        self._url = url
        self._folders = Counter(folder for key in self._opened for folder in ancestors(key))
        self._sorted: SortedKeys | None = None

    @property
    def url(self) -> str:
        """Where the store is, as messages show it."""
        return self._url

    @property
    def _opened(self) -> dict[str, bytes]:
        if self._objects is None:
            raise ZmapError("the store is closed", location=self._url)
        return self._objects

    def _keys(self) -> SortedKeys:
        if self._sorted is None:
            self._sorted = SortedKeys(self._opened)
        return self._sorted

    def get(self, key: str) -> bytes | None:
        """The object's bytes, or None if there is no such object."""
        return self._opened.get(check_inside(key))

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Part of an object; see `Zmap.get_range`."""
        value = self.get(key)
        return None if value is None else part(value, start, count)

    def size(self, key: str) -> int | None:
        """The object's size in bytes, or None if there is no such object."""
        value = self.get(key)
        return None if value is None else len(value)

    def search(self, prefix: str) -> list[str]:
        """The names directly below `prefix`; see `Zmap.search`."""
        self._opened  # noqa: B018 - raises if the store is closed
        return self._keys().search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """The keys at or below `prefix`; see `Zmap.walk`."""
        self._opened  # noqa: B018 - raises if the store is closed
        return self._keys().walk(check_inside(prefix))

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object."""
        objects = self._opened
        if key == "" or key in self._folders:
            raise ZmapError(
                "other keys lie below this one", location=f"{self._url}: {display(key)}"
            )
        if check_key(key) not in objects:
            blocked = next((above for above in ancestors(key) if above in objects), None)
            if blocked is not None:
                raise ZmapError(
                    f"{display(blocked)} is an object, so no key can lie below it",
                    location=f"{self._url}: {display(key)}",
                )
            self._folders.update(ancestors(key))
            self._sorted = None
        objects[key] = bytes(value)

    def delete(self, key: str) -> bool:
        """Remove an object; False if there was none."""
        if self._opened.pop(check_inside(key), None) is None:
            return False
        for above in ancestors(key):
            self._folders[above] -= 1
            if not self._folders[above]:
                del self._folders[above]
        self._sorted = None
        return True

    def close(self) -> None:
        """Let go of the objects."""
        self._objects = None
        self._sorted = None
