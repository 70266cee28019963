"""The containers of virtual chunks: prefixes of URLs, which a repository lists."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.icechunk.library import is_old
from ncz.zmap.location import Location
from ncz.zmap.permissions import parse_remote
from ncz.zmap.reference.targets import server_of

_RELATIVE = "vcc://"
"""The beginning of the names of files that are relative to a container."""

_ENCODED = str.maketrans({"%": "%25", "?": "%3F", "#": "%23"})
"""Characters that have a meaning in a URL, and not in the name of a file."""


@record
class Container:
    """A prefix of URLs; relative chunks name it by `name`, if it has one."""

    prefix: str
    name: str | None = None

    def location(self, url: str) -> str:
        """Return the location of a file below the prefix, as a virtual chunk names it."""
        if self.name is None:
            return url
        return f"{_RELATIVE}{self.name}/{url.removeprefix(self.prefix)}"


def absolute_url(name: str, prefixes: Mapping[str | None, str]) -> str:
    """Return the URL of a file as a virtual chunk names it, by the prefixes of containers."""
    if not name.startswith(_RELATIVE):
        return name
    container, _, rest = name.removeprefix(_RELATIVE).partition("/")
    return prefixes.get(container, f"{_RELATIVE}{container}/") + rest


def url_of(target: str) -> str:
    """Return the URL of a target, which is an absolute path or a URL, as the library reads it."""
    if parse_remote(target) is not None:
        return target
    path = target.removeprefix("file://").replace(os.sep, "/")
    return "file://" + ("" if path.startswith("/") else "/") + path.translate(_ENCODED)


def container_of(url: str, containers: Iterable[Container]) -> Container | None:
    """Return the container of a URL with the longest prefix; None if it is in none."""
    found = [container for container in containers if url.startswith(container.prefix)]
    return max(found, key=lambda container: len(container.prefix), default=None)


def new_prefixes(urls: Iterable[str]) -> list[str]:
    """Return prefixes of URLs: for each server and bucket, and for the disk, the folder of all."""
    folders: dict[str, set[str]] = {}
    for url in urls:
        protocol, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        folders.setdefault(f"{protocol}://{host}/", set()).add(posixpath.dirname(f"/{path}"))
    prefixes: list[str] = []
    for root, names in folders.items():
        common = posixpath.commonpath(names).strip("/")
        is_disk_itself = not common and root.startswith("file:")
        for name in sorted(names) if is_disk_itself else [common]:
            folder = name.strip("/")
            prefixes.append(f"{root}{folder}/" if folder else root)
    return list(dict.fromkeys(prefixes))


def container_config(library: Any, container: Container, location: Location) -> Any:
    """Return a container as the library describes it; it contains no credentials.

    Parameters
    ----------
    library
        The module icechunk.
    container
        The prefix and the name.
    location
        Where the repository is; it has the user's options for servers.
    """
    named: Mapping[str, str] = {} if container.name is None else {"name": container.name}
    server = _server(library, container.prefix, location)
    return library.VirtualChunkContainer(container.prefix, server, **named)


def _server(library: Any, prefix: str, location: Location) -> Any:
    place = parse_remote(prefix)
    if place is None:
        return library.local_filesystem_store(prefix.removeprefix("file://"))
    if place.protocol in ("s3", "gs3"):
        settings = server_of(location, prefix)
        if settings.alias:
            raise ZmapError(
                f"Icechunk does not know the alias {settings.alias}", prefix,
                "name the source by its bucket: s3://BUCKET/KEY",
            )  # fmt: skip
        return library.s3_store(
            region=settings.region, endpoint_url=settings.endpoint,
            allow_http=settings.endpoint.startswith("http:"),
            anonymous=settings.anonymous, s3_compatible=True,
            force_path_style=settings.path_style,
        )  # fmt: skip
    if place.protocol == "gs":
        return library.gcs_store()
    if place.protocol in ("http", "https"):
        return library.http_store()
    raise ZmapError(
        f"Icechunk cannot refer to files of {place.protocol}: URLs", prefix,
        "copy the values instead: omit the mode reference",
    )  # fmt: skip


def has_names(library: Any) -> bool:
    """Return whether containers can have names, and chunks relative locations."""
    return not is_old(library)
