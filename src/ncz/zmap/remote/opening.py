"""Open and create remote stores: S3, HTTP, and every file system of fsspec."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from typing import Literal

from ncz.errors import StoreMissing, ZmapError
from ncz.record import replace
from ncz.zmap import WritableZmap, Zmap, permissions
from ncz.zmap.claim import Claim, Leftover
from ncz.zmap.foreign import LONGEST_SIGNATURE, refuse_foreign
from ncz.zmap.fragment import unquote
from ncz.zmap.key import LARGEST_SET, ROOT_DOCUMENTS, ZARR_JSON, display
from ncz.zmap.kinds import (
    ICECHUNK_ROOTS,
    JSON_SUFFIXES,
    OTHER_TRANSPORT,
    TRANSPORTS,
    is_json_file,
    is_zip,
)
from ncz.zmap.local.opening import refuse_zip_change
from ncz.zmap.local.zip import ZipZmap, group_in_zip
from ncz.zmap.local.zip_writer import zip_at
from ncz.zmap.location import Location
from ncz.zmap.opening import Opener, load_opener
from ncz.zmap.range_file import PositionedFile, check_range, whole
from ncz.zmap.remote import kept_parts
from ncz.zmap.remote.creation import RemoteCreation, clean_remote
from ncz.zmap.remote.credentials import alias_of
from ncz.zmap.remote.object_store import ObjectStore
from ncz.zmap.remote.request_errors import is_denied, is_transient, read_only
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.single_object import refuse_existing, sent_file
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap
from ncz.zmap.setting_files import Environment

_COMMON_ROOTS = (".zgroup", ZARR_JSON, ".zarray")
_OTHER_ROOTS = tuple(key for key in ROOT_DOCUMENTS if key not in _COMMON_ROOTS)
_SMALL = 4096

_Form = Literal["objects", "zip", "reference", "icechunk", "no root"]


def connect(
    location: Location,
    retry_policy: RetryPolicy | None = None,
    check_redirect: Callable[[str], None] | None = None,
) -> tuple[ObjectStore, str, str]:
    """Connect to the server of a location.

    Parameters
    ----------
    location
        A location of the kind "remote".
    retry_policy
        Timeouts and retries; by default the result of `policy_of`.
    check_redirect
        Called with the URL of each redirect; raises for one that is not permitted.
        By default a web server redirects only to itself and to targets that `location` permits.

    Returns
    -------
    objects : ObjectStore
        The server.
    root : str
        The path of the store's root on the server.
    url : str
        The store's name in messages, without secrets.
    """
    check_redirect = check_redirect or partial(permissions.check_redirect, location)
    module, _, name = TRANSPORTS.get(_scheme(location), OTHER_TRANSPORT).partition(":")
    transport = getattr(import_module(module), name)
    objects, root = transport(location, retry_policy or policy_of(location), check_redirect)
    return objects, root, location.address


def has_object(location: Location, key: str) -> bool:
    """Return whether an object is at a location, with one request."""
    with contextlib.closing(RemoteZmap(*connect(location))) as zmap:
        return zmap.get(key) is not None


def connect_to_write(
    location: Location, retry_policy: RetryPolicy | None = None
) -> WritableRemoteZmap:
    """Connect to the server of a location; raise `ZmapError` if it is read-only."""
    return WritableRemoteZmap(*_connect_to_write(location, retry_policy))


def _connect_to_write(
    location: Location, retry_policy: RetryPolicy | None
) -> tuple[ObjectStore, str, str]:
    objects, root, url = connect(location, retry_policy)
    if not objects.can_write:
        objects.close()
        raise read_only(url)
    return objects, root, url


def _scheme(location: Location) -> str:
    if location.caches or "::" in location.path:
        return ""  # a chain, which only fsspec knows
    return "s3" if location.is_s3 else location.path.partition("://")[0]


def policy_of(location: Location, environment: Environment | None = None) -> RetryPolicy:
    """Return the options for requests to a location: of its alias, with its own timeout."""
    timeout = location.options.get("timeout")
    policy = RetryPolicy() if timeout is None else RetryPolicy.within(float(timeout))
    alias = alias_of(location, environment)
    if alias is None:
        return policy
    if timeout is None:
        connect, read = alias.connect_timeout or policy.connect, alias.read_timeout or policy.read
        policy = replace(
            policy, connect=connect, read=read, timeout=max(policy.timeout, 2 * connect, 2 * read)
        )
    return replace(policy, parallel=alias.requests or policy.parallel, ahead=alias.ahead)


def open_remote(location: Location, *, retry_policy: RetryPolicy | None = None) -> Zmap:
    """Open the store at a remote location; a zip file is read in place.

    Parameters
    ----------
    location
        A location of the kind "remote".
    retry_policy
        Timeouts and retries.

    Raises
    ------
    StoreMissing
        If no store exists at the location.
    UrlError
        If the URL, or a profile or alias in it, is not valid.
    ZmapError
        If the server refuses access, or the protocol needs a package that is not installed.
    """
    zmap = RemoteZmap(*connect(location, retry_policy))
    try:
        form = _form(zmap, location)
        if form == "zip":
            return open_remote_zip(zmap, location.inside or "")
        if form in ("reference", "icechunk"):
            zmap.close()
            return load_opener(form).open(location)
        if form == "no root":
            from ncz.zmap.committed_change import committed_change  # rarely needed

            return committed_change(zmap) or zmap
    except StoreMissing:
        zmap.close()
        above = _zip_above(location)
        if above is None:
            raise
        return open_remote(above, retry_policy=retry_policy)
    except BaseException:
        zmap.close()
        raise
    return zmap


def _zip_above(location: Location) -> Location | None:
    """Return the location of a group within a zip file, for ``https://host/x.zip/group``."""
    at = location.path.lower().find(".zip/")
    if at < 0 or location.inside is not None:
        return None
    end = at + len(".zip")
    inside = unquote(location.path[end:], errors="surrogateescape").strip("/")
    if not inside or ".." in inside.split("/"):
        return None
    return replace(location, path=location.path[:end], inside=inside)


def open_remote_to_write(
    location: Location, *, retry_policy: RetryPolicy | None = None
) -> WritableZmap:
    """Open the store at a remote location to change it in place; see `open_remote`."""
    zmap = connect_to_write(location, retry_policy)
    try:
        form = _form(zmap, location)
        if form == "zip":
            raise refuse_zip_change(zmap.url)
        if form in ("reference", "icechunk"):
            zmap.close()
            return load_opener(form).open_to_write(location)
    except BaseException:
        zmap.close()
        raise
    return zmap


def _form(zmap: RemoteZmap, location: Location) -> _Form:
    """Return the kind of the location: a store of objects, a zip file, or another kind of store.

    Objects without any document of a root are "no root". Any other single file counts as a zip
    file. Raises `StoreMissing` if nothing exists.
    """
    if is_zip_name(location):
        return "zip"
    if location.path.lower().endswith(JSON_SUFFIXES) and zmap.file_size() is not None:
        return _form_of_file(zmap)
    roots = _Roots()
    start = b""
    for documents in (_COMMON_ROOTS, _OTHER_ROOTS, ICECHUNK_ROOTS):
        if _find_any(documents, zmap, roots):
            roots.decide_access(zmap)
            if documents is ICECHUNK_ROOTS:
                return "icechunk"
            is_set = documents is _OTHER_ROOTS and _has_records(zmap)
            return "reference" if is_set else "objects"
        if documents is _COMMON_ROOTS:
            start = _start_of_file(zmap, roots)
            refuse_foreign(start, zmap.url, may_be_folder=True)
            if is_zip(start):
                return "zip"
    if not zmap.can_list:
        if roots.denied:
            raise next(iter(roots.denied.values()))
        refuse_foreign(start, zmap.url)
        if is_json_file(zmap.url, start):
            return "reference"
        error = missing_store_error(zmap.url)
        if TRANSPORTS.get(_scheme(location)) == TRANSPORTS["http"]:
            error.hint = f"{error.hint}; for a dataset on an OPeNDAP server add #mode=dap2"
        raise error
    if zmap.holds_something():
        return "no root"
    if zmap.is_bucket:
        raise StoreMissing("the bucket is empty", location=zmap.url)
    if zmap.file_size() is None:
        raise missing_store_error(zmap.url)
    return _form_of_file(zmap)


def _start_of_file(zmap: RemoteZmap, roots: _Roots) -> bytes:
    """Return the first bytes of the file at the URL itself; empty if it cannot be read.

    Raises the error of a server that fails, which does not mean that no file exists.
    """
    try:
        return zmap.first_bytes(LONGEST_SIGNATURE)
    except ZmapError as error:
        cause = error.__cause__
        if cause is not None and is_transient(cause):
            raise
        if cause is not None and is_denied(cause):
            roots.denied[""] = error
        return b""  # such as a folder, which has no parts


def _form_of_file(zmap: RemoteZmap) -> Literal["zip", "reference"]:
    return "reference" if starts_as(zmap, partial(is_json_file, zmap.url)) else "zip"


def _has_records(zmap: RemoteZmap) -> bool:
    """Return whether the store is a reference set in the Parquet layout."""
    return b'"record_size"' in (zmap.get(".zmetadata", LARGEST_SET) or b"")


class _Roots:
    """The answer of a server for the documents that the root of a store may have."""

    def __init__(self) -> None:
        self.is_any_absent = False
        self.denied: dict[str, ZmapError] = {}

    def decide_access(self, zmap: RemoteZmap) -> None:
        """Decide the meaning of "access denied" in a store that was found.

        S3 also answers so for missing objects if the user may not list the bucket. If a server
        reports any object as missing, "access denied" is an error. Raises the error of a denied
        root document, because without it the store would be read differently.
        """
        if self.is_any_absent:
            for key, error in self.denied.items():
                error.location = f"{zmap.url}: {display(key)}"
                raise error
        else:
            zmap.can_list &= not self.denied
            zmap.denied_is_absent = bool(self.denied) or not zmap.can_list


def _find_any(documents: Iterable[str], zmap: RemoteZmap, roots: _Roots) -> bool:
    """Return whether one of these objects exists; record in `roots` which are absent or denied."""
    zmap.expect((key, _SMALL) for key in documents)
    found = False
    for key in documents:
        try:
            exists = zmap.get(key) is not None
        except ZmapError as error:
            error.location = zmap.url  # for any requested object
            if error.__cause__ is None or not is_denied(error.__cause__):
                raise
            roots.denied[key] = error
        else:
            found |= exists
            roots.is_any_absent |= not exists
    return found


@contextlib.contextmanager
def create_remote(
    location: Location,
    *,
    overwrite: bool = False,
    claim: Claim | None = None,
    retry_policy: RetryPolicy | None = None,
) -> Iterator[WritableZmap]:
    """Create a remote store; see `ncz.zmap.opening.create_zmap`."""
    if is_zip_name(location):
        remote = connect_to_write(location, retry_policy)
        with contextlib.closing(remote), create_remote_zip(remote, location, overwrite) as writer:
            yield writer
        return
    zmap = RemoteCreation(*_connect_to_write(location, retry_policy), claim)
    try:
        zmap.replace_old(overwrite=overwrite)
        try:
            yield zmap
            zmap.finish()
        except BaseException as error:
            with contextlib.suppress(ZmapError):  # must not hide the first error
                zmap.abandon(error)
            raise
    finally:
        zmap.close()


@contextlib.contextmanager
def create_remote_file(
    location: Location, *, overwrite: bool, replaces: Callable[[bytes], bool], first: int, what: str
) -> Iterator[str]:
    """Create an object that is not a store, from a file at the path that is yielded.

    The object appears when the block ends without an error. For the parameters, see
    `ncz.zmap.remote.single_object.refuse_existing`.
    """
    with contextlib.closing(connect_to_write(location)) as remote:
        refuse_existing(
            remote, location, overwrite=overwrite, replaces=replaces, first=first, what=what
        )
        with sent_file(remote, what) as path:
            yield path


def _clean(
    location: Location, dry_run: bool, force: bool, _: Callable[[str], object]
) -> list[Leftover]:
    with contextlib.closing(connect_to_write(location)) as zmap:
        from ncz.zmap.journal import complete

        found = complete(zmap, dry_run=dry_run, force=force)
        return found or clean_remote(zmap, dry_run, force)


REMOTE = Opener(
    open=open_remote,
    open_to_write=open_remote_to_write,
    create=lambda location, overwrite, claim: create_remote(
        location, overwrite=overwrite, claim=claim
    ),
    clean=_clean,
    has_object=has_object,
)
"""The functions of remote stores."""


def is_zip_name(location: Location) -> bool:
    """Return whether the URL or its mode names a zip file."""
    named = location.path.lower().endswith(".zip")
    return named or location.inside is not None or "zip" in location.modes


def missing_store_error(url: str) -> StoreMissing:
    """Return the error for a URL without a store."""
    return StoreMissing("no file or store exists at this URL", location=url, hint="check the URL")


def open_remote_zip(zmap: RemoteZmap, inside: str = "") -> ZipZmap:
    """Open the zip file at the URL of `zmap`, which is closed with it, or a group in it."""
    size = zmap.file_size()
    if size is None:
        raise missing_store_error(zmap.url)
    first = zmap.first_bytes(min(LONGEST_SIGNATURE, size))
    refuse_foreign(first, zmap.url)
    if first[:2] != b"PK":
        raise ZmapError(
            "this is a single object, but not a zip file", zmap.url, "give the URL of a store"
        )
    zmap.require_ranges()
    file = PositionedFile(size, zmap.file_range, zmap.close)
    return ZipZmap(zmap.url, inside=inside, server=file, address=zmap.file_address)


def starts_as(zmap: RemoteZmap, is_known: Callable[[bytes], bool]) -> bool:
    """Return whether the first bytes of a file at the URL itself are known.

    Raises `ForeignFile` for a file of another format that is not a store.
    """
    size = zmap.file_size()
    first = zmap.first_bytes(min(LONGEST_SIGNATURE, size)) if size else b""
    found = is_known(first)
    if not found:
        refuse_foreign(first, zmap.url)
    return found


@contextlib.contextmanager
def create_remote_zip(
    remote: WritableRemoteZmap, location: Location, overwrite: bool
) -> Iterator[WritableZmap]:
    """Create a zip file in a temporary folder, and send it when the block ends without an error.

    Raises `StoreExists` if something else exists at the URL, and `ZmapError` if the file is too
    large for one request.
    """
    if location.inside:
        raise group_in_zip(remote.url)
    refuse_existing(
        remote,
        location,
        overwrite=overwrite,
        replaces=is_zip,
        first=LONGEST_SIGNATURE,
        what="a zip file",
    )
    with (
        sent_file(remote, "the zip file") as path,
        zip_at(path, location, False, False) as writer,
    ):
        yield writer


def read_start(location: Location, count: int) -> bytes:
    """Return the first bytes of the object at a remote location, with one request."""
    kept = kept_parts.current()
    with contextlib.closing(RemoteZmap(*connect(location))) as zmap:
        known = None if kept is None else kept.find(location, zmap.file_version)
        data = None
        if known is not None:
            data = known.read(0, min(count, known.version.size or count))
        if data is None:
            data = zmap.first_bytes(count)
            if kept is not None:
                kept.note(location, zmap.version_read, 0, data)
        return data


_FIRST = 1 << 16
"""Bytes that are read when a file is opened; the headers of many files are not longer."""


class ServerFile:
    """The object at a remote location; see `ncz.zmap.range_file.RangeFile`."""

    path = None

    def __init__(self, location: Location) -> None:
        self._zmap = RemoteZmap(*connect(location))
        self._location = location
        self._kept = kept_parts.current()
        self._known: kept_parts.FileParts | None = None
        self.url = self._zmap.url
        self.address = self._zmap.file_address
        try:
            self._start, self.size = self._first_bytes()
        except BaseException:
            self._zmap.close()
            raise

    def _first_bytes(self) -> tuple[bytes, int]:
        """Return the first bytes of the file and its size; none of them if parts are kept."""
        if self._kept is not None:
            known = self._kept.find(self._location, self._zmap.file_version)
            if known is not None and known.version.size is not None:
                self._zmap.require_version(known.version)
                self._known = known
                return b"", known.version.size
        found = self._zmap.file_start(_FIRST)
        if found is None:
            raise StoreMissing("no file exists at this URL", self.url, "check the URL")
        return found

    def read(self, start: int, count: int) -> bytes:
        """Return a part of the file, with one request at most; see `RangeFile.read`."""
        check_range(self.url, self.size, start, count)
        known = None if self._known is None else self._known.read(start, count)
        if known is not None:
            return known
        first = min(self.size, _FIRST)
        if self._known is not None and not self._start and start + count <= first:
            self._start = whole(self._zmap.file_range(0, first), self.url, first)
        data = self._start[start : start + count]
        if count and start + count > len(self._start):
            data = whole(self._zmap.file_range(start, count), self.url, count)
        if self._kept is not None and self._kept.is_open:
            self._kept.note(self._location, self._zmap.version_read, start, data)
        return data

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the object has changed since it was opened."""
        self._zmap.file_size()

    def close(self) -> None:
        """Release the connections."""
        self._zmap.close()
