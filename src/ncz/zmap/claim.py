"""A creation that can be gone on with after it was stopped.

What is built lies beside its target under a name that follows from the target's
(``.ncz-....partial``), and a file next to it (``.ncz-....claim``) says of what it is the beginning:
the fingerprint of the claim. The file is locked as long as someone builds, so two cannot at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator
from typing import IO

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.os_errors import storage_error


@record
class Claim:
    """What is being made. `fingerprint` is equal for what may be gone on with, and only then.

    With `resume` what an earlier run left is taken over, and what this one leaves is kept.
    """

    fingerprint: str
    resume: bool = False


def claimed_name(target: str) -> str:
    """The name under which a claimed `target` is built."""
    name = os.fsencode(os.path.basename(target))
    return f".ncz-{hashlib.sha256(name).hexdigest()[:16]}.partial"


@contextlib.contextmanager
def claimed(partial: str, shown: str, claim: Claim, as_zip: bool) -> Iterator[bool]:
    """Hold the claim to `partial`; gives True if something is there to go on with.

    Raises `ZmapError` if another process holds it, or if what is there is of another claim and
    `claim.resume` is set. What is there is removed if it is not set.
    """
    path = partial.removesuffix(".partial") + ".claim"
    try:
        file = open(path, "a+", encoding="utf-8")  # noqa: SIM115 - closed below
    except OSError as error:
        raise storage_error(error, shown, "write") from error
    with file:
        if not _lock(file):
            raise ZmapError("another process is writing this store", shown, "wait for its end")
        file.seek(0)
        found = file.read()
        begun = os.path.isfile(partial) if as_zip else os.path.isdir(partial)
        if claim.resume and begun and found != claim.fingerprint:
            raise ZmapError(
                "what was begun here is of another source, or of other options",
                shown,
                "leave --resume out to begin anew",
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
            if not os.path.lexists(partial):  # it is in its place, or was removed
                with contextlib.suppress(OSError):
                    os.unlink(path)


def _clear(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _lock(file: IO[str]) -> bool:
    """Lock the file until it is closed; False if another process has."""
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
