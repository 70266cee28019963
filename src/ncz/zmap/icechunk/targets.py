"""Decide which virtual chunks of a repository may be read.

A repository may come from anyone, as a reference set may, so that the same policy applies to the
files to which both lead: see `ncz.zmap.permissions`. The library permits whole containers, which
are prefixes of URLs. A bucket or a folder of it is permitted as such. Any other container, and any
folder of the disk, in which links and hidden files may be, is permitted if all its files are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing

from ncz.errors import NczError
from ncz.record import replace
from ncz.zmap.icechunk.snapshot import Snapshot
from ncz.zmap.location import unquote
from ncz.zmap.permissions import S3, RemotePlace, parse_remote
from ncz.zmap.reference.seals import Seal, source_changed
from ncz.zmap.reference.targets import Targets
from ncz.zmap.remote.credentials import S3Settings, find_settings
from ncz.zmap.source_file import SourceFile

_SURELY = 2_000_000_000
"""Nanoseconds after which another whole second has begun, also where times are rounded."""


def virtual_sources(snapshot: Snapshot) -> Iterator[SourceFile]:
    """Yield what is known of the files of virtual chunks.

    The library tells no state of a chunk, so that of a file to which another program referred, it
    is only known whether it was written after the snapshot.
    """
    names = [*map(_name_of, sorted(snapshot.virtual_urls()))]
    seals = _seals_of(snapshot)
    with closing(Targets(snapshot.location, snapshot.url, "repository", seals)) as targets:
        written = snapshot.written
        for source in targets.states(names):
            yield _as_of(source, targets, written)


def _name_of(url: str) -> str:
    """Return the URL of a file of virtual chunks as a reference set would name it."""
    return unquote(url, errors="surrogateescape")


def _seals_of(snapshot: Snapshot) -> dict[str, Seal]:
    return {_name_of(url): seal for url, seal in snapshot.seals().items()}


def _as_of(source: SourceFile, targets: Targets, written: int) -> SourceFile:
    """Return the state of a file at the time when a snapshot was written."""
    seal = targets.seal(source.url) if source.state == "present" else None
    if seal is None or seal.modified is None or seal.modified <= written:
        return source
    return replace(source, state="changed", reason="it was written after the snapshot")


def permit_virtual_chunks(snapshot: Snapshot) -> None:
    """Let a snapshot read the virtual chunks that it may lead to.

    The first chunk of another container raises the error for it when it is read.
    """
    containers = snapshot.containers
    if not containers:
        return
    targets = Targets(snapshot.location, snapshot.url, what="repository")
    permitted: dict[str, S3Settings | None] = {}
    refused: dict[str, NczError] = {}
    by_file: list[str] = []
    for prefix in containers:
        try:
            if parse_remote(prefix) is None:
                by_file.append(prefix)
            else:
                targets.place(_as_folder(prefix), snapshot.url)
                permitted[prefix] = _server(prefix, targets)
        except NczError as error:
            refused[prefix] = error
    by_file += refused
    urls = snapshot.virtual_urls() if by_file else ()
    seals = _seals_of(snapshot) if by_file else {}
    for prefix, files in _files_of(by_file, containers, urls).items():
        try:
            names = [*map(_name_of, files)]
            for name in names:
                targets.place(name, snapshot.url)
            _refuse_changed(names, seals, targets, snapshot.url)
        except NczError as error:
            refused[prefix] = error
        else:
            refused.pop(prefix, None)
            permitted[prefix] = _server(prefix, targets)
    snapshot.permit(permitted, refused)


def _refuse_changed(
    names: Sequence[str], seals: Mapping[str, Seal], targets: Targets, url: str
) -> None:
    """Raise `ZmapError` for a local file that has changed, and of which the library would read.

    It compares times in whole seconds, and reads what is older. Which chunks are in which file is
    not known here, so that none of the container is read.
    """
    sealed = [name for name in names if name in seals and parse_remote(name) is None]
    for name, now in targets.seals(sealed).items():
        difference = seals[name].difference(now)
        if difference and not _is_later(now, seals[name]):
            raise source_changed(name.removeprefix("file://"), difference, url)


def _is_later(now: Seal, then: Seal) -> bool:
    """Return whether a file was changed so much later that the library reads none of it."""
    if now.modified is None or then.modified is None:
        return False
    return now.modified - then.modified > _SURELY


def _files_of(
    prefixes: Sequence[str], containers: Sequence[str], urls: Iterable[str]
) -> dict[str, list[str]]:
    """Return the URLs of files that belong to containers; without any of its own, none of them."""
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
