"""Read the targets of reference sets: parts of files and of objects, neighbours together.

The target of a reference must exist: a missing target and a range that goes past the end of its
target are errors. A missing chunk would be read as the fill value.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from ncz.errors import NczError, UrlError, ZmapError, quantity
from ncz.record import record, replace
from ncz.system_errors import changed_object_error, storage_error
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.fragment import RELATIVE_TO, quote
from ncz.zmap.key import too_large
from ncz.zmap.kinds import KINDS
from ncz.zmap.local.offset_reads import read_at
from ncz.zmap.local.tree import NO_FOLLOW, version_of
from ncz.zmap.location import Location, dap_target, parse_location
from ncz.zmap.permissions import (
    S3,
    Permissions,
    RemotePlace,
    allowed_prefixes,
    local_path,
    parse_remote,
)
from ncz.zmap.reference.seals import HEAD, NO_SEALS, Seal, changed_source_error, head_of, tag_of
from ncz.zmap.remote.credentials import S3Settings, alias_of, find_settings
from ncz.zmap.remote.opening import connect, policy_of
from ncz.zmap.remote.store import RemoteZmap
from ncz.zmap.source_file import SourceFile, State

_T = TypeVar("_T")

FOLDER = KINDS["reference"].beside
"""The suffix that the folder next to a set adds to the name of the set."""

_FILE_OF_FOLDER = re.compile(r"[0-9a-f]{32}")
"""The name of a file in that folder: a hash of its bytes."""

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | NO_FOLLOW
_READ |= getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not block
_PARALLEL = 16
"""Targets that are looked at at the same time."""

_MOST_KNOWN = 100_000
"""The number of URLs whose places, and of files whose versions, are remembered."""


@record
class LocalPlace:
    """A local file, by its real path."""

    path: str


Place = LocalPlace | RemotePlace


class Targets:
    """The targets of the set at `location`, opened when they are first read.

    `url` is the set's name in messages, and `what` its kind. `seals` are the states that
    targets must have, by their URLs in the set. If the set `has_folder`, the files of that are
    found next to it, wherever it was made. All methods may be called from many threads.
    """

    def __init__(
        self,
        location: Location,
        url: str,
        what: str = "reference set",
        seals: Mapping[str, Seal] = NO_SEALS,
        has_folder: bool = False,
    ) -> None:
        self._location = location
        self._beside_name = folder_beside(location) if has_folder else ""
        self._url = url
        self._is_s3 = location.is_s3
        self._home = home_of(location)
        folder = None
        if self._home is None:
            folder = os.path.dirname(os.path.abspath(location.path))
        relative_to = location.options.get(RELATIVE_TO, "ref")
        if relative_to not in ("ref", "cwd"):
            raise UrlError(f"{RELATIVE_TO} must be ref or cwd", url)
        self._relative_to_working_folder = relative_to == "cwd"
        self._folder = folder
        self.permissions = Permissions(self._home, folder, allowed_prefixes(location), what)
        self._seals = seals
        self._sealed: dict[Place, Seal] = {}
        self._checked: set[Place] = set()
        self._known_heads: set[LocalPlace] = set()
        self._places: dict[str, Place] = {}
        self._servers_of: dict[str, bool] = {}
        self._states: dict[str, SourceFile] = {}
        self._versions: dict[str, tuple[int, int, int]] = {}
        self._servers: dict[tuple[str, str, str], RemoteZmap] = {}
        self._lock = threading.Lock()

    def place(self, url: str, location: str) -> Place:
        """Return the place that a URL of the set names, if the set may lead to it.

        Parameters
        ----------
        url
            A path or URL; relative ones belong to the folder of the set, or to the working folder
            if the user chose it.
        location
            The key for messages.

        Raises
        ------
        UrlError
            If the URL is not valid.
        ZmapError
            If the place is not permitted.
        """
        known = self._places.get(url)
        if known is None:
            known = self._permit(url, location)
            if url in self._seals:
                self._sealed[known] = self._seals[url]
            if len(self._places) >= _MOST_KNOWN:
                self._places.clear()
            self._places[url] = known
        return known

    def _permit(self, url: str, location: str) -> Place:
        try:
            place = self.absolute(url)
        except UrlError as error:
            raise UrlError(f"{error.message}: {error.location}", location) from error
        if isinstance(place, RemotePlace):
            self.permissions.check_remote(place, location)
            return place
        is_own = self.is_own(url)  # the name of the set may begin with a dot
        return LocalPlace(self.permissions.check_file(place.path, location, hidden=is_own))

    def named_target(self, url: str) -> str:
        """Return the absolute path or URL that a URL of the set names, wherever it leads.

        A URL that is absolute, or not valid, is returned unchanged. It may have a signature.
        """
        if "://" in url and not self.is_own(url):
            return url
        try:
            place = self.absolute(url)
        except UrlError:
            return url
        return place.path if isinstance(place, LocalPlace) else place.display

    def absolute(self, url: str) -> Place:
        """Return the place that a URL of the set names, whether or not it may lead there."""
        own = self._own(url)
        if own is not None:
            return self._beside(own)
        remote = parse_remote(url)
        if remote is not None:
            return self._on_named_server(remote)
        path = local_path(url)
        if os.path.isabs(path) or self._relative_to_working_folder:
            return LocalPlace(os.path.abspath(path))
        if self._home is None:
            return LocalPlace(os.path.join(self._folder or "", path))
        joined = posixpath.normpath(
            posixpath.join(posixpath.dirname(self._home.path.rstrip("/")), path)
        )
        if joined.startswith("../") or "\\" in path:
            raise UrlError("the target is above its server", repr(url[:200]))
        return replace(self._home, path=joined, query="")

    def is_own(self, url: str) -> bool:
        """Return whether a URL of the set names a file of the folder next to the set."""
        return self._own(url) is not None

    def _own(self, url: str) -> str | None:
        return name_in_folder(url, self._beside_name) if self._beside_name else None

    def _beside(self, name: str) -> Place:
        """Return the place of a file of the folder next to the set."""
        if self._home is None:
            path = os.path.abspath(self._location.path) + FOLDER
            return LocalPlace(os.path.join(path, name))
        return replace(self._home, path=f"{self._home.path.rstrip('/')}{FOLDER}/{name}", query="")

    def _on_named_server(self, place: RemotePlace) -> RemotePlace:
        """Return a place on S3 with the alias of its server.

        A bucket without an alias is on the server of the set, which may have one.
        """
        if place.protocol not in S3:
            return place
        known = self._servers_of.get(place.host)
        if known is None:
            known = self._servers_of[place.host] = alias_of(self.root(place)) is not None
        if known:
            bucket, _, path = place.path.partition("/")
            return replace(place, host=f"{place.host}/{bucket}", path=path)
        alias, slash, _ = self._home.host.partition("/") if self._home else ("", "", "")
        return replace(place, host=f"{alias}/{place.host}") if slash else place

    def location(self, url: str, location: str) -> Location:
        """Return the place of a dataset that a URL names; see `place`."""
        url, mode = dap_target(url)
        place = self.place(url, location)
        if isinstance(place, LocalPlace):
            return Location(None, place.path)
        root = self.root(place)
        if mode is None and parse_remote(url) is None:  # next to a dataset on an OPeNDAP server
            mode = self._location.dap_mode
        modes = root.modes if mode is None else root.modes | {mode}
        path = f"{root.path}/{quote(place.path)}"
        return replace(root, path=path, query=place.query, modes=modes)

    def address(self, url: str, location: str) -> str:
        """Return the absolute path or URL of a target; see `place`.

        Raises `ZmapError` for one that has changed since the set was written.
        """
        self.require_seal(url, location)
        place = self.place(url, location)
        if isinstance(place, LocalPlace):
            return place.path
        address = self._server(place, location).address(place.path)
        return f"{address}?{place.query}" if place.query else address

    def require_seal(self, url: str, location: str) -> None:
        """Raise `ZmapError` for a target that has changed; each target is examined once."""
        if not self._seals:
            return
        place = self.place(url, location)
        if place in self._sealed and place not in self._checked:
            self.check_seal(url, location)
            self._checked.add(place)

    def read(self, place: ByteRange, location: str, limit: int) -> bytes:
        """Read all bytes of a reference.

        Parameters
        ----------
        place
            The entry of the set for the key.
        location
            The key for messages.
        limit
            The most bytes that it may have; see `Zmap.get`.
        """
        if place.length is not None:
            if place.length > limit:
                raise too_large(location, limit)
            return self.read_part(place, 0, place.length, location)
        at = self.place(place.url, location)
        if isinstance(at, LocalPlace):
            size = self._use_file(at, location, lambda _, size, __: size)
            if size > limit:
                raise too_large(location, limit)
            return self._local(at, 0, size, location)
        data = self._server_of(at, location).get(at.path, limit)
        if data is None:
            raise _dead_target_error(at.display, location)
        return data

    def read_part(self, place: ByteRange, start: int, count: int, location: str) -> bytes:
        """Read `count` bytes from `start` on of a reference; less is an error."""
        at = self.place(place.url, location)
        first = place.offset + start
        if isinstance(at, LocalPlace):
            return self._local(at, first, count, location)
        server = self._server_of(at, location)
        data = server.get_range(at.path, first, count)
        if data is None:
            raise _dead_target_error(at.display, location)
        if len(data) < count:
            raise _short(at.display, first, count, first + len(data), location)
        return data

    def size(self, place: ByteRange, location: str) -> int:
        """Return the number of bytes of a reference."""
        if place.length is not None:
            return place.length
        at = self.place(place.url, location)
        if isinstance(at, LocalPlace):
            return self._use_file(at, location, lambda _, size, __: size)
        size = self._server(at, location).size(at.path)
        if size is None:
            raise _dead_target_error(at.display, location)
        return size

    def seal(self, url: str) -> Seal | None:
        """Return the state of a target now, whether or not the set may lead there.

        None if it does not exist, or its server does not say.
        """
        with contextlib.suppress(NczError, OSError, ValueError):
            place = self.absolute(url)
            return self._state_now(place, url, with_head=True)
        return None

    def seals(self, urls: Iterable[str]) -> dict[str, Seal]:
        """Return the current states of targets by their URLs, without the unknown ones.

        See `seal`.
        """
        from concurrent.futures import ThreadPoolExecutor

        names = [*dict.fromkeys(urls)]
        with ThreadPoolExecutor(_PARALLEL) as pool:
            found = zip(names, pool.map(self.seal, names), strict=True)
            return {name: seal for name, seal in found if seal is not None}

    def _state_now(self, place: Place, location: str, *, with_head: bool) -> Seal:
        """Return the state of a target now. Raises OSError or `ZmapError` if it is not known."""
        if not isinstance(place, LocalPlace):
            return self._remote_seal(place, self._server(place, location), location)
        number = os.open(place.path, _READ & ~NO_FOLLOW)
        try:
            head = head_of(read_at(number, 0, HEAD)) if with_head else None
            return _seal_of(os.fstat(number), head)
        finally:
            os.close(number)

    def states(self, urls: Iterable[str]) -> Iterator[SourceFile]:
        """Yield the known facts about targets, by their URLs in the set, without reading chunks."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_PARALLEL) as pool:
            yield from pool.map(self._source, urls)

    def state(self, url: str) -> SourceFile:
        """Return the state of a target, which is examined once; see `states`."""
        if len(self._states) >= _MOST_KNOWN:
            self._states.clear()
        if url not in self._states:
            self._states[url] = self._source(url)
        return self._states[url]

    def _source(self, url: str) -> SourceFile:
        name = self.named_target(url).partition("?")[0] if "://" in url else self.named_target(url)
        try:
            place = self.place(url, self._url)
            name = place.path if isinstance(place, LocalPlace) else name
        except (NczError, ValueError) as error:
            return SourceFile(url=name, state="not permitted", reason=str(error))
        seal = self._seals.get(url)
        try:
            now = self._state_now(place, self._url, with_head=bool(seal and seal.head))
        except (FileNotFoundError, NotADirectoryError, DeadTarget):
            return SourceFile(url=name, state="missing")
        except (NczError, OSError) as error:
            return SourceFile(url=name, state="unknown", reason=str(error))
        if seal is None:
            return SourceFile(url=name, state="present", size=now.size)
        difference = seal.difference(now)
        state: State = "changed" if difference else "unchanged"
        return SourceFile(url=name, state=state, size=now.size, reason=difference)

    def _remote_seal(self, at: RemotePlace, server: RemoteZmap, location: str) -> Seal:
        version = server.version(at.path)
        if version is None:
            raise _dead_target_error(at.display, location)
        return Seal(version.size, None, tag_of(version.tag))

    def check_seal(self, url: str, location: str) -> None:
        """Raise `ZmapError` if a target has changed since the set was written."""
        place = self.place(url, location)
        if isinstance(place, LocalPlace):
            self._use_file(place, location, lambda *_: None)
        else:
            self._server_of(place, location)

    def _server_of(self, at: RemotePlace, location: str) -> RemoteZmap:
        """Return the server of a target that has the state it should have."""
        server = self._server(at, location)
        seal = self._sealed.get(at)
        if seal is not None and at not in self._checked:
            now = self._remote_seal(at, server, location)
            if difference := seal.difference(now):
                raise changed_source_error(at.display, difference, location)
            self._checked.add(at)
        return server

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            servers = list(self._servers.values())
            self._servers.clear()
        for server in servers:
            server.close()

    def _local(self, at: LocalPlace, first: int, count: int, location: str) -> bytes:
        def read(number: int, size: int, head: bytes) -> bytes:
            if first + count > size:
                raise _short(at.path, first, count, size, location)
            if first + count <= len(head):
                return head[first : first + count]
            return read_at(number, first, count)  # which no other thread reads

        return self._use_file(at, location, read)

    def _use_file(self, at: LocalPlace, location: str, use: Callable[[int, int, bytes], _T]) -> _T:
        """Call `use` with the descriptor and the size of a local file.

        It also gets the beginning of the file, if that was read to check the state of the file.
        """
        try:
            number = os.open(at.path, _READ)
        except (FileNotFoundError, NotADirectoryError):
            raise _dead_target_error(at.path, location) from None
        except (OSError, ValueError) as error:
            raise storage_error(error, f"{location}: {at.path}", "read") from error
        try:
            status = os.fstat(number)
            if not stat.S_ISREG(status.st_mode):
                raise ZmapError(f"the target {at.path} is not a regular file", location)
            head = self._check_state(at, number, status, location)
            result = use(number, status.st_size, head)
            self._check_version(at.path, os.fstat(number), location)
            return result
        except ZmapError:
            raise
        except OSError as error:
            raise storage_error(error, f"{location}: {at.path}", "read") from error
        finally:
            os.close(number)

    def _check_state(
        self, at: LocalPlace, number: int, status: os.stat_result, location: str
    ) -> bytes:
        """Raise `ZmapError` if a local file has changed since the set was written.

        Its beginning is read once, and returned then.
        """
        seal = self._sealed.get(at)
        if seal is None:
            return b""
        head = b""
        if seal.head is not None and at not in self._known_heads:
            head = read_at(number, 0, min(HEAD, status.st_size))
        if difference := seal.difference(_seal_of(status, head_of(head) if head else None)):
            raise changed_source_error(at.path, difference, location)
        self._known_heads.add(at)
        return head

    def _check_version(self, path: str, status: os.stat_result, location: str) -> None:
        """Raise `ZmapError` if a local file has changed since it was first read."""
        if len(self._versions) >= _MOST_KNOWN:
            self._versions.clear()
        version = version_of(status)
        if self._versions.setdefault(path, version) != version:
            raise changed_object_error(f"{location}: {path}")

    def _server(self, at: RemotePlace, location: str) -> RemoteZmap:
        name = (at.protocol, at.host, at.query)
        with self._lock:
            server = self._servers.get(name)
            if server is None:
                server = self._servers[name] = self._connect(at, location)
        return server

    def _connect(self, at: RemotePlace, location: str) -> RemoteZmap:
        def check(url: str) -> None:
            self.permissions.check_redirect(url, location)

        return RemoteZmap(*connect(self.root(at), policy_of(self._location), check))

    def root(self, at: RemotePlace) -> Location:
        """Return the location of a server or a bucket, with the user's options for it."""
        options = self._location.options
        if at.protocol in ("http", "https"):
            return Location("remote", at.root.rstrip("/"), query=at.query)
        if at.protocol in ("s3", "gs3"):
            keys = {key: value for key, value in options.items() if key.startswith("aws.")}
            if self._is_s3:  # other buckets are on the same server
                server = "/".join(self._location.path.split("/", 3)[:3])
                return replace(
                    self._location, path=f"{server}/{quote(at.host)}", options=keys, query="",
                    modes=self._location.modes & {"s3", "gs3"}, caches=(),
                )  # fmt: skip
            return parse_location(at.root.rstrip("/"), options=keys)
        keys = {key: value for key, value in options.items() if key.startswith("fsspec.")}
        return replace(parse_location(at.root.rstrip("/")), options=keys)


def _seal_of(status: os.stat_result, head: str | None = None) -> Seal:
    return Seal(status.st_size, status.st_mtime_ns, None, head)


def server_of(location: Location, url: str) -> S3Settings:
    """Return the server and the bucket of a URL of S3 in the set at a location."""
    targets = Targets(location, location.address)
    place = targets.absolute(url)
    assert isinstance(place, RemotePlace)
    return find_settings(targets.root(place))


def refused_folders(location: Location, sources: Iterable[Location]) -> list[str]:
    """Return the folders and servers of sources that the reader of a set must permit."""
    permissions = Targets(location, location.address).permissions
    found: dict[str, None] = {}
    for source in sources:
        place = home_of(source)
        folder = os.path.dirname(os.path.realpath(source.path)) if place is None else place.root
        try:
            if place is not None:
                permissions.check_remote(place, location.address)
            else:
                permissions.check_file(os.path.abspath(source.path), location.address)
        except ZmapError:
            found[folder] = None
    return [*found]


def folder_beside(location: Location) -> str:
    """Return the name of the folder next to a set, without the quoting of URLs."""
    home = home_of(location)
    path = location.path.replace(os.sep, "/") if home is None else home.path
    return path.rstrip("/").rpartition("/")[2] + FOLDER


def name_in_folder(url: str, folder: str) -> str | None:
    """Return the name of a file in the folder next to a set, from its URL in the set.

    None for all other files. Only the names of the file and of the folder count, because the folder
    moves with the set.
    """
    if folder not in url:
        return None
    above, _, name = url.replace("\\", "/").rpartition("/")
    is_own = above.rpartition("/")[2] == folder and _FILE_OF_FOLDER.fullmatch(name)
    return name if is_own else None


def home_of(location: Location) -> RemotePlace | None:
    """Return the place of a set on a server; None for a local file."""
    if location.kind != "remote":
        return None
    if location.is_s3:
        from urllib.parse import unquote

        bucket, _, key = location.path.split("/", 3)[3].partition("/")
        if alias_of(location) is not None:
            inner, _, key = key.partition("/")
            bucket = f"{bucket}/{inner}"
        protocol = "gs3" if "gs3" in location.modes else "s3"
        return RemotePlace(protocol, bucket, unquote(key, errors="surrogateescape"))
    return parse_remote(location.path)


class DeadTarget(ZmapError):
    """A reference to a file that does not exist."""


def _dead_target_error(target: str, location: str) -> ZmapError:
    return DeadTarget(
        f"the target of the reference does not exist: {target}", location,
        "check whether it was moved or deleted",
    )  # fmt: skip


def _short(target: str, first: int, count: int, size: int, location: str) -> ZmapError:
    return ZmapError(
        f"the reference to bytes {first} to {first + count} goes past the end of {target}, which"
        f" has {quantity(size, 'byte')}", location, "the target was changed, or the set is damaged",
    )  # fmt: skip
