"""Create a local store or file next to its target, which it replaces completely or not at all.

A store is built under another name in the target's folder (``.ncz-....partial``) and renamed when
it is complete. Any exception, including an interrupt, removes the unfinished store. On Linux and
macOS, an existing store and the new one change places in one step, and the old one, which has
another name then (``.ncz-....old``), is removed. Elsewhere it is moved aside before the rename. If
the target is a symbolic link, the link is replaced and its destination stays. Nothing is synced to
the disk: a store is complete or absent after errors and signals, but not necessarily after a power
failure.

A creation with a `Claim` can be resumed: the name of the unfinished store follows from the target's
name; see `ncz.zmap.local.claims`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO

from ncz.errors import StoreExists, note_on_interrupt
from ncz.system_errors import storage_errors
from ncz.zmap import WritableZmap
from ncz.zmap.claim import Claim
from ncz.zmap.local.build_names import claimed_name, unclaimed_name
from ncz.zmap.local.claims import hold_claim, only_writer, remove
from ncz.zmap.local.locks import hold_lock
from ncz.zmap.local.placement import check_target, move_into_place
from ncz.zmap.local.replaceable import first_bytes
from ncz.zmap.local.writable import WritableDirectoryZmap
from ncz.zmap.location import Location

Build = Callable[[str, Location, bool, bool], AbstractContextManager[WritableZmap]]
"""Takes the temporary path, the location, whether the path already has a part of the store, and
whether the creation is claimed."""


@contextlib.contextmanager
def create_local(
    location: Location, build: Build, is_file: bool, overwrite: bool, claim: Claim | None
) -> Iterator[WritableZmap]:
    """Create a local store with `build`; see `ncz.zmap.opening.create_zmap`.

    `is_file` says whether the store is one file or a directory.
    """
    target = os.path.abspath(location.path)
    check_target(location, overwrite, lambda _: False)
    name = unclaimed_name(target) if claim is None else claimed_name(target)
    partial = os.path.join(os.path.dirname(target), name)
    with contextlib.ExitStack() as stack:
        begun = False
        if claim is not None:
            begun = stack.enter_context(hold_claim(partial, location.path, claim, is_file))
        stack.enter_context(only_writer(target, location.path, is_claimed=claim is not None))
        try:
            with build(partial, location, begun, claim is not None) as zmap, hold_lock(partial):
                yield zmap
            move_into_place(partial, target, location.path, overwrite)
        except BaseException as error:
            if claim is not None and claim.keeps(error):
                claim.tell(error)
            else:
                with contextlib.suppress(OSError):  # must not hide the first error
                    remove(partial)
            raise


@contextlib.contextmanager
def create_file(
    location: Location, *, overwrite: bool, replaces: Callable[[bytes], bool] | None
) -> Iterator[str]:
    """Create a file that is not a store; it appears when the ``with`` block ends without an error.

    Parameters
    ----------
    location
        The location of the new file.
    overwrite
        Whether to replace an existing store, or a dataset in a file that `replaces`
        accepts by its first bytes.
    replaces
        None if any file is replaced, with any contents.

    Yields
    ------
    str
        A temporary path in the same folder; the block creates the file there.
    """
    path = location.path
    target = os.path.abspath(path)
    check_target(location, overwrite, replaces)
    partial = os.path.join(os.path.dirname(target), unclaimed_name(target))
    # Other files are never changed, only replaced, and HDF5 locks the files that it reads.
    is_other = os.path.isfile(target) and (replaces is None or replaces(first_bytes(target)))
    with contextlib.nullcontext() if is_other else only_writer(target, path):
        try:
            yield partial
            move_into_place(partial, target, path, overwrite)
        except BaseException:
            with contextlib.suppress(OSError):  # must not hide the first error
                remove(partial)
            raise


@contextlib.contextmanager
def create_output(path: str, *, overwrite: bool) -> Iterator[BinaryIO]:
    """Create a text or a picture; it appears when the ``with`` block ends without an error.

    Only a file is replaced, never a folder.
    """
    if os.path.isdir(path):
        raise StoreExists("already exists: it is a directory", path, "use another name")
    location = Location(kind=None, path=path)
    with (
        storage_errors(path, "write"),
        create_file(location, overwrite=overwrite, replaces=None) as partial,
        open(partial, "xb") as file,
    ):
        yield file


@contextlib.contextmanager
def directory_at(
    partial: str, location: Location, begun: bool, is_claimed: bool
) -> Iterator[WritableZmap]:
    """Build a directory at `partial`."""
    if not begun:
        with storage_errors(location.path, "write"):
            os.mkdir(partial)
    zmap = WritableDirectoryZmap(partial, location.path, building=True, resumable=is_claimed)
    zmap.check_names()
    zmap.has_earlier = begun
    if begun:
        zmap.sweep()
    yield zmap
    zmap.check_complete()
    if begun:
        zmap.remove_others()
    zmap.close()


def remove_local(path: str) -> None:
    """Remove the store or the file at a path: for readers immediately, then object by object.

    Leftovers of a killed process have the name of an unfinished store, so that `clean_local` finds
    them. Raises `ZmapError` if another process changes the store.
    """
    target = os.path.abspath(path)
    with only_writer(target, path), storage_errors(path, "remove"):
        if not os.path.isdir(target):
            os.unlink(target)
            return
        partial = os.path.join(os.path.dirname(target), unclaimed_name(target))
        os.rename(target, partial)
        with note_on_interrupt(f"a part of {path} was removed; run the same command again"):
            remove(partial)
