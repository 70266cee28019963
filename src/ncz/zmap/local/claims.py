"""Claim the temporary place of a new local store, so that an interrupted creation can be resumed.

The unfinished store has a name that follows from the target's (``.ncz-....partial``). A file next
to it (``.ncz-....claim``) contains the fingerprint of the creation that it belongs to. That file is
locked while the store is built, so that two processes cannot build it at the same time.

A store that exists is locked while it is changed or replaced: its folder or its zip file, or on
systems that cannot lock these, the same file next to it.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Iterator
from typing import IO

from ncz.errors import NczError, ZmapError, option
from ncz.system_errors import storage_errors
from ncz.zmap.claim import Claim
from ncz.zmap.journal import locked_store_error
from ncz.zmap.local.build_names import CLAIM, PARTIAL, name_start
from ncz.zmap.local.locks import lock, try_lock, unlock
from ncz.zmap.local.portable_names import IS_WINDOWS
from ncz.zmap.local.replaceable import outermost
from ncz.zmap.local.tree import NO_FOLLOW


@contextlib.contextmanager
def hold_claim(partial: str, display: str, claim: Claim, is_file: bool) -> Iterator[bool]:
    """Hold the claim to `partial`.

    Parameters
    ----------
    partial
        The temporary path of the store.
    display
        The target's path, as messages show it.
    claim
        The identity of the new store. Unless it resumes, an unfinished store at `partial` is
        removed.
    is_file
        Whether the store is one file or a directory.

    Yields
    ------
    bool
        Whether an unfinished store exists that can be resumed.

    Raises
    ------
    ZmapError
        If another process holds the claim, or the unfinished store belongs to another claim.
    """
    path = partial.removesuffix(".partial") + ".claim"
    with storage_errors(display, "write"):
        file = _open_and_lock(path, display)
    with _release(partial, path, file):
        file.seek(0)
        found = file.read()
        begun = _is_begun(partial, is_file, display)
        is_other = begun and found != claim.fingerprint
        if claim.resume and is_other and claim.is_asked:
            raise ZmapError(
                "the unfinished store has another source or other options, so it cannot be resumed",
                display,
                f"leave out {option('resume', True)} to start again",
            )
        with storage_errors(display, "write"):
            begun = begun and claim.resume and not is_other
            if begun and not claim.is_asked:
                begun = claim.is_unchanged(os.fstat(file.fileno()).st_mtime_ns)
            if not begun:
                remove(partial)
                file.truncate(0)
                file.write(claim.fingerprint)
                file.flush()
        yield begun


class _Own(threading.local):
    """The stores that a thread has locked, and may replace."""

    def __init__(self) -> None:
        self.stores: set[str] = set()


_own = _Own()
if hasattr(os, "register_at_fork"):  # a forked process does not own the locks of its parent
    os.register_at_fork(after_in_child=lambda: _own.stores.clear())


@contextlib.contextmanager
def only_writer(path: str, display: str, *, is_claimed: bool = False) -> Iterator[None]:
    """Keep other processes from changing or replacing a local store during the block.

    Parameters
    ----------
    path
        The store, or a group in it.
    display
        The path as messages show it.
    is_claimed
        Whether the caller holds the claim to the store.

    Raises
    ------
    ZmapError
        If another process, or another thread, changes or replaces the store.
    """
    store = outermost(os.path.realpath(path))
    if store in _own.stores:
        yield
        return
    with contextlib.ExitStack() as stack:
        number = _lock_store(store, display)
        if number is not None:
            stack.callback(unlock, number)
        elif not is_claimed and os.path.lexists(store):
            stack.enter_context(claim_beside(store, display))
        _own.stores.add(store)
        stack.callback(_own.stores.discard, store)
        yield


def _lock_store(store: str, display: str) -> int | None:
    """Lock a directory or a zip file; return None if the system cannot, or nothing is there."""
    if IS_WINDOWS:
        return None  # which does not replace an open file
    flags = os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        try:
            number = os.open(store, flags)
        except OSError:
            return None
        is_same = False
        try:
            locked = try_lock(number)
            if locked is None:
                return None
            if not locked:
                raise locked_store_error(display)
            with contextlib.suppress(OSError):
                # The process that had the lock may have put another store in its place.
                is_same = os.path.samestat(os.lstat(store), os.fstat(number))
            if is_same:
                return number
        finally:
            if not is_same:
                os.close(number)


@contextlib.contextmanager
def claim_beside(store: str, display: str) -> Iterator[None]:
    """Hold the claim to a store that is not built but changed, if this user may write there."""
    beside = os.path.join(os.path.dirname(store), name_start(store))
    try:
        file = _open_and_lock(beside + CLAIM, display)
    except NczError:
        raise
    except OSError:  # this user cannot write to the folder
        yield
        return
    with _release(beside + PARTIAL, beside + CLAIM, file):
        yield


@contextlib.contextmanager
def _release(partial: str, path: str, file: IO[str]) -> Iterator[None]:
    """Close a claim at the end, and remove it unless the unfinished store at `partial` needs it."""

    def remove_claim() -> None:
        if not os.path.lexists(partial):  # it was moved into place, or removed
            with contextlib.suppress(OSError):
                os.unlink(path)

    try:
        with file:
            try:
                yield
            finally:
                remove_claim()
    finally:
        # Some systems do not remove open files. If another process has claimed the place by then,
        # it has the file open, and removing it fails.
        if IS_WINDOWS:
            remove_claim()


def remove(path: str) -> None:
    """Remove a file or a folder, without following links; do nothing if it does not exist."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil  # most targets are new, and nothing is removed

        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _open_and_lock(path: str, display: str) -> IO[str]:
    """Open and lock the claim's file, which another process may be removing.

    A process removes the file while it has the lock. A process that waited for that lock has the
    removed file, and would not notice a third process that creates it again.
    """
    flags = os.O_RDWR | os.O_CREAT | NO_FOLLOW | getattr(os, "O_CLOEXEC", 0)
    while True:
        number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            refuse_planted(os.fstat(number), path, display, is_file=True)
        except BaseException:
            os.close(number)
            raise
        file = open(number, "r+", encoding="utf-8")  # noqa: SIM115 - closed by the caller
        try:
            if not lock(file.fileno()):
                raise ZmapError(
                    "another process is writing this store", display, "wait until it has finished"
                )
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.lstat(path), os.fstat(number)):
                    return file
        except BaseException:
            file.close()
            raise
        file.close()


def _is_begun(partial: str, is_file: bool, display: str) -> bool:
    """Return whether an unfinished store exists that an earlier run of this user made."""
    try:
        status = os.lstat(partial)
    except FileNotFoundError:
        return False
    if not (stat.S_ISREG(status.st_mode) if is_file else stat.S_ISDIR(status.st_mode)):
        return False
    refuse_planted(status, partial, display, is_file)
    return True


def refuse_planted(status: os.stat_result, path: str, display: str, is_file: bool) -> None:
    """Raise `ZmapError` if another user may have prepared the files that ncz will write."""
    is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    is_plain = not is_file or (stat.S_ISREG(status.st_mode) and status.st_nlink <= 1)
    if not (is_own and is_plain):
        raise ZmapError(
            f"{path} was not created by this user and program",
            display,
            "remove it, or write elsewhere",
        )
