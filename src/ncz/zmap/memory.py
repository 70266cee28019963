"""Stores in memory: for ``memory://NAME``, for Python callers, and for tests.

The stores of ``memory://`` exist until the process ends.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, MutableMapping

from ncz.errors import StoreMissing, ZmapError
from ncz.system_errors import already_exists
from ncz.zmap import WritableZmap
from ncz.zmap.claim import Claim
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    SortedKeys,
    ancestors,
    check_inside,
    check_key,
    part,
    refuse_object_above,
    too_large,
)
from ncz.zmap.location import Location
from ncz.zmap.opening import Opener
from ncz.zmap.zarr_objects import objects_of

STORES: dict[str, dict[str, bytes]] = {}
"""The stores that ``memory://NAME`` opens, by name."""


class MemoryZmap(WritableZmap):
    """A store in a dictionary.

    Parameters
    ----------
    objects
        The dictionary from keys to bytes, which the store changes; a new one if it is left out.
    url
        The store's name in messages.
    """

    def __init__(
        self, objects: MutableMapping[str, bytes] | None = None, url: str = "memory://"
    ) -> None:
        self._objects: MutableMapping[str, bytes] | None = {} if objects is None else objects
        self.url = url
        self._folders = Counter(folder for key in self._open_objects for folder in ancestors(key))
        self._sorted: SortedKeys | None = None

    @property
    def _open_objects(self) -> MutableMapping[str, bytes]:
        if self._objects is None:
            raise ZmapError("the store is closed", location=self.url)
        return self._objects

    def _keys(self) -> SortedKeys:
        if self._sorted is None:
            self._sorted = SortedKeys(self._open_objects)
        return self._sorted

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        value = self._value(key)
        if value is not None and len(value) > limit:
            raise too_large(self.where(key), limit)
        return value

    def _value(self, key: str) -> bytes | None:
        return self._open_objects.get(check_inside(key))

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        value = self._value(key)
        return None if value is None else part(value, start, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        value = self._value(key)
        return None if value is None else len(value)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        self._open_objects  # noqa: B018 - raises if the store is closed
        return self._keys().search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        self._open_objects  # noqa: B018 - raises if the store is closed
        return self._keys().walk(check_inside(prefix))

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object; see `WritableZmap.put`."""
        objects = self._open_objects
        if key == "" or key in self._folders:
            raise ZmapError("other keys are below this key", location=self.where(key))
        if check_key(key) not in objects:
            refuse_object_above(key, objects.__contains__, self.where(key))
            self._folders.update(ancestors(key))
            self._sorted = None
        objects[key] = bytes(value)

    def delete(self, key: str) -> bool:
        """Delete an object; return False if no object has this key."""
        if self._open_objects.pop(check_inside(key), None) is None:
            return False
        for above in ancestors(key):
            self._folders[above] -= 1
            if not self._folders[above]:
                del self._folders[above]
        self._sorted = None
        return True

    def close(self) -> None:
        """Release the objects. Reading afterwards raises `ZmapError`."""
        self._objects = None
        self._sorted = None


def _open(location: Location) -> WritableZmap:
    objects: MutableMapping[str, bytes] | None = STORES.get(location.path)
    if objects is None:
        objects = objects_of(location.path) or None  # an empty one is not yet a store
    if objects is None:
        raise StoreMissing("no store with this name exists in this process", location.display)
    return MemoryZmap(objects, location.display)


@contextlib.contextmanager
def _create(location: Location, overwrite: bool, _: Claim | None) -> Iterator[WritableZmap]:
    given = objects_of(location.path)
    if (given or location.path in STORES) and not overwrite:
        raise already_exists(location.display)
    objects: dict[str, bytes] = {}
    zmap = MemoryZmap(objects, location.display)
    yield zmap
    zmap.close()
    if given is None:
        STORES[location.path] = objects
    else:
        given.clear()
        given.update(objects)


MEMORY = Opener(open=_open, open_to_write=_open, create=_create)
"""The functions of stores in memory."""
