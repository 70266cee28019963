"""Zip files on a server: read in place, and sent as a single object."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap import WritableZmap
from ncz.zmap.file.foreign import LONGEST_SIGNATURE, refuse_foreign
from ncz.zmap.kinds import is_zip
from ncz.zmap.local.zip.layout import layout_prefix
from ncz.zmap.local.zip.reader import ZipZmap, group_in_zip
from ncz.zmap.local.zip.writer import ZipWriter
from ncz.zmap.location import Location
from ncz.zmap.remote.file import RemoteFile
from ncz.zmap.remote.single import refuse_existing, sent_file
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap

_BUFFER = 1 << 18  # bytes of a request within a zip file


def is_zip_name(location: Location) -> bool:
    """Return whether the URL or its mode names a zip file."""
    named = location.path.lower().endswith(".zip")
    return named or location.inside is not None or "zip" in location.modes


def missing(url: str) -> StoreMissing:
    """Return the error for a URL at which no store exists."""
    return StoreMissing("no store exists at this URL", location=url, hint="check the URL")


def open_remote_zip(zmap: RemoteZmap, inside: str = "") -> ZipZmap:
    """Open the zip file at the URL of `zmap`, which is closed with it, or a group in it."""
    size = zmap.file_size()
    if size is None:
        raise missing(zmap.url)
    first = zmap.first_bytes(min(LONGEST_SIGNATURE, size))
    refuse_foreign(first, zmap.url)
    if first[:2] != b"PK":
        raise ZmapError(
            "this is a single object, but not a zip file", zmap.url, "give the URL of a store"
        )
    zmap.require_ranges()
    file = io.BufferedReader(RemoteFile(zmap, size), _BUFFER)
    return ZipZmap(
        zmap.url, file=file, inside=inside, read_part=zmap.file_range, address=zmap.file_address
    )


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
        remote, overwrite=overwrite, replaces=is_zip, first=LONGEST_SIGNATURE, what="a zip file"
    )
    with sent_file(remote, "the zip file") as path:
        writer = ZipWriter(path, remote.url, prefix=layout_prefix(location))
        try:
            yield writer
            writer.close()
        except BaseException:
            writer.discard()
            raise
