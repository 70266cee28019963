"""Errors of the operating system as errors of ncz, with a hint; also of concurrent changes.

Functions that open stores import this module late: most stores open without an error.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from ncz.errors import NczError, StoreExists, ZmapError, option

_CHANGED = "it changed while it was read"
_REPEAT = "repeat the command when nothing else changes the source"
_ADVICE = {
    errno.ENOSPC: "free some space, or write to another place",
    errno.EDQUOT: "your disk quota is exceeded: free some space, or write to another place",
    errno.EACCES: "check the permissions",
    errno.EPERM: "check the permissions",
    errno.EROFS: "the file system is mounted read-only: write to another place",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ELOOP: "a symbolic link points to itself, or was put in place of a folder",
    errno.ESTALE: _REPEAT,
}


def changed_file(path: str) -> OSError:
    """Return the error for a file or a folder that changed while it was read."""
    return OSError(errno.ESTALE, _CHANGED, path)


def changed_object_error(location: str) -> ZmapError:
    """Return the error for an object that changed while it was read."""
    error = ZmapError(_CHANGED, location, _REPEAT)
    error.errno = errno.ESTALE
    return error


def storage_error(error: OSError | ValueError, location: str, action: str) -> ZmapError:
    """Return the error to raise after an operation of the operating system failed.

    Parameters
    ----------
    error
        The error of the operating system.
    location
        The path or the object, as messages show it.
    action
        The operation as a verb: "write", "read", ...
    """
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        result = ZmapError(f"cannot {action}: {reason}", location, _ADVICE.get(error.errno or 0))
        result.errno = error.errno
        return result
    return ZmapError(f"cannot {action}: {error}", location)


@contextmanager
def storage_errors(location: str, action: str) -> Iterator[None]:
    """Turn errors of the operating system in the block into `storage_error`."""
    try:
        yield
    except NczError:
        raise
    except OSError as error:
        raise storage_error(error, location, action) from error


def already_exists(location: str) -> StoreExists:
    """Return the error for a target that exists, and may be overwritten."""
    return StoreExists("already exists", location, f"use {option('overwrite', True)} to replace it")
