"""What the operating system refused, said as a `ZmapError` that a person can act on."""

from __future__ import annotations

import errno

from ncz.errors import ZmapError

_ADVICE = {
    errno.ENOSPC: "free some space, or write elsewhere",
    errno.EDQUOT: "your quota is used up: free some space, or write elsewhere",
    errno.EACCES: "check the permissions",
    errno.EPERM: "check the permissions",
    errno.EROFS: "the file system is mounted read-only: write elsewhere",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ELOOP: "a symbolic link leads back to itself",
}


def storage_error(error: OSError | ValueError, location: str, action: str) -> ZmapError:
    """The error to raise when `action` ("write", "read", ...) on `location` failed with `error`."""
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        return ZmapError(f"cannot {action}: {reason}", location, _ADVICE.get(error.errno or 0))
    return ZmapError(f"cannot {action}: {error}", location)
