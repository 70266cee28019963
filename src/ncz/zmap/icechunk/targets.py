"""Decide which virtual chunks of a repository may be read.

A repository may come from anyone, as a reference set may, so that the same policy applies to the
files that both refer to: see `ncz.zmap.permissions`. The library permits whole containers, which
are prefixes of URLs. A bucket or a folder of it is permitted as such. For any other container, and
for any folder of the disk, where links and hidden files may be, the file of each chunk is checked
before the chunk is read. icechunk before 2.3 does not report this file, so that all files must be
permitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ncz.errors import NczError
from ncz.record import replace
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.fragment import unquote
from ncz.zmap.icechunk.chunk_places import ChunkPlaces, read_places, tells_places
from ncz.zmap.icechunk.snapshot import Snapshot
from ncz.zmap.permissions import S3, RemotePlace, parse_remote
from ncz.zmap.reference.targets import Targets
from ncz.zmap.remote.credentials import S3Settings, find_settings
from ncz.zmap.source_file import SourceFile


class VirtualChunks:
    """The virtual chunks of a snapshot, and which of them may be read.

    All methods may be called from many threads, and `prepare` and `permit` from one at a time.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._permitted: dict[str, S3Settings | None] = {}
        self._refused: dict[str, NczError] = {}
        self._by_file: list[str] = []

    @cached_property
    def _targets(self) -> Targets:
        """The files, with the states that they had."""
        snapshot = self._snapshot
        seals = {_name_of(url): seal for url, seal in snapshot.seals().items()}
        return Targets(snapshot.location, snapshot.url, "repository", seals)

    @cached_property
    def _write_time(self) -> int:
        return self._snapshot.write_time

    def prepare(self) -> bool:
        """Permit whole containers on servers, and return whether there are others.

        If the library does not report the places of chunks, the others are permitted too, if all
        their files may be read; the first chunk of another one raises the error.
        """
        snapshot = self._snapshot
        targets = Targets(snapshot.location, snapshot.url, what="repository")
        for prefix in snapshot.containers:
            try:
                if parse_remote(prefix) is None:
                    self._by_file.append(prefix)
                else:
                    targets.place(_as_folder(prefix), snapshot.url)
                    self._permitted[prefix] = _server(prefix, targets)
            except NczError as error:
                self._refused[prefix] = error
                self._by_file.append(prefix)
        if self._by_file and not tells_places(snapshot.store):
            self._permit_whole()
            self._by_file.clear()
        if self._permitted or not self._by_file:
            snapshot.permit(self._permitted, self._refused)
        return bool(self._by_file)

    def _permit_whole(self) -> None:
        """Permit the containers whose files may all be read."""
        snapshot, targets = self._snapshot, self._targets
        urls = snapshot.virtual_urls()
        for prefix, files in _files_of(self._by_file, snapshot.containers, urls).items():
            try:
                names = [*map(_name_of, files)]
                for name in names:
                    targets.place(name, snapshot.url)
                _refuse_changed(names, targets, snapshot.url)
            except NczError as error:
                self._refused[prefix] = error
            else:
                self._refused.pop(prefix, None)
                self._permitted[prefix] = _server(prefix, targets)

    def permit(self, url: str, where: str) -> None:
        """Permit the chunks in a file; raise `ZmapError` for one that must not be read.

        The library permits containers: the container of the file is permitted, and every other
        chunk of it is checked too before it is read.
        """
        prefix = next((p for p in self._snapshot.containers if url.startswith(p)), None)
        if prefix is None or (prefix in self._permitted and prefix not in self._by_file):
            return
        name = _name_of(url)
        self._targets.place(name, where)
        if parse_remote(name) is None:
            self._targets.require_seal(name, where)
        if prefix not in self._permitted:
            self._refused.pop(prefix, None)
            self._permitted[prefix] = _server(prefix, self._targets)
            self._snapshot.permit(self._permitted, self._refused)

    def target(self, place: ByteRange) -> ByteRange:
        """Return a place as reference sets name it."""
        return replace(place, url=self._targets.named_target(_name_of(place.url)))

    def state(self, url: str) -> SourceFile:
        """Return the state of a file."""
        source = self._targets.state(_name_of(url))
        return _as_of(source, self._targets, self._write_time)

    def sources(self) -> Iterator[SourceFile]:
        """Yield the known facts about the files of virtual chunks.

        The library does not report the state of a chunk, so if another program referred to a file,
        it is only known whether it was written after the snapshot.
        """
        for source in self._targets.states(map(_name_of, sorted(self._snapshot.virtual_urls()))):
            yield _as_of(source, self._targets, self._write_time)

    async def places(self, array: str) -> ChunkPlaces | None:
        """Return the places of the chunks of an array; None if the library does not say them."""
        store = self._snapshot.store
        if not tells_places(store):
            return None
        try:
            return await read_places(store, array, self._snapshot.virtual_kind)
        except KeyError:  # no such array exists
            return ChunkPlaces()

    def close(self) -> None:
        """Close connections to servers."""
        if "_targets" in self.__dict__:
            self._targets.close()


def _name_of(url: str) -> str:
    """Return the URL of a file of virtual chunks as a reference set would name it."""
    return unquote(url, errors="surrogateescape")


def _as_of(source: SourceFile, targets: Targets, written: int) -> SourceFile:
    """Return the state of a file at the time when a snapshot was written."""
    seal = targets.seal(source.url) if source.state == "present" else None
    if seal is None or seal.modified is None or seal.modified <= written:
        return source
    return replace(source, state="changed", reason="it was written after the snapshot")


def _refuse_changed(names: Sequence[str], targets: Targets, url: str) -> None:
    """Raise `ZmapError` for a local file that has changed."""
    for name in names:
        if parse_remote(name) is None:
            targets.require_seal(name, url)


def _files_of(
    prefixes: Sequence[str], containers: Sequence[str], urls: Iterable[str]
) -> dict[str, list[str]]:
    """Return the URLs of files that belong to containers."""
    found: dict[str, list[str]] = {}
    for url in urls:
        prefix = next((prefix for prefix in containers if url.startswith(prefix)), None)
        if prefix is not None and prefix in prefixes:
            found.setdefault(prefix, []).append(url)
    return found


def _as_folder(prefix: str) -> str:
    return prefix.rstrip("/") + "/"


def _server(prefix: str, targets: Targets) -> S3Settings | None:
    """Return the server of a container on S3; None for others."""
    place = targets.absolute(_as_folder(prefix)) if parse_remote(prefix) is not None else None
    if isinstance(place, RemotePlace) and place.protocol in S3:
        return find_settings(targets.root(place))
    return None
