"""Move a new store into its place, in one step where the system can exchange two names."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable

from ncz.errors import StoreExists, ZmapError, note_on_interrupt
from ncz.system_errors import already_exists, storage_errors
from ncz.zmap.local.build_names import ASIDE, unclaimed_name
from ncz.zmap.local.claims import remove
from ncz.zmap.local.replaceable import replacement_fault
from ncz.zmap.location import Location


def check_target(
    location: Location, overwrite: bool, replaces: Callable[[bytes], bool] | None
) -> None:
    """Raise `ZmapError` if nothing can be written at a location; see `create_file`."""
    target, display = os.path.abspath(location.path), location.path
    parent = os.path.dirname(target)
    if not os.path.lexists(target):
        if not os.path.isdir(parent):
            raise ZmapError(
                f"the folder {parent} does not exist", location=display, hint="create it first"
            )
        return
    if fault := replacement_fault(location, replaces):
        what = "will not be overwritten" if overwrite else "already exists"
        hint = fault.hint or "move it away, or use another name"
        raise StoreExists(f"{what}: {fault.reason}", display, hint)
    if not overwrite:
        raise already_exists(display)


def move_into_place(partial: str, target: str, display: str, overwrite: bool) -> None:
    with storage_errors(display, "write"):
        if not os.path.lexists(target):
            os.rename(partial, target)
            return
        if not overwrite:  # it was created in the meantime
            raise already_exists(display)
        _keep_mode(target, partial)
        if os.path.isfile(partial) and not (os.path.isdir(target) and not os.path.islink(target)):
            os.replace(partial, target)
            return
        aside = os.path.join(os.path.dirname(target), unclaimed_name(target, ASIDE))
        if not _swap(partial, target, aside):
            os.rename(target, aside)
            try:
                os.rename(partial, target)
            except BaseException:
                os.rename(aside, target)
                raise
    try:
        with note_on_interrupt(
            f"{display} is complete, but the old one remains next to it; run 'ncz clean {display}'"
        ):
            remove(aside)
    except (OSError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise ZmapError(
            f"the new store is in place, but the old one could not be removed: {reason}",
            location=aside,
            hint="remove it",
        ) from error


def _swap(partial: str, target: str, aside: str) -> bool:
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
        return  # the rename reports the error
    if stat.S_IFMT(old.st_mode) != stat.S_IFMT(new.st_mode):
        return  # a link, or a directory in place of a file
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) and hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(partial, old.st_uid, old.st_gid)
    os.chmod(partial, stat.S_IMODE(old.st_mode))
