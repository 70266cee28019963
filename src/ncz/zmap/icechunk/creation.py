"""Create a repository, or a new snapshot on a branch of an existing one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ncz.errors import NczError, StoreExists, UrlError, option
from ncz.zmap import WritableZmap
from ncz.zmap.claim import Claim
from ncz.zmap.icechunk.storage import is_repository
from ncz.zmap.icechunk.transaction import Transaction
from ncz.zmap.icechunk.writer import IcechunkWriter, ReferringIcechunk
from ncz.zmap.kinds import recognise_kind
from ncz.zmap.local.claims import only_writer
from ncz.zmap.local.creation import create_local
from ncz.zmap.location import Location
from ncz.zmap.remote.opening import connect_to_write


@contextlib.contextmanager
def create_icechunk(
    location: Location, overwrite: bool, claim: Claim | None
) -> Iterator[WritableZmap]:
    """Create a repository, or replace the contents of a branch; see `ncz.zmap.opening.create_zmap`.

    The old snapshots of a branch stay. A new repository on the disk appears when it is complete.
    With the mode ``reference``, chunks may be virtual.

    Raises
    ------
    StoreExists
        If the branch contains something, and `overwrite` is not set.
    UrlError
        If the creation should be resumed: a commit is not visible before it is complete.
    """
    if claim is not None and claim.is_asked:
        raise UrlError(
            "a commit to an Icechunk repository cannot be resumed", location.display,
            f"omit {option('resume')}",
        )  # fmt: skip
    message = claim.description if claim is not None else ""
    if location.kind == "remote":
        with _on_server(location, overwrite) as writer:
            yield writer
            writer.commit(message or _MESSAGE)
    elif recognise_kind(location.path, None) == "icechunk" and os.path.isdir(location.path):
        with (
            only_writer(location.path, location.display),
            _branch(location, overwrite) as writer,
        ):
            yield writer
            writer.commit(message or _MESSAGE)
    else:

        @contextlib.contextmanager
        def build(path: str, at: Location, _: bool, __: bool) -> Iterator[WritableZmap]:
            with _open_writer(Transaction(at, path)) as writer:
                yield writer
                writer.commit(message or _MESSAGE)

        with create_local(location, build, False, overwrite, None) as zmap:
            yield zmap


_MESSAGE = "Written by ncz"


@contextlib.contextmanager
def _open_writer(transaction: Transaction) -> Iterator[IcechunkWriter]:
    """Yield the writer of a transaction, which is abandoned after an error."""
    try:
        with contextlib.closing(transaction):
            is_virtual = "reference" in transaction.location.modes
            yield ReferringIcechunk(transaction) if is_virtual else IcechunkWriter(transaction)
    except BaseException:
        with contextlib.suppress(NczError):  # must not hide the first error
            transaction.abandon()
        raise


@contextlib.contextmanager
def _branch(location: Location, overwrite: bool) -> Iterator[IcechunkWriter]:
    """Yield the branch of a repository that exists, without its objects."""
    with _open_writer(Transaction(location)) as writer:
        transaction = writer.transaction
        if not transaction.is_new_branch and not overwrite and writer.search(""):
            raise StoreExists(
                f"the branch {transaction.branch} already contains a dataset", location.address,
                f"use {option('overwrite', True)} to replace it with a new snapshot",
            )  # fmt: skip
        writer.clear()
        yield writer


@contextlib.contextmanager
def _on_server(location: Location, overwrite: bool) -> Iterator[IcechunkWriter]:
    if is_repository(location):
        with _branch(location, overwrite) as writer:
            yield writer
        return
    with contextlib.closing(connect_to_write(location)) as remote:
        if remote.file_size() is not None or remote.holds_something():
            raise StoreExists(
                "already exists, and is not an Icechunk repository", location.display,
                "use another name",
            )  # fmt: skip
        try:
            with _open_writer(Transaction(location)) as writer:
                yield writer
        except BaseException:
            with contextlib.suppress(NczError):  # must not hide the first error
                remote.delete_many([*remote.walk()])
            raise
