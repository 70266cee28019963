"""Claim the place where a local store is built, so that an interrupted creation can be resumed.

The unfinished store has a name that follows from the target's (``.ncz-....partial``). A file next
to it (``.ncz-....claim``) holds the fingerprint of the creation to which it belongs. That file is
locked while the store is built, so that two processes cannot build it at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator
from typing import IO

from ncz.errors import ZmapError
from ncz.zmap.claim import Claim
from ncz.zmap.os_errors import storage_error


def claimed_name(target: str) -> str:
    """Return the name under which a claimed `target` is built."""
    name = os.fsencode(os.path.basename(target))
    return f".ncz-{hashlib.sha256(name).hexdigest()[:16]}.partial"


@contextlib.contextmanager
def claimed(partial: str, shown: str, claim: Claim, is_file: bool) -> Iterator[bool]:
    """Hold the claim to `partial`.

    Parameters
    ----------
    partial
        The path at which the store is built.
    shown
        The target's path, as messages show it.
    claim
        What is being created. Unless it resumes, an unfinished store at `partial` is removed.
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
    try:
        file = open(path, "a+", encoding="utf-8")  # noqa: SIM115 - closed below
    except OSError as error:
        raise storage_error(error, shown, "write") from error
    with file:
        if not _lock(file):
            raise ZmapError(
                "another process is writing this store", shown, "wait until it has finished"
            )
        file.seek(0)
        found = file.read()
        begun = os.path.isfile(partial) if is_file else os.path.isdir(partial)
        if claim.resume and begun and found != claim.fingerprint:
            raise ZmapError(
                "the unfinished store has another source or other options, so it cannot be resumed",
                shown,
                "leave out --resume to start again",
            )
        try:
            if not claim.resume or not begun:
                begun = False
                _clear(partial)
                file.truncate(0)
                file.write(claim.fingerprint)
                file.flush()
        except OSError as error:
            raise storage_error(error, shown, "write") from error
        try:
            yield begun
        finally:
            if not os.path.lexists(partial):  # it was moved into place, or removed
                with contextlib.suppress(OSError):
                    os.unlink(path)


def _clear(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _lock(file: IO[str]) -> bool:
    """Lock the file until it is closed; return False if another process has locked it."""
    try:
        import fcntl
    except ImportError:  # a system without these locks
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
