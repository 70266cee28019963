"""Decide which virtual chunks of a repository may be read.

A repository may come from anyone, as a reference set may, so that the same policy applies to the
files to which both lead: see `ncz.zmap.permissions`. The library permits whole containers, which
are prefixes of URLs. A bucket or a folder of it is permitted as such; a folder of the disk is
permitted if all files are that its chunks are in, because links and hidden files may be in it.
"""

from __future__ import annotations

from ncz.errors import NczError
from ncz.zmap.icechunk.snapshot import Snapshot
from ncz.zmap.permissions import RemotePlace, parse_remote
from ncz.zmap.reference.targets import Targets
from ncz.zmap.remote.credentials import S3Settings, find_settings


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
    local: list[str] = []
    for prefix in containers:
        try:
            if parse_remote(prefix) is None:
                local.append(prefix)
            else:
                permitted[prefix] = _server(prefix, targets, snapshot.url)
        except NczError as error:
            refused[prefix] = error
    for url in snapshot.virtual_urls() if local else ():
        prefix = next((prefix for prefix in containers if url.startswith(prefix)), "")
        if prefix in local and prefix not in refused:
            try:
                targets.place(url, snapshot.url)
            except NczError as error:
                refused[prefix] = error
    permitted.update((prefix, None) for prefix in local if prefix not in refused)
    snapshot.permit(permitted, refused)


def _server(prefix: str, targets: Targets, url: str) -> S3Settings | None:
    """Return the server of a container on S3; raise `ZmapError` if it is not permitted."""
    place = targets.place(prefix.rstrip("/") + "/", url)
    assert isinstance(place, RemotePlace)
    return find_settings(targets.root(place)) if place.protocol in ("s3", "gs3") else None
