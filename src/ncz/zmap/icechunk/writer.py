"""A branch of a repository as a writable zmap: one commit for all objects."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ncz.errors import ZmapError
from ncz.zmap import ReferringZmap, WritableZmap
from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.fragment import DEFAULT_INLINE, INLINE, RELATIVE_TO, SEALS
from ncz.zmap.icechunk.containers import (
    Container,
    container_config,
    container_of,
    has_names,
    new_prefixes,
    url_of,
)
from ncz.zmap.icechunk.reader import IcechunkZmap, array_of
from ncz.zmap.icechunk.transaction import NO_PROPERTIES, Transaction
from ncz.zmap.key import ZARR_JSON, ancestors, check_key, join_key
from ncz.zmap.reference.seals import Seal, write_seals
from ncz.zmap.reference.targets import Targets
from ncz.zmap.remote.waits import result_of

if TYPE_CHECKING:
    from icechunk import VirtualChunkSpec

_UNDER_WAY, _BYTES_UNDER_WAY = 32, 64 << 20
"""The number of objects, and their bytes, that are written at the same time."""

_AT_ONCE = 50_000
"""Virtual chunks that the library is given at a time."""

_GROUP = b'{"zarr_format": 3, "node_type": "group", "attributes": {}}'


class IcechunkWriter(IcechunkZmap, WritableZmap):
    """The branch of a transaction. Objects appear for others when `commit` is called."""

    documents_first = True

    def __init__(self, transaction: Transaction) -> None:
        super().__init__(transaction)
        self.transaction = transaction
        self._pending: collections.deque[tuple[str, int, Future[None]]] = collections.deque()
        self._bytes = 0
        self._groups: set[str] = set()

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object; see `WritableZmap.put`."""
        check_key(key)
        self._refuse_closed()
        is_document = key.rpartition("/")[2] == ZARR_JSON
        if is_document:
            self._put_groups_above(key)
            self._wait_for_all()
        self._start_put(key, value)
        if is_document:  # which the library needs before chunks
            self._wait_for_all()

    def _put_groups_above(self, key: str) -> None:
        """Create the groups that the library needs before their members."""
        folder = key.rpartition("/")[0]
        for above in reversed(["", *ancestors(folder)] if folder else []):
            document = join_key(above, ZARR_JSON)
            if above not in self._groups and self.size(document) is None:
                self._start_put(document, _GROUP)
                self._wait_for_all()
            self._groups.add(above)

    def _start_put(self, key: str, value: bytes) -> None:
        from zarr.core.buffer import cpu

        while self._pending and (
            len(self._pending) >= _UNDER_WAY or self._bytes + len(value) > _BYTES_UNDER_WAY
        ):
            self._wait_for_one()
        buffer = cpu.Buffer.from_bytes(bytes(value))
        call = self._begin(self.transaction.store.set(key, buffer))
        self._pending.append((key, len(value), call))
        self._bytes += len(value)

    def _wait_for_one(self) -> None:
        key, size, call = self._pending.popleft()
        self._bytes -= size
        with self.transaction.errors(self.where(key)):
            result_of(call)

    def _wait_for_all(self) -> None:
        while self._pending:
            self._wait_for_one()

    def get(self, key: str, limit: int = 1 << 30) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        self._wait_for_all()
        return super().get(key, limit)

    def delete(self, key: str) -> bool:
        """Delete an object; return False if no object has this key."""
        self._wait_for_all()
        if self.size(key) is None:
            return False
        self._wait(key, self.transaction.store.delete(key))
        return True

    def clear(self) -> None:
        """Delete all objects of the branch."""
        self._wait("", self.transaction.store.clear())

    def commit(self, message: str) -> None:
        """Commit the new objects; see `WritableZmap.commit`."""
        self._wait_for_all()
        self.transaction.commit(message, self._properties())

    def _properties(self) -> Mapping[str, Any]:
        """Return the metadata that the new snapshot keeps next to the message."""
        return NO_PROPERTIES


class ReferringIcechunk(IcechunkWriter, ReferringZmap):
    """A branch whose chunks may be virtual: parts of files that are not copied."""

    needs_lengths = True

    def __init__(self, transaction: Transaction) -> None:
        super().__init__(transaction)
        options = transaction.location.options
        self.inline = int(options.get(INLINE, DEFAULT_INLINE))
        self._is_relative = options.get(RELATIVE_TO) == "ref"
        if self._is_relative and not has_names(transaction.library):
            raise ZmapError(
                f"icechunk {transaction.library.__version__} has no relative virtual chunks",
                self.url, "install icechunk 2, or omit the option for relative targets",
            )  # fmt: skip
        self._tables: list[tuple[str, str, Any, Any, Any]] = []
        self._singles: list[tuple[str, ByteRange]] = []
        self._seals: dict[str, Seal] = {}

    def refer(self, key: str, place: ByteRange) -> None:
        """Create or replace an object whose bytes are somewhere else; see `ReferringZmap`."""
        self._singles.append((key, place))

    def refer_all(self, ranges: ByteRanges) -> None:
        """Create objects that are parts of one file; see `ReferringZmap`."""
        if len(ranges.offsets):
            (first,) = ranges.keys(ranges.indices[:1])
            array, _ = array_of(first)
            table = (ranges.url, array, ranges.indices, ranges.offsets, ranges.lengths)
            self._tables.append(table)

    def commit(self, message: str) -> None:
        """Write the virtual chunks, and commit; see `WritableZmap.commit`."""
        self._wait_for_all()
        containers = self._add_containers()
        for array, specs in self._batches(containers):
            with self.transaction.errors(self.where(array)):
                self.transaction.store.set_virtual_refs(array, specs, validate_containers=False)
        super().commit(message)

    def _properties(self) -> Mapping[str, Any]:
        """Return the states of the files of new virtual chunks, which icechunk cannot store."""
        return write_seals(self._seals) if self._seals else NO_PROPERTIES

    def _add_containers(self) -> dict[str, str]:
        """Add the containers that are missing; return how chunks name each file."""
        transaction = self.transaction
        files = {table[0] for table in self._tables} | {place.url for _, place in self._singles}
        urls = {file: url_of(file) for file in sorted(files)}
        known = [Container(prefix, name) for prefix, name in transaction.prefixes.items()]
        if self._is_relative:
            known = [container for container in known if container.name]
        new: list[Container] = []
        missing = [url for url in urls.values() if container_of(url, known) is None]
        for prefix in new_prefixes(missing):
            name = self._name(known + new) if self._is_relative else None
            new.append(Container(prefix, name))
        location, library = transaction.location, transaction.library
        transaction.add_containers([container_config(library, one, location) for one in new])
        found = {}
        for file, url in urls.items():
            container = container_of(url, known + new)
            assert container is not None  # its prefix was made of the URL
            found[file] = container.location(url) if self._is_relative else url
        return found

    def _name(self, known: list[Container]) -> str:
        """Return a name for a new container."""
        taken = {container.name for container in known}
        names = (f"files-{number}" if number else "files" for number in range(len(taken) + 1))
        return next(name for name in names if name not in taken)

    def _batches(self, names: dict[str, str]) -> Iterator[tuple[str, list[VirtualChunkSpec]]]:
        """Yield the virtual chunks of each array, some at a time."""
        library = self.transaction.library.VirtualChunkSpec
        states = self._states(names)

        def make(index: list[int], file: str, offset: int, length: int | None) -> VirtualChunkSpec:
            spec: VirtualChunkSpec = library(index, names[file], offset, length, *states[file])
            return spec

        by_array: dict[str, list[VirtualChunkSpec]] = {}
        for key, place in self._singles:
            array, index = array_of(key)
            spec = make(index, place.url, place.offset, place.length)
            by_array.setdefault(f"/{array}", []).append(spec)
        yield from by_array.items()
        for url, array, indices, offsets, lengths in self._tables:
            for start in range(0, len(offsets), _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                rows = zip(
                    indices[part].tolist(),
                    offsets[part].tolist(),
                    lengths[part].tolist(),
                    strict=True,
                )
                yield f"/{array}", [make(index, url, a, n) for index, a, n in rows]

    def _states(self, names: dict[str, str]) -> dict[str, tuple[str | None, datetime | None]]:
        """Return the ETag of each file, or the time of its last permitted change.

        The library reads no chunk of a file that is not in this state. It compares whole seconds,
        so that more is kept for the snapshot.
        """
        files = [*names]
        location = self.transaction.location
        if location.options.get(SEALS) == "off":
            return dict.fromkeys(files, (None, None))
        with contextlib.closing(Targets(location, self.url)) as targets:
            seals = targets.seals(files)
        self._seals = {names[file]: seal for file, seal in seals.items()}
        return {file: _state_of(seals.get(file)) for file in files}


def _state_of(seal: Seal | None) -> tuple[str | None, datetime | None]:
    if seal is None:
        return None, None
    if seal.tag is not None:
        return f'"{seal.tag}"', None
    if seal.modified is None:
        return None, None
    return None, datetime.fromtimestamp(-(-seal.modified // 1_000_000_000), UTC)


def writer_of(transaction: Transaction) -> IcechunkWriter:
    """Return a writer of a branch, with virtual chunks if the repository has some."""
    is_virtual = "reference" in transaction.location.modes or bool(transaction.prefixes)
    return ReferringIcechunk(transaction) if is_virtual else IcechunkWriter(transaction)
