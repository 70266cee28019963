"""A reference set as a zmap."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import cast

from ncz.errors import ZmapError
from ncz.record import replace
from ncz.zmap import Zmap
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.fragment import DEFAULT_INLINE
from ncz.zmap.key import LARGEST_DOCUMENT, check_inside, clamp, part, too_large
from ncz.zmap.permissions import RemotePlace
from ncz.zmap.reference.joined_reads import LARGEST, JoinedReads
from ncz.zmap.reference.reference_set import ReferenceSet
from ncz.zmap.reference.targets import Targets
from ncz.zmap.remote.prefetch import Prefetch
from ncz.zmap.source_file import SourceFile

_PARALLEL = 16
"""The number of parallel requests for announced objects."""


class ReferenceZmap(Zmap):
    """A reference set that can be read; the zmap closes its targets.

    Parameters
    ----------
    references
        The reference of each key.
    targets
        Reads the files that they refer to.
    url
        The store's name in messages.
    """

    is_distant = True
    lists_freely = True
    is_atomic = True
    refers = True
    refers_above = DEFAULT_INLINE

    def __init__(self, references: ReferenceSet, targets: Targets, url: str) -> None:
        self._references = references
        self.numbers_chunks = references.numbers_chunks
        self._targets = targets
        self.url = url
        self._closed = False
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._ahead: Prefetch | None = None
        self._joining = JoinedReads(
            self._submit, lambda place, key: self._fetch(place, key, LARGEST)
        )
        self.survives_fork = not targets.permissions.leads_to_servers
        self.joins_neighbours = targets.permissions.leads_to_servers

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`. A target that does not exist is an error."""
        found = self._find(key)
        if found is None:
            return None
        if isinstance(found, ByteRange):
            if found.length is not None and found.length > limit:
                raise too_large(self.where(key), limit)
            expected = self._ahead and self._ahead.take(key)
            data = expected[0] if expected else None
            found = self._fetch(found, key, limit) if data is None else data
        if len(found) > limit:
            raise too_large(self.where(key), limit)
        return found

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        found = self._find(key)
        if found is None:
            return None
        if not isinstance(found, ByteRange):
            return part(found, start, count)
        first, count = clamp(self._targets.size(found, self.where(key)), start, count)
        return self._targets.read_part(found, first, count, self.where(key)) if count else b""

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        found = self._find(key)
        if found is None:
            return None
        if isinstance(found, ByteRange):
            return self._targets.size(found, self.where(key))
        return len(found)

    def place(self, key: str) -> ByteRange | None:
        """Return the target of a key; see `Zmap.place`.

        None for chunks in the folder next to the set, which belong to this set and to no other.
        """
        found = self._find(key)
        if not isinstance(found, ByteRange) or self._targets.is_own(found.url):
            return None
        return replace(found, url=self._targets.address(found.url, self.where(key)))

    def target(self, key: str) -> ByteRange | None:
        """Return the target of a key, permitted or not; see `Zmap.target`."""
        found = self._find(key)
        if not isinstance(found, ByteRange):
            return None
        return replace(found, url=self._targets.named_target(found.url))

    def source(self, key: str) -> SourceFile | None:
        """Return the state of the target of a key; see `Zmap.source`."""
        found = self._find(key)
        return self._targets.state(found.url) if isinstance(found, ByteRange) else None

    @property
    def is_sealed(self) -> bool:
        """Whether the set has the states of its targets."""
        return bool(self._references.seals)

    def sources(self) -> Iterator[SourceFile]:
        """Yield the known facts about each target; see `Zmap.sources`."""
        self._refuse_closed()
        return self._targets.states(self._references.urls())

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        self._refuse_closed()
        return self._references.search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        self._refuse_closed()
        return self._references.walk(check_inside(prefix))

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Start to fetch objects on servers, neighbours together; see `Zmap.expect`."""
        self._refuse_closed()
        if not self._targets.permissions.leads_to_servers:
            return
        if self._ahead is None:
            self._ahead = Prefetch(self._request)
        self._ahead.expect(self._joining.plan_reads(self._on_servers(wanted), self._range_of))

    def close(self) -> None:
        """Release connections. Reading afterwards raises `ZmapError`."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._targets.close()
        self._references.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ZmapError("the store is closed", location=self.url)

    def _find(self, key: str) -> bytes | ByteRange | None:
        self._refuse_closed()
        return self._references.find(check_inside(key))

    def _fetch(self, place: ByteRange, key: str, limit: int) -> bytes:
        return self._targets.read(place, self.where(key), limit)

    def _range_of(self, key: str) -> ByteRange | None:
        found = self._references.find(key)
        return found if isinstance(found, ByteRange) and found.length is not None else None

    def _on_servers(self, wanted: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
        """Yield the announced keys whose targets are on servers.

        Others are near. Targets that are not permitted are left to the reader, who gets the error.
        """
        for key, size in wanted:
            found = self._references.find(key)
            if isinstance(found, ByteRange) and (found.length or 0) <= LARGEST_DOCUMENT:
                try:
                    place = self._targets.place(found.url, self.where(key))
                except (ZmapError, ValueError):
                    continue
                if isinstance(place, RemotePlace):
                    yield key, size

    def _request(self, key: str, most: int) -> Future[bytes | None]:
        found = self._references.find(key)
        assert isinstance(found, ByteRange)
        future = self._joining.fetch(key) or self._submit(lambda: self._fetch(found, key, most))
        return cast("Future[bytes | None]", future)

    def _submit(self, call: Callable[[], bytes]) -> Future[bytes]:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_PARALLEL, "ncz-references")
            return self._pool.submit(call)
