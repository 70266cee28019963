"""Files that are created in a temporary folder, and sent as a single object."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator

from ncz.errors import NczError, StoreExists, ZmapError
from ncz.system_errors import already_exists
from ncz.zmap.location import Location
from ncz.zmap.remote.creation import overwrite_refusal
from ncz.zmap.remote.store import WritableRemoteZmap
from ncz.zmap.single_file import fault_of_file

_LARGEST_OBJECT = 5 << 30  # bytes that S3 accepts in one request


def refuse_existing(
    remote: WritableRemoteZmap,
    location: Location,
    *,
    overwrite: bool,
    replaces: Callable[[bytes], bool],
    first: int,
    what: str,
) -> None:
    """Raise `StoreExists` if the URL of `remote` must not be written.

    Parameters
    ----------
    remote, location
        The server, and the location of the new object.
    overwrite
        Whether to replace an object that `replaces` accepts by its `first` bytes.
    replaces, first
        Decides whether an object can be replaced, and the number of bytes that it needs.
    what
        The kind of the new object, for messages.
    """
    size = remote.file_size()
    if size is not None and not overwrite:
        raise already_exists(remote.url)
    if size:
        start = remote.first_bytes(min(size, first))
        if not replaces(start):
            raise overwrite_refusal(remote.url, f"it is an object, but not {what}")
        try:
            fault = fault_of_file(location, start)
        except NczError as error:
            reason = f"it cannot be read: {error.message}"
            raise overwrite_refusal(remote.url, reason, error.hint) from error
        if fault is not None and not fault.is_empty:
            raise overwrite_refusal(remote.url, fault.reason, fault.hint)
    if size is None and remote.holds_something():
        raise StoreExists(f"a store that is not {what} exists here", remote.url, "use another name")


@contextlib.contextmanager
def sent_file(remote: WritableRemoteZmap, what: str) -> Iterator[str]:
    """Yield a path in a temporary folder, and send the file when the block ends without an error.

    The object is replaced with one request, so that it is never incomplete. Raises `ZmapError` if
    the file is too large for that.
    """
    with tempfile.TemporaryDirectory(prefix="ncz-") as folder:
        path = os.path.join(folder, "file")
        yield path
        size = os.path.getsize(path)
        if size > _LARGEST_OBJECT:
            raise ZmapError(
                f"{what} has {size} bytes, too many for one request",
                remote.url,
                "write it to a local file, and upload that",
            )
        with open(path, "rb") as file:
            remote.put_file(file.read())
