"""Open and create stores at remote locations: S3, http(s), and what else fsspec knows."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ncz.errors import StoreExists, StoreMissing, ZmapError
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.claim import Claim
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.location import Location
from ncz.zmap.remote.creation import RemoteCreation
from ncz.zmap.remote.errors import is_denied
from ncz.zmap.remote.filesystem import FilesystemObjects
from ncz.zmap.remote.http import HttpObjects
from ncz.zmap.remote.objects import ObjectStore, RetryPolicy
from ncz.zmap.remote.s3.obstore import s3_objects
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from ncz.zmap.local.zip import ZipZmap


_COMMON_ROOTS = (".zgroup", "zarr.json", ".zarray")
_OTHER_ROOTS = tuple(key for key in ROOT_DOCUMENTS if key not in _COMMON_ROOTS)
_SMALL = 4096

_LARGEST_OBJECT = 5 << 30  # bytes that S3 takes in one request


def connect(location: Location, retry_policy: RetryPolicy) -> tuple[ObjectStore, str, str]:
    """The object store of a location, the path of the store's root there, and the URL to show."""
    shown = location.display.partition("#")[0].partition("?")[0]  # secrets may follow
    protocol, _, rest = location.path.partition("://")
    if {"s3", "gs3"} & location.modes:
        from ncz.zmap.remote.s3.credentials import find_settings

        settings = find_settings(location)
        return s3_objects(settings, retry_policy), settings.prefix, shown
    if protocol in ("http", "https"):
        return HttpObjects(location.path, retry_policy), "", shown
    options = {
        key.removeprefix("fsspec."): {"true": True, "false": False}.get(value.lower(), value)
        for key, value in location.options.items()
        if key.startswith("fsspec.")
    }
    url = f"{protocol.removeprefix('fsspec+')}://{rest}"
    files = FilesystemObjects(url, options, retry_policy)
    return files, files.root, shown


def open_remote(location: Location, *, retry_policy: RetryPolicy | None = None) -> Zmap:
    """Open the store at a remote location; one zip file is read where it is.

    Raises `StoreMissing` if nothing is there, `UrlError`, or `ZmapError` if the server refuses or a
    package that the protocol needs is not installed.
    """
    retry_policy = retry_policy or RetryPolicy()
    zmap = RemoteZmap(*connect(location, retry_policy), retry_policy)
    try:
        return _open_zip(zmap) if _is_zip(zmap, location) else zmap
    except BaseException:
        zmap.close()
        raise


def open_remote_to_write(
    location: Location, *, retry_policy: RetryPolicy | None = None
) -> WritableZmap:
    """Open the store at a remote location for changing it in place; errors as of `open_remote`."""
    retry_policy = retry_policy or RetryPolicy()
    objects, root, url = connect(location, retry_policy)
    zmap = WritableRemoteZmap(objects, root, url, retry_policy)
    try:
        if not objects.most_deleted:
            raise _read_only(url)
        if _is_zip(zmap, location):
            raise ZmapError("a zip cannot be changed in place", url, "write a new one from it")
    except BaseException:
        zmap.close()
        raise
    return zmap


def _is_zip(zmap: RemoteZmap, location: Location) -> bool:
    """Whether one file is at the location, rather than a store; `StoreMissing` if neither is."""
    path = location.path.partition("?")[0].lower()
    if "zip" in location.modes or path.endswith(".zip"):
        return True
    denied: ZmapError | None = None
    for documents in (_COMMON_ROOTS, _OTHER_ROOTS):
        found, refused = _look_for(documents, zmap)
        denied = denied or refused
        if found:
            # S3 says "denied" of an absent object to those who may not list.
            zmap.can_list &= denied is None
            zmap.denied_is_absent = denied is not None or not zmap.can_list
            return False
    if not zmap.can_list:
        raise denied or _missing(zmap.url)
    if zmap.holds_something():
        return False
    if zmap.file_size() is None:
        raise _missing(zmap.url)
    return True


def _read_only(url: str) -> ZmapError:
    return ZmapError("a web server can only be read", url, "for S3 add #mode=s3")


def _missing(url: str) -> StoreMissing:
    return StoreMissing("there is no such store", location=url, hint="check the URL")


def _look_for(documents: Iterable[str], zmap: RemoteZmap) -> tuple[bool, ZmapError | None]:
    """Whether one of these objects is there, and what says of one that it may not be read."""
    zmap.expect((key, _SMALL) for key in documents)
    denied: ZmapError | None = None
    found = False
    for key in documents:
        try:
            found |= zmap.get(key) is not None
        except ZmapError as error:
            error.location = zmap.url  # whichever object was asked for
            if error.__cause__ is None or not is_denied(error.__cause__):
                raise
            denied = error
    return found, denied


class RemoteFile(io.RawIOBase):
    """The one object at a store's own URL, as a file to seek in and read."""

    def __init__(self, zmap: RemoteZmap, size: int) -> None:
        super().__init__()
        self._zmap = zmap
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place; see `io.IOBase.seek`."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if self._at < 0:
            raise ValueError("a place before the file's beginning")
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read with one request; see `io.RawIOBase.readinto`."""
        view = memoryview(buffer).cast("B")
        count = min(len(view), max(0, self._size - self._at))
        value = self._zmap.file_range(self._at, count) if count else b""
        view[: len(value)] = value
        self._at += len(value)
        return len(value)

    def close(self) -> None:
        """Give back the connections."""
        if not self.closed:
            self._zmap.close()
        super().close()


_ZIP_BUFFER = 1 << 18  # bytes of a request within a zip


def _open_zip(zmap: RemoteZmap) -> ZipZmap:
    from ncz.zmap.local.zip import ZipZmap

    size = zmap.file_size()
    if size is None:
        raise _missing(zmap.url)
    if zmap.file_range(0, min(4, size))[:2] != b"PK":
        raise ZmapError("this is one object, and no zip file", zmap.url, "give the store's URL")
    file = io.BufferedReader(RemoteFile(zmap, size), _ZIP_BUFFER)
    return ZipZmap(zmap.url, file=file)


@contextlib.contextmanager
def create_remote(
    location: Location,
    *,
    overwrite: bool = False,
    claim: Claim | None = None,
    retry_policy: RetryPolicy | None = None,
) -> Iterator[WritableZmap]:
    """Give a zmap to write a new store into; it is at `location` when the block ends well.

    Raises `StoreExists` if something is there and `overwrite` is not set, or if what is there does
    not look like a store.
    """
    retry_policy = retry_policy or RetryPolicy()
    objects, root, url = connect(location, retry_policy)
    if not objects.most_deleted:
        objects.close()
        raise _read_only(url)
    if "zip" in location.modes or location.path.partition("?")[0].lower().endswith(".zip"):
        remote = WritableRemoteZmap(objects, root, url, retry_policy)
        with contextlib.closing(remote), _zip_to_send(remote, location, overwrite) as writer:
            yield writer
        return
    zmap = RemoteCreation(objects, root, url, retry_policy, claim)
    try:
        zmap.replace_old(overwrite=overwrite)
        try:
            yield zmap
            zmap.finish()
        except BaseException:
            with contextlib.suppress(ZmapError):  # the error that is under way is the one to tell
                zmap.abandon()
            raise
    finally:
        zmap.close()


@contextlib.contextmanager
def _zip_to_send(
    remote: WritableRemoteZmap, location: Location, overwrite: bool
) -> Iterator[WritableZmap]:
    """Give a zip in a temporary folder; it is sent whole, as one object, when the block ends well.

    Raises `ZmapError` if it has more than one request can send.
    """
    from ncz.zmap.local.zip import ZipWriter, layout_prefix

    size = remote.file_size()
    if size is not None and not overwrite:
        raise StoreExists("is there already", remote.url, "use --overwrite to replace it")
    if size is not None and size > 0 and remote.file_range(0, 2) != b"PK":
        raise StoreExists(
            "will not be overwritten: it is an object of another kind, not a zip",
            remote.url,
            "delete it yourself, or use another name",
        )
    if size is None and remote.holds_something():
        raise StoreExists("a store that is no zip is there", remote.url, "use another name")
    with tempfile.TemporaryDirectory(prefix="ncz-zip-") as folder:
        path = os.path.join(folder, "store.zip")
        writer = ZipWriter(path, remote.url, prefix=layout_prefix(location))
        try:
            yield writer
            writer.close()
        except BaseException:
            writer.discard()
            raise
        if os.path.getsize(path) > _LARGEST_OBJECT:
            raise ZmapError(
                f"a zip of {os.path.getsize(path)} bytes is more than one request can send",
                remote.url,
                "write it here and upload it with the store's own tools, or leave .zip out",
            )
        with open(path, "rb") as file:
            remote.put_file(file.read())
