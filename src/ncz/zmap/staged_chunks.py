"""Chunks that replace others of a store on a server: written next to them, and then moved.

A server replaces one object at a time. The new chunks are put below a prefix that no reader knows,
while the store stays unchanged. `ncz.zmap.journal` then moves them, while nothing opens as a
dataset; a process that is killed during the move leaves a journal to complete it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ncz.errors import NczError
from ncz.zmap import WritableZmap
from ncz.zmap.journal import NewObjects, StagedChunks, is_interrupted
from ncz.zmap.key import LARGEST_DOCUMENT, STAGED


@contextlib.contextmanager
def stage(zmap: WritableZmap, new: NewObjects) -> Iterator[StagedChunks]:
    """Put new chunks next to the old ones of a store that is locked.

    They are deleted if the block raises, unless a journal will move them.
    """
    zmap.delete_many([*zmap.walk(STAGED)])  # of a process that was killed
    target = _Beside(zmap, f"{STAGED}/{os.urandom(8).hex()}")
    try:
        new.write(target)
        yield StagedChunks(target.prefix, tuple(sorted(new.keys - target.put_keys)))
    except BaseException:
        with contextlib.suppress(NczError):
            if not is_interrupted(zmap):
                zmap.delete_many([*zmap.walk(STAGED)])
        raise


class _Beside(WritableZmap):
    """A store whose objects are below a prefix of another one."""

    def __init__(self, zmap: WritableZmap, prefix: str) -> None:
        self._zmap = zmap
        self.url = zmap.url
        self.prefix = prefix
        self.put_keys: set[str] = set()

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        return self._zmap.get(self._at(key), limit)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        return self._zmap.get_range(self._at(key), start, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        return self._zmap.size(self._at(key))

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return self._zmap.search(self._at(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        start = len(self.prefix) + 1
        return (key[start:] for key in self._zmap.walk(self._at(prefix)))

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object; see `WritableZmap.put`."""
        self._zmap.put(self._at(key), value)
        self.put_keys.add(key)

    def delete(self, key: str) -> bool:
        """Delete an object; return False if it was not put."""
        if key not in self.put_keys:
            return False
        self.put_keys.discard(key)
        return self._zmap.delete(self._at(key))

    def close(self) -> None:
        """Do nothing; the store is open longer."""

    def _at(self, key: str) -> str:
        return f"{self.prefix}/{key}" if key else self.prefix
