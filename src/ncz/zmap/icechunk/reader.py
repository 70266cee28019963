"""A snapshot of an Icechunk repository as a zmap."""

from __future__ import annotations

import asyncio
import re
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ncz.errors import ZmapError
from ncz.zmap import Zmap
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.fragment import DEFAULT_INLINE
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    ZARR_JSON,
    SortedKeys,
    check_inside,
    clamp,
    join_key,
    order,
    too_large,
)
from ncz.zmap.remote.prefetch import Prefetch
from ncz.zmap.remote.waits import result_of
from ncz.zmap.source_file import SourceFile

if TYPE_CHECKING:
    from icechunk import IcechunkStore

    from ncz.zmap.icechunk.chunk_places import ChunkPlaces

_T = TypeVar("_T")

_CHUNK = re.compile(r"(?:(.*)/)?c(?:/\d+)*", re.DOTALL)
"""The keys of chunks, and the key of the array; the library rejects keys of other objects."""


def array_of(key: str) -> tuple[str, list[int]]:
    """Return the path of the array that a chunk belongs to, and the index of the chunk."""
    found = _CHUNK.fullmatch(key)
    assert found is not None  # the keys of chunks in a repository have no other form
    array = found[1] or ""
    numbers = key[len(array) :].strip("/").split("/")[1:]
    return array, [*map(int, numbers)]


class OpenVersion(Protocol):
    """A snapshot or a branch that is open."""

    @property
    def url(self) -> str:
        """Its name in messages."""
        ...

    @property
    def store(self) -> IcechunkStore:
        """The store of its session."""
        ...

    @property
    def limit(self) -> float:
        """The time in seconds that the library may take for an answer."""
        ...

    def errors(self, where: str) -> AbstractContextManager[None]:
        """Raise the library's errors as `ZmapError`; `where` is for messages."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...


class Virtual(Protocol):
    """The files of virtual chunks."""

    def prepare(self) -> bool:
        """Permit the chunks that may be read, and return whether each other file must be checked.

        Raises `ZmapError` if none may be read.
        """
        ...

    def permit(self, url: str, where: str) -> None:
        """Permit the chunks in a file; raise `ZmapError` for one that must not be read."""
        ...

    def target(self, place: ByteRange) -> ByteRange:
        """Return a place as reference sets name it."""
        ...

    def state(self, url: str) -> SourceFile:
        """Return the state of a file."""
        ...

    def sources(self) -> Iterator[SourceFile]:
        """Yield the states of all files."""
        ...

    async def places(self, array: str) -> ChunkPlaces | None:
        """Return the places of the chunks of an array; None if the library does not say them."""
        ...

    def close(self) -> None:
        """Close connections to servers."""
        ...


_MOST_ARRAYS = 64
"""The number of arrays whose places of chunks are kept."""


class IcechunkZmap(Zmap):
    """A snapshot that can be read. All methods may be called from many threads."""

    is_distant = True
    numbers_chunks = True
    is_atomic = True

    def __init__(
        self,
        snapshot: OpenVersion,
        virtual: Virtual | None = None,
    ) -> None:
        from fsspec.asyn import get_loop

        self._snapshot = snapshot
        self._virtual = virtual
        self.refers_above = None if virtual is None else DEFAULT_INLINE
        self.url = snapshot.url
        self._loop: asyncio.AbstractEventLoop = get_loop()
        self._lock = threading.Lock()
        self._is_permitted = virtual is None
        self._is_prepared = False
        self._places: OrderedDict[str, ChunkPlaces | None] = OrderedDict()
        self._ahead = Prefetch(self._start)
        self._closed = False

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        self._refuse_closed()
        with self._snapshot.errors(self.where(check_inside(key))):
            expected = self._ahead.take(key)
            data = expected[0] if expected else result_of(self._start(key, limit))
        if data is not None and len(data) > limit:
            raise too_large(self.where(key), limit)
        return data

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        size = self.size(key)
        first, count = clamp(size or 0, start, count)
        if size is None or not count:
            return None if size is None else b""
        self._permit(key)
        return self._wait(key, self._read(key, first, count))

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        return self._wait(key, self._size(key))

    def sources(self) -> Iterator[SourceFile]:
        """Yield the known facts about the files of virtual chunks; see `Zmap.sources`."""
        self._refuse_closed()
        return iter(()) if self._virtual is None else self._virtual.sources()

    def target(self, key: str) -> ByteRange | None:
        """Return the part of a file that is a virtual chunk; see `Zmap.target`."""
        found = self._place(key)
        return found if found is None or self._virtual is None else self._virtual.target(found)

    def source(self, key: str) -> SourceFile | None:
        """Return the state of the file of a virtual chunk; see `Zmap.source`."""
        found = self._place(key)
        return None if found is None or self._virtual is None else self._virtual.state(found.url)

    def _place(self, key: str) -> ByteRange | None:
        """Return the part of a file that is a chunk; None if it is not virtual, or not known."""
        if self._virtual is None or not _CHUNK.fullmatch(check_inside(key)):
            return None
        array, index = array_of(key)
        if array not in self._places:
            self._places[array] = self._wait(key, self._virtual.places(array))
            if len(self._places) > _MOST_ARRAYS:
                self._places.popitem(last=False)
        places = self._places[array]
        return None if places is None else places.find(index)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        if not self._is_there(prefix):
            return []
        names = self._wait(prefix, _all(self._snapshot.store.list_dir(prefix)))
        return sorted({name.rstrip("/") for name in names}, key=order)

    def _is_there(self, prefix: str) -> bool:
        """Return whether something is below a prefix; the library refuses to list another one."""
        if not prefix or self.size(join_key(prefix, ZARR_JSON)) is not None:
            return True
        above, _, name = check_inside(prefix).rpartition("/")
        return name in self.search(above)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        if prefix and self.size(prefix) is not None:
            return iter((prefix,))
        node = prefix  # the library lists only names below groups and arrays
        while node and self.size(join_key(node, ZARR_JSON)) is None:
            node = node.rpartition("/")[0]
        below = f"{node}/" if node else ""
        keys = self._wait(node, _all(self._snapshot.store.list_prefix(below)))
        return SortedKeys(keys).walk(prefix)

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        """Start to fetch objects that will be read; see `Zmap.expect`."""
        self._refuse_closed()
        self._ahead.expect(wanted)

    def close(self) -> None:
        """Close the store. Reading afterwards raises `ZmapError`."""
        self._closed = True
        if self._virtual is not None:
            self._virtual.close()
        self._snapshot.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ZmapError("the store is closed", location=self.url)

    def _wait(self, key: str, call: Coroutine[Any, Any, _T]) -> _T:
        """Return the result of a coroutine that reads the store."""
        try:
            self._refuse_closed()
            check_inside(key)
        except ZmapError:
            call.close()
            raise
        with self._snapshot.errors(self.where(key) if key else self.url):
            return result_of(self._begin(call))

    def _begin(self, call: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Start a coroutine, which raises `TimeoutError` if it takes too long."""
        limited = asyncio.wait_for(call, self._snapshot.limit)
        return asyncio.run_coroutine_threadsafe(limited, self._loop)

    def _start(self, key: str, limit: int) -> Future[bytes | None]:
        """Start to read an object, and read one byte more than `limit` at most."""
        self._permit(key)
        return self._begin(self._read_up_to(key, limit))

    def _permit(self, key: str) -> None:
        """Permit a chunk to be read, if it is virtual and in a file that may be read."""
        if self._is_permitted or self._virtual is None or not _CHUNK.fullmatch(key):
            return
        with self._lock:
            if not self._is_prepared:
                self._is_permitted = not self._virtual.prepare()
                self._is_prepared = True
            if not self._is_permitted and (place := self._place(key)) is not None:
                self._virtual.permit(place.url, self.where(key))

    async def _read_up_to(self, key: str, limit: int) -> bytes | None:
        size = await self._size(key)
        if size is None:
            return None
        return await self._read(key, 0, min(size, limit + 1)) if size else b""

    async def _read(self, key: str, first: int, count: int) -> bytes | None:
        from zarr.abc.store import RangeByteRequest
        from zarr.core.buffer import default_buffer_prototype

        part = RangeByteRequest(first, first + count)
        found = await self._snapshot.store.get(key, default_buffer_prototype(), part)
        return None if found is None else found.to_bytes()

    async def _size(self, key: str) -> int | None:
        store = self._snapshot.store
        chunk = _CHUNK.fullmatch(key)
        if not chunk and key.rpartition("/")[2] != ZARR_JSON:
            return None
        try:
            size = await store.getsize(key)
            # The library returns 0 for a missing chunk.
            return size if size or await store.exists(key) else None
        except (KeyError, FileNotFoundError):
            return None
        except Exception:
            if chunk and not await self._is_array(chunk[1] or ""):
                return None
            raise

    async def _is_array(self, key: str) -> bool:
        document = await self._read_up_to(join_key(key, ZARR_JSON), LARGEST_DOCUMENT)
        return b'"array"' in (document or b"")


async def _all(names: AsyncIterator[str]) -> list[str]:
    return [name async for name in names]
