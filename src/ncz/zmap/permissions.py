"""Files and servers that a reference set, or a redirect of a web server, may refer to.

A set may come from anyone, and reading it reads its targets: with the user's permissions, and with
the user's credentials. Without permission, a set leads only

- if it is a local file: to files below its own folder that are not hidden, nor in a hidden folder;
- if it is on a web server: to the same host, with the same protocol and port;
- if it is on S3: to the same bucket.

A web server redirects only to itself: it could lead to servers that only this machine can reach.

The user permits more with prefixes, which name at least a folder, a host or a bucket. Whether a
place is below a prefix is decided by whole names, after links and ``..`` are resolved.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import unquote, urlsplit

from ncz.errors import UrlError, ZmapError, command, either, option
from ncz.record import record
from ncz.zmap.fragment import ALLOW_TARGET
from ncz.zmap.location import Location
from ncz.zmap.rc_files import read_rc_files
from ncz.zmap.setting_files import Environment

VARIABLE = "NCZ_ALLOW_TARGETS"
"""The environment variable with prefixes, separated by blanks."""

_RC_KEY = "ncz.allow_target"
_HOST = re.compile(r"[A-Za-z0-9_.-]+(?::\d{1,5})?|\[[0-9A-Fa-f:.]+\](?::\d{1,5})?")
_PROTOCOL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=//)")
_CHAIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:://(?!\[).*)?::", re.DOTALL)
S3 = ("s3", "gs3")
"""The protocols of S3."""

_STANDARD_PORTS = {"http": ":80", "https": ":443"}
_ZARR_NAMES = re.compile(r"\.(?:z(?:group|array|attrs|metadata)|nc(?:zarr|zgroup|zarray|zattr))")


_MOST_KNOWN = 10_000
"""The number of folders whose real paths are remembered."""


@record
class RemotePlace:
    """An object on a server.

    Attributes
    ----------
    protocol
        The protocol in lower case: "http", "https", "s3", or another that fsspec knows.
    host
        The host with its port, or the bucket; ``ALIAS/BUCKET`` for a bucket on a named server.
    path
        The path on the host or in the bucket, decoded, without a slash at its start.
    query
        The query of a web address.
    """

    protocol: str
    host: str
    path: str
    query: str = ""

    @property
    def root(self) -> str:
        """The URL of the host or the bucket."""
        return f"{self.protocol}://{self.host}/"

    @property
    def display(self) -> str:
        """The URL for messages, without its query."""
        return self.root + self.path


def parse_remote(url: str) -> RemotePlace | None:
    """Return the place that a URL names; None for a local path or a ``file:`` URL.

    Raises `UrlError` for a URL that is not of a simple form: the fragments, chains, users and
    unusual hosts of other URLs could have a meaning for the libraries that read them.
    """
    text = url[:200]
    if _CHAIN.match(url):
        raise UrlError("the URL of a target cannot be a chain of URLs", repr(text))
    found = _PROTOCOL.match(url)
    protocol = found[1].lower() if found else ""
    if not found or protocol in ("file", "local"):
        return None
    if "\\" in url or not url.isprintable():
        raise UrlError("the URL of a target cannot have these characters", repr(text))
    rest = url[found.end() + 2 :]
    host, _, path = rest.partition("/")
    query = ""
    if protocol in ("http", "https"):
        parts = urlsplit(url)
        host, path, query = parts.netloc, unquote(parts.path)[1:], parts.query
        host = host.removesuffix(_STANDARD_PORTS[protocol])
    if not _HOST.fullmatch(host):
        raise UrlError("the URL of a target must name a host or a bucket", repr(text.split("?")[0]))
    if any(segment in (".", "..") for segment in path.split("/")):
        raise UrlError("the URL of a target cannot contain . or ..", repr(text.split("?")[0]))
    is_alias = protocol in S3  # whose names may have capitals
    return RemotePlace(protocol, host if is_alias else host.lower(), path, query)


def local_path(url: str) -> str:
    """Return the path that a text without another protocol names.

    As in fsspec, ``%XX`` is not decoded.
    """
    path = re.sub(r"\A(?:file|local):(?://(?:localhost(?=/))?)?", "", url, flags=re.IGNORECASE)
    if not path or "\0" in path:
        raise UrlError("the target has no path", repr(url[:200]))
    return path


class Permissions:
    """Targets that a set may refer to.

    Parameters
    ----------
    home
        Where the set itself is, if it is on a server.
    folder
        The folder of the set, if it is a local file.
    prefixes
        Further places, as paths and URLs.
    what, leads
        The subject that leads there, and its verb, for messages.
    """

    def __init__(
        self,
        home: RemotePlace | None,
        folder: str | None,
        prefixes: tuple[str, ...] = (),
        what: str = "reference set",
        leads: str = "leads",
    ) -> None:
        self._what = what
        self._leads = leads
        self._short = what.rpartition(" ")[2]
        self._home = home
        self._folder = folder
        self._remote: list[RemotePlace] = []
        self._local: list[str] = []
        self._folders: dict[str, str] = {}
        for prefix in prefixes:
            place = parse_remote(prefix)
            if place is not None:
                self._remote.append(place)
            else:
                self._local.append(os.path.realpath(local_path(prefix)))

    @property
    def leads_to_servers(self) -> bool:
        """Whether any target may be on a server."""
        return self._home is not None or bool(self._remote)

    @cached_property
    def _real_folder(self) -> str | None:
        return None if self._folder is None else os.path.realpath(self._folder)

    def check_file(self, path: str, location: str, *, hidden: bool = False) -> str:
        """Return the real path of a local target; raise `ZmapError` if it is not permitted.

        `location` is the key that refers to it, for messages. `hidden` permits hidden files in the
        folder of the set.
        """
        try:
            path.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ZmapError(
                f"the {self._what} {self._leads} to a name that is not valid Unicode", location
            ) from None
        real = self._real(path)
        if any(_is_below(real, folder) for folder in self._local):
            return real
        own = self._real_folder
        if own is not None and own != os.sep and _is_below(real, own):
            if hidden or not _is_hidden(real[len(own) :]):
                return real
            raise self._refusal("a hidden file", real, location, os.path.dirname(real))
        what = "a local file" if own is None else f"a file outside the folder of the {self._short}"
        raise self._refusal(what, real, location, os.path.dirname(real), self._move_hint(real))

    def _move_hint(self, path: str) -> str:
        """Return a hint that begins others if a file was perhaps moved together with the set."""
        own = self._real_folder
        folder, name = os.path.split(path)
        if own is None or not os.path.exists(os.path.join(own, name)):
            return ""
        change = f"{command('edit')} with {option('move_sources', f'{folder}={own}')}"
        return f"if {name} was moved with the {self._short}, use {change}; "

    def _real(self, path: str) -> str:
        """Return the real path of a file; folders are looked up once for all their files."""
        folder, name = os.path.split(path)
        if name in ("", ".") or ".." in path or not os.path.isabs(path):
            return os.path.realpath(path)
        if folder not in self._folders:
            if len(self._folders) >= _MOST_KNOWN:
                self._folders.clear()
            self._folders[folder] = os.path.realpath(folder)
        found = os.path.join(self._folders[folder], name)
        return os.path.realpath(found) if os.path.islink(found) else found

    def check_remote(self, place: RemotePlace, location: str) -> None:
        """Raise `ZmapError` if a target on a server is not permitted."""
        home = self._home
        if home is not None and (place.protocol, place.host) == (home.protocol, home.host):
            return
        for allowed in self._remote:
            prefix = allowed.display.rstrip("/")
            if place.display == prefix or place.display.startswith(prefix + "/"):
                return
        raise self._refusal("another server", place.display, location, place.root)

    def check_redirect(self, url: str, location: str) -> None:
        """Raise `ZmapError` if a web server must not redirect to `url`."""
        place = parse_remote(url)
        if place is None:
            raise self._refusal("a local file", url, location, "")
        self.check_remote(place, location)

    def _refusal(
        self, where: str, target: str, location: str, prefix: str, hint: str = ""
    ) -> ZmapError:
        text = target if target.isprintable() else repr(target)
        return ZmapError(
            f"the {self._what} {self._leads} to {where}, {text[:300]}",
            location,
            f"{hint}if you trust the {self._short}, add {allow_option(prefix)}" if prefix else None,
        )


def allow_option(*prefixes: str) -> str:
    """Return the option that permits prefixes, for a message."""
    options = " ".join(f"--allow-target {prefix}" for prefix in prefixes)
    return either(options, f"#reference.allow_target={' '.join(prefixes)}")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _is_hidden(relative: str) -> bool:
    """Return whether a name of a path begins with a dot, except for documents of Zarr."""
    if f"{os.sep}." not in relative:
        return False
    names = relative.split(os.sep)
    return any(name.startswith(".") and not _ZARR_NAMES.fullmatch(name) for name in names)


def check_redirect(location: Location, url: str) -> None:
    """Raise `ZmapError` if the web server of a location must not redirect to `url`."""
    parts = urlsplit(location.path.rpartition("::")[2])
    home = parse_remote(f"{parts.scheme.removeprefix('fsspec+')}://{parts.netloc}/")
    permissions = Permissions(home, None, allowed_prefixes(location), "web server", "redirects")
    permissions.check_redirect(url, location.address)


def allowed_prefixes(location: Location, environment: Environment | None = None) -> tuple[str, ...]:
    """Return the prefixes that the user permits for a set or a web server.

    They come from the location's ``reference.allow_target``, from NCZ_ALLOW_TARGETS and from
    NCZ.ALLOW_TARGET in the user's ``.ncrc``. In each they are separated by blanks, and ``%20``
    means a blank in a path. An ``.ncrc`` in the working folder may have come with the set, so
    that it permits nothing.
    """
    env: Mapping[str, str] = os.environ if environment is None else environment
    texts = (
        location.options.get(ALLOW_TARGET, ""),
        env.get(VARIABLE, ""),
        read_rc_files(location.path, env).values.get(_RC_KEY, ""),
    )
    prefixes = [unquote(word) for text in texts for word in text.split()]
    for prefix in prefixes:
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]+:/*", prefix):
            raise UrlError(
                "a prefix of targets must name a folder, a host or a bucket", prefix,
                "write for example s3://bucket/",
            )  # fmt: skip
    return tuple(prefixes)
