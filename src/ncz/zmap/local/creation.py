"""Create a local store: build it beside its target, then move it into place.

A store is built under another name in the target's folder (``.ncz-....partial``) and renamed when
it is complete. Any exception, including an interrupt, removes the unfinished store. On Linux and
macOS, an existing store and the new one change places in one step, and the old one, which has
another name then (``.ncz-....old``), is removed. Elsewhere it is moved aside before the rename. If
the target is a symbolic link, the link is replaced and its destination stays. Nothing is synced to
the disk: a store is complete or absent after errors and signals, but not necessarily after a power
failure.

A creation with a `Claim` can be resumed: the name of the unfinished store follows from the target's
name. See `ncz.zmap.local.claim`.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from ncz.errors import NczError, StoreExists, ZmapError, note_if_interrupted
from ncz.zmap import WritableZmap
from ncz.zmap.claim import Claim
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.kinds import LOOKED_AT, is_zip
from ncz.zmap.local.claim import claimed, only_writer, remove
from ncz.zmap.local.locks import held
from ncz.zmap.local.names import ASIDE, claimed_name, unclaimed_name
from ncz.zmap.local.writable import WritableDirectoryZmap
from ncz.zmap.location import Location
from ncz.zmap.os_errors import storage_error

Build = Callable[[str, Location, bool, bool], AbstractContextManager[WritableZmap]]
"""Takes the temporary path, the location, whether the path already holds a part of the store, and
whether the creation is claimed."""


@contextlib.contextmanager
def create_local(
    location: Location, build: Build, is_file: bool, overwrite: bool, claim: Claim | None
) -> Iterator[WritableZmap]:
    """Create a local store with `build`; see `ncz.zmap.opening.create_zmap`.

    `is_file` says whether the store is one file or a directory.
    """
    target = os.path.abspath(location.path)
    _check_target(target, location.path, overwrite)
    name = unclaimed_name(target) if claim is None else claimed_name(target)
    partial = os.path.join(os.path.dirname(target), name)
    with contextlib.ExitStack() as stack:
        begun = False
        if claim is not None:
            begun = stack.enter_context(claimed(partial, location.path, claim, is_file))
        stack.enter_context(only_writer(target, location.path, is_claimed=claim is not None))
        try:
            with build(partial, location, begun, claim is not None) as zmap, held(partial):
                yield zmap
            _move_into_place(partial, target, location.path, overwrite)
        except BaseException:
            if claim is None or not claim.resume:
                with contextlib.suppress(OSError):  # must not hide the first error
                    remove(partial)
            raise


@contextlib.contextmanager
def create_file(path: str, *, overwrite: bool, replaces: Callable[[bytes], bool]) -> Iterator[str]:
    """Create a file that is not a store; it appears when the ``with`` block ends without an error.

    Parameters
    ----------
    path
        The path of the file.
    overwrite
        Whether to replace what exists there: a store, or a file that `replaces` accepts by its
        first bytes.

    Yields
    ------
    str
        A temporary path in the same folder, at which the block creates the file.
    """
    target = os.path.abspath(path)
    _check_target(target, path, overwrite, replaces)
    partial = os.path.join(os.path.dirname(target), unclaimed_name(target))
    with only_writer(target, path):
        try:
            yield partial
            _move_into_place(partial, target, path, overwrite)
        except BaseException:
            with contextlib.suppress(OSError):  # must not hide the first error
                remove(partial)
            raise


@contextlib.contextmanager
def directory_at(
    partial: str, location: Location, begun: bool, is_claimed: bool
) -> Iterator[WritableZmap]:
    """Build a directory at `partial`."""
    if not begun:
        try:
            os.mkdir(partial)
        except OSError as error:
            raise storage_error(error, location.path, "write") from error
    zmap = WritableDirectoryZmap(partial, location.path, building=True, resumable=is_claimed)
    zmap.check_names()
    if begun:
        zmap.sweep()
    yield zmap
    zmap.check_complete()
    zmap.close()


def _exists(shown: str) -> StoreExists:
    return StoreExists("already exists", location=shown, hint="use --overwrite to replace it")


def _check_target(
    target: str, shown: str, overwrite: bool, replaces: Callable[[bytes], bool] = lambda _: False
) -> None:
    parent = os.path.dirname(target)
    if not os.path.lexists(target):
        if not os.path.isdir(parent):
            raise ZmapError(
                f"the folder {parent} does not exist", location=shown, hint="create it first"
            )
        return
    if not overwrite:
        raise _exists(shown)
    reason = _why_not_replace(target, replaces)
    if reason:
        raise StoreExists(
            f"will not be overwritten: {reason}", shown, "move it away, or use another name"
        )


def _why_not_replace(target: str, replaces: Callable[[bytes], bool]) -> str | None:
    """Return why `target` must not be removed; None if it is a store or contains no data.

    `replaces` accepts other files by their first bytes.
    """
    if target == os.path.dirname(target) or os.path.ismount(target):
        return "it is the root of a file system"
    if os.path.isdir(target):
        here = os.path.join(os.path.realpath(os.getcwd()), "")
        if here.startswith(os.path.join(os.path.realpath(target), "")):
            return "it is, or contains, the current folder"
        try:
            names = os.listdir(target)
        except OSError as error:
            return f"it cannot be read ({error.strerror})"
        if names and not set(names).intersection(ROOT_DOCUMENTS):
            return "it is a directory, but not a store"
    elif os.path.isfile(target):
        first = _first_bytes(target)
        if first and not is_zip(first) and not replaces(first):
            return "it is a file of another kind"
    elif not os.path.islink(target):
        return "it is neither a file nor a directory"
    return None


def _first_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(LOOKED_AT)
    except OSError as error:
        raise storage_error(error, path, "read") from error


def _move_into_place(partial: str, target: str, shown: str, overwrite: bool) -> None:
    try:
        if not os.path.lexists(target):
            os.rename(partial, target)
            return
        if not overwrite:  # it was created in the meantime
            raise _exists(shown)
        _keep_mode(target, partial)
        if os.path.isfile(partial) and not (os.path.isdir(target) and not os.path.islink(target)):
            os.replace(partial, target)
            return
        aside = os.path.join(os.path.dirname(target), unclaimed_name(target, ASIDE))
        if not _exchanged(partial, target, aside):
            os.rename(target, aside)
            try:
                os.rename(partial, target)
            except BaseException:
                os.rename(aside, target)
                raise
    except NczError:
        raise
    except OSError as error:
        raise storage_error(error, shown, "write") from error
    try:
        with note_if_interrupted(
            f"{shown} is complete, but the old one remains beside it; run 'ncz clean {shown}'"
        ):
            remove(aside)
    except (OSError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise ZmapError(
            f"the new store is in place, but the old one could not be removed: {reason}",
            location=aside,
            hint="remove it",
        ) from error


def _exchanged(partial: str, target: str, aside: str) -> bool:
    """Let the new store and the old one, then `aside`, change places; return False if impossible.

    Its readers find a store at every moment.
    """
    status = os.lstat(partial)
    os.rename(partial, aside)  # no later run may take the old store for one that it can resume
    is_done = False
    try:
        is_done = _exchange(aside, target)
    finally:
        if not is_done and os.path.samestat(os.lstat(aside), status):
            os.rename(aside, partial)
    return is_done


def _exchange(one: str, other: str) -> bool:
    """Exchange the names of two files or folders in one step; return False if impossible."""
    import ctypes  # few stores are replaced

    with contextlib.suppress(AttributeError, OSError, TypeError):  # not in this system's library
        library = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(one), os.fsencode(other)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*names, 2) == 0)
        here = -100  # AT_FDCWD
        return bool(library.renameat2(here, names[0], here, names[1], 2) == 0)
    return False


def _keep_mode(target: str, partial: str) -> None:
    """Give a new store the permissions of the one that it replaces, and its owner if possible."""
    try:
        old, new = os.lstat(target), os.lstat(partial)
    except OSError:
        return  # the rename will tell
    if stat.S_IFMT(old.st_mode) != stat.S_IFMT(new.st_mode):
        return  # a link, or a directory in place of a file
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) and hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(partial, old.st_uid, old.st_gid)
    os.chmod(partial, stat.S_IMODE(old.st_mode))
