"""Locks on files and folders.

A lock ends with its process, so that nothing stays locked after the process was killed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ncz.zmap.local.tree import NO_FOLLOW


@contextlib.contextmanager
def hold_lock(path: str) -> Iterator[bool]:
    """Lock a file or a folder for the duration of the block.

    The context's value is False if another process, or another part of this one, has locked it.
    """
    number = -1
    with contextlib.suppress(OSError):  # a system that does not open folders
        number = os.open(path, os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
    try:
        yield number < 0 or lock(number)
    finally:
        if number >= 0:
            os.close(number)


def lock(number: int) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it.

    On a file system without locks, it counts as locked.
    """
    return try_lock(number) is not False


def try_lock(number: int) -> bool | None:
    """Lock an open file or folder; None if the system cannot."""
    try:
        import fcntl
    except ImportError:
        return _lock_region(number)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def unlock(number: int) -> None:
    """Close a locked file; processes that were forked meanwhile do not keep the lock."""
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(number, fcntl.LOCK_UN)
    os.close(number)


_REGION = 1 << 40
"""The place in a file that means all of it, on systems that lock regions. No file is so long:
others cannot read a locked region."""


def _lock_region(number: int) -> bool | None:
    """Lock an open file on Windows; see `try_lock`."""
    try:
        msvcrt: Any = import_module("msvcrt")
    except ImportError:  # a system without locks
        return None
    position = os.lseek(number, 0, os.SEEK_CUR)
    os.lseek(number, _REGION, os.SEEK_SET)
    try:
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
    except PermissionError:
        return False
    except OSError:  # a file system without locks
        return None
    finally:
        os.lseek(number, position, os.SEEK_SET)
    return True
