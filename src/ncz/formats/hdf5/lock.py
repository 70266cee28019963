"""Find out whether a program has an HDF5 file open for writing, by the lock that HDF5 takes."""

from __future__ import annotations

import os

from ncz.errors import ZmapError

_OFF = ("FALSE", "0")


def check_lock(path: str) -> None:
    """Raise `ZmapError` if a program has a local file open for writing.

    The lock is not kept: if the file changes while it is read, the next read is an error. As for
    HDF5 itself, the environment variable ``HDF5_USE_FILE_LOCKING`` turns this off.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return
    if os.environ.get("HDF5_USE_FILE_LOCKING", "").upper() in _OFF:
        return
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise lock_error(path) from error
    except OSError:
        pass  # the file system has no locks
    finally:
        os.close(number)


def lock_error(url: str) -> ZmapError:
    """Return the error for a file that a program has open for writing."""
    return ZmapError(
        "the file is locked, because a program has it open for writing",
        url,
        "wait until that program has closed it, or read a copy",
    )
