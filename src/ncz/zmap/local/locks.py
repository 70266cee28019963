"""Locks on files and folders, and the names under which stores and objects are built.

A lock ends with the process that holds it, so that nothing stays locked after it was killed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import unicodedata
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ncz.errors import ZmapError
from ncz.zmap.key import display
from ncz.zmap.local.tree import NO_FOLLOW


@contextlib.contextmanager
def held(path: str) -> Iterator[bool]:
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
"""The place in a file that stands for all of it, on systems that lock regions. No file is so long:
what is locked cannot be read by others."""


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


# The names under which local stores and objects are built, before they get their own.

PARTIAL, CLAIM, ASIDE = ".partial", ".claim", ".old"
"""The ends of the names of an unfinished store or object, of the file that claims a target, and of
the old store while the new one gets its place."""


_numbers = itertools.count()


def _start_numbers() -> None:
    """Count from a random number, so that two processes seldom have the same name in mind."""
    global _numbers
    _numbers = itertools.count(int.from_bytes(os.urandom(4), "big"))


_start_numbers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_numbers)


def partial_name() -> str:
    """Return a new name for an unfinished file, which no reader takes for a store or an array."""
    return f".ncz-{next(_numbers) & 0xFFFFFFFF:08x}{PARTIAL}"


def name_start(target: str) -> str:
    """Return how all names begin that belong to the target at a path."""
    import hashlib  # directories are read without it

    name = os.fsencode(os.path.basename(target))
    return f".ncz-{hashlib.sha256(name).hexdigest()[:16]}"


def claimed_name(target: str) -> str:
    """Return the name under which a claimed `target` is built."""
    return name_start(target) + PARTIAL


def unclaimed_name(target: str, end: str = PARTIAL) -> str:
    """Return a new name for what belongs to the `target` of this process alone."""
    return f"{name_start(target)}-{os.urandom(4).hex()}{end}"


def placement_journal(target: str) -> str:
    """Return the path of the journal of a master and its pieces that are being replaced."""
    return os.path.join(os.path.dirname(target), f"{name_start(target)}.pieces")


# Names that some file systems change or refuse, so that two keys would become one file.
#
# On Windows a name cannot hold some characters, is cut at its end, or means a device. There, and on
# macOS by default, names that differ in case only are the same.
#
# Source: Microsoft's document "Naming Files, Paths, and Namespaces".

IS_WINDOWS = os.name == "nt"

_FORBIDDEN = frozenset('<>:"\\|?*') | {chr(code) for code in range(32)}
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"}
)
_HINT = "rename it, or write a zip file, which can hold every name"


def windows_fault(name: str) -> str | None:
    """Return why a file on Windows cannot have a name; None if it can."""
    forbidden = next((c for c in name if c in _FORBIDDEN), None)
    if forbidden is not None:
        return f"a name on Windows cannot contain {forbidden!r}"
    if name.endswith((".", " ")):
        return f"Windows removes {name[-1]!r} from the end of a name"
    if name.partition(".")[0].rstrip().lower() in _DEVICES:
        return "Windows reserves the name for a device"
    return None


class FolderNames:
    """The folders of a new directory store, none of which may be another one on the disk.

    Parameters
    ----------
    url
        The store's name in messages.
    folds
        Whether names that differ in case only are the same.
    """

    def __init__(self, url: str, *, folds: bool) -> None:
        self._url = url
        self._folds = folds
        self._known: dict[str, str] = {}

    def add(self, folder: str) -> None:
        """Raise `ZmapError` if a folder, or one above it, cannot have its name here."""
        if not (self._folds or IS_WINDOWS):
            return
        name = folder.rpartition("/")[2]
        fault = windows_fault(name) if IS_WINDOWS else None
        if fault is not None:
            raise ZmapError(f"{display(folder)}: {fault}", self._url, _HINT)
        known = self._known.setdefault(_folded(folder), folder) if self._folds else folder
        if known != folder:
            raise ZmapError(
                f"{display(known)} and {display(folder)} would be the same folder, because this"
                " file system does not distinguish upper and lower case",
                self._url,
                _HINT,
            )


def folds_case(path: str) -> bool:
    """Return whether the file system of an existing file or folder ignores the case of its name."""
    folder, name = os.path.split(path)
    return os.path.lexists(os.path.join(folder, name.upper()))


def _folded(key: str) -> str:
    return unicodedata.normalize("NFC", key).casefold()
