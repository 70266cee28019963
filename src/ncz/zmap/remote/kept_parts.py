"""Parts of files on servers that an earlier run read, and that need not be requested again.

While a file is opened in the context of `keep_parts`, the parts that are read of it are noted with
its version, and given to a store of headers. Another run asks the server for the version of the
file, and reads these parts from the store if the version is the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Protocol

from ncz.record import record
from ncz.zmap.location import Location
from ncz.zmap.remote.versions import Version

_LARGEST = 1 << 28
"""Bytes of the parts of a file."""


class Headers(Protocol):
    """The store of headers by name; see `ncz.zmap.local.kept_headers.KeptHeaders`."""

    def find(self, name: str) -> bytes | None:
        """Return the parts that are kept by a name, or None."""
        ...

    def add(self, name: str, data: bytes) -> None:
        """Keep the header of a file by a name."""
        ...

    def note_use(self, count: int) -> None:
        """Count headers that are used."""
        ...


@record
class FileParts:
    """Parts of a file in a certain version: the offset and the bytes of each."""

    version: Version
    parts: tuple[tuple[int, bytes], ...]

    def read(self, start: int, count: int) -> bytes | None:
        """Return bytes of the file; None if they are not all in one of the parts."""
        for first, data in self.parts:
            if first <= start and start + count <= first + len(data):
                return data[start - first : start - first + count]
        return None

    def to_bytes(self) -> bytes:
        """Return the parts as bytes, which `from_bytes` reads."""
        version = [self.version.tag, self.version.modified, self.version.size]
        head = json.dumps([version, [[first, len(data)] for first, data in self.parts]]).encode()
        return zlib.compress(b"\n".join((head, b"".join(data for _, data in self.parts))), 1)

    @staticmethod
    def from_bytes(data: bytes) -> FileParts:
        """Return parts from bytes. Raises ValueError, TypeError or `zlib.error`."""
        whole = zlib.decompressobj().decompress(data, _LARGEST)
        head, _, rest = whole.partition(b"\n")
        (tag, modified, size), places = json.loads(head)
        parts, at = [], 0
        for first, count in places:
            parts.append((first, rest[at : at + count]))
            at += count
        return FileParts(Version(tag, modified, size), tuple(parts))


class _KeptParts:
    """The parts that are read of the files opened in a context."""

    def __init__(self, headers: Headers) -> None:
        self._headers = headers
        self._known: dict[str, FileParts | None] = {}
        self._read: dict[str, tuple[Version, dict[int, bytes]]] = {}
        self.is_open = True

    def find(self, location: Location, version: Callable[[], Version | None]) -> FileParts | None:
        """Return the parts of a file that are kept, if it still has their version."""
        name = _name(location)
        if name not in self._known:
            self._known[name] = self._load(name, version)
        return self._known[name]

    def _load(self, name: str, version: Callable[[], Version | None]) -> FileParts | None:
        data = self._headers.find(name)
        found = None
        with contextlib.suppress(ValueError, TypeError, zlib.error):
            found = None if data is None else FileParts.from_bytes(data)
        now = None if found is None else version()
        if found is None or now is None or found.version.differs(now):
            return None
        self._headers.note_use(1)
        return found

    def note(self, location: Location, version: Version | None, start: int, data: bytes) -> None:
        """Note the parts read of a file, if its version shows whether it changes."""
        if version is None or version.size is None or (version.tag or version.modified) is None:
            return
        _, parts = self._read.setdefault(_name(location), (version, {}))
        if len(data) > len(parts.get(start, b"")):
            parts[start] = data

    def end(self) -> None:
        """Keep the new parts of files."""
        self.is_open = False
        for name, (version, parts) in self._read.items():
            if self._known.get(name) is None:
                data = FileParts(version, tuple(parts.items())).to_bytes()
                self._headers.add(name, data)
        self._read.clear()
        self._known.clear()


def _name(location: Location) -> str:
    return hashlib.blake2b(location.exact.encode("utf-8", "surrogateescape")).hexdigest()


_keeping: ContextVar[_KeptParts | None] = ContextVar("ncz_kept_parts", default=None)


def current() -> _KeptParts | None:
    """Return the recorder of the parts of files that are opened now, or None."""
    return _keeping.get()


@contextlib.contextmanager
def keep_parts(headers: Headers) -> Iterator[None]:
    """Keep the parts that are read of files which are opened in the block, in this thread."""
    found = _KeptParts(headers)
    token = _keeping.set(found)
    try:
        yield
    finally:
        _keeping.reset(token)
    found.end()
