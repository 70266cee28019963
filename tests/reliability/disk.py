"""A file system that fails: operations below a folder are counted, and one of them goes wrong."""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from typing import Any

ERRORS = {
    "error": errno.EIO,
    "full": errno.ENOSPC,
    "denied": errno.EACCES,
    "read-only": errno.EROFS,
}
"""Faults that raise an error, and its number."""

LASTING = ("full", "read-only")
"""Faults that concern every operation that writes, from then on."""

FAULTS = (*ERRORS, "short", "removed")
"""Faults of a target: the errors; a call that transfers fewer bytes than it was given; and a folder
of the unfinished store that someone removes."""

CHANGES = ("changed", "rewritten")
"""Changes of a source: another gets its place, or its files are written again in place."""

INTERRUPT, TERMINATE, KILL = "interrupt", "terminate", "kill"
"""Faults that are not of a disk: a signal during the operation."""

_SENT = {INTERRUPT: "SIGINT", TERMINATE: "SIGTERM", KILL: "SIGKILL"}

WRITING = ("write", "mkdir", "rename", "replace", "copy_file_range", "create")
READING = ("open", "read", "pread", "scandir", "listdir", "lstat")
REMOVING = ("unlink", "rmdir")


class Disk:
    """Counts the operations below a folder; the one with the number `at` goes wrong.

    Attributes
    ----------
    operations
        The names of the operations so far.
    hit
        The name of the one that went wrong.
    change
        Changes the source.
    """

    def __init__(
        self,
        folder: str,
        at: int = 0,
        fault: str = "error",
        change: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder = os.path.join(folder, "")
        self.at = at
        self.fault = fault
        self.operations: list[str] = []
        self.hit: str | None = None
        self._change = change
        self._ours: set[int] = set()

    def concerns(self, path: object, dir_fd: int | None = None) -> bool:
        """Return whether a path or a descriptor is of something at or below the folder."""
        if isinstance(path, int):
            return path in self._ours
        if dir_fd in self._ours:
            return True
        try:
            text = os.fsdecode(path)  # type: ignore[arg-type]
        except TypeError:
            return False
        return dir_fd is None and os.path.join(os.path.abspath(text), "").startswith(self.folder)

    def tick(self, name: str, path: object) -> bool:
        """Count an operation; raise if it fails, or return True if it writes only a part."""
        self.operations.append(name)
        number = len(self.operations)
        lasts = self.fault in LASTING and self.at and number > self.at
        if not (number == self.at or (lasts and name in WRITING)):
            return False
        self.hit = self.hit or name
        if self.fault == "short":
            return True
        if self.fault in _SENT:
            signal.raise_signal(getattr(signal, _SENT[self.fault]))
            return False
        if self.fault in CHANGES:
            self.at = 0
            self._change()
            return False
        if self.fault == "removed":
            self.at = 0  # removing the folder is not counted
            with contextlib.suppress(OSError):
                for each in os.listdir(self.folder):
                    if each.startswith(".ncz-") and each.endswith(".partial"):
                        _remove(self.folder + each)
            return False
        if self.fault in LASTING and name not in WRITING:
            self.hit = None
            return False
        code = ERRORS[self.fault]
        raise OSError(code, os.strerror(code), path if isinstance(path, (str, bytes)) else None)


def _remove(path: str) -> None:
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


class _File(io.FileIO):
    disk: Disk

    def write(self, data: Any) -> int:
        if self.disk.tick("write", self.name) and len(data) > 1:
            data = memoryview(data)[: len(data) // 2]
        return super().write(data)

    def read(self, size: int | None = -1, /) -> bytes:
        if self.disk.tick("read", self.name) and size and size > 1:
            size //= 2
        return super().read(-1 if size is None else size)

    def readinto(self, buffer: Any) -> int:
        if self.disk.tick("read", self.name) and len(buffer) > 1:
            buffer = memoryview(buffer)[: len(buffer) // 2]
        return super().readinto(buffer)


@contextlib.contextmanager
def failing(disk: Disk) -> Iterator[Disk]:
    """Let the functions of the operating system fail as `disk` says, for the block."""
    kept: list[tuple[object, str, Any]] = []

    def replace(owner: object, name: str, function: Callable[..., Any]) -> None:
        kept.append((owner, name, getattr(owner, name)))
        setattr(owner, name, function)

    def watched(name: str) -> None:
        real = getattr(os, name)

        def call(path: Any, *arguments: Any, **named: Any) -> Any:
            if disk.concerns(path, named.get("dir_fd", named.get("src_dir_fd"))):
                disk.tick(name, path)
            return real(path, *arguments, **named)

        replace(os, name, call)

    for name in ("mkdir", "rename", "replace", "unlink", "rmdir", "scandir", "listdir"):
        if hasattr(os, name):
            watched(name)
    real_open, real_close = os.open, os.close

    def os_open(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        is_ours = disk.concerns(path, named.get("dir_fd"))
        if is_ours:
            disk.tick("create" if flags & os.O_CREAT else "open", path)
        number = real_open(path, flags, *arguments, **named)
        if is_ours:
            disk._ours.add(number)
        return number

    def os_close(number: int) -> None:
        disk._ours.discard(number)
        real_close(number)

    def transfer(name: str, size_at: int) -> None:
        real = getattr(os, name, None)
        if real is None:
            return

        def call(number: int, *arguments: Any) -> Any:
            if disk.concerns(number) or (name == "copy_file_range"):
                given = list(arguments)
                if disk.tick(name, None) and given[size_at] > 1:
                    given[size_at] //= 2
                return real(number, *given)
            return real(number, *arguments)

        replace(os, name, call)

    transfer("read", 0)
    transfer("pread", 0)
    written = os.write

    def os_write(number: int, data: Any) -> int:
        if disk.concerns(number) and disk.tick("write", None) and len(data) > 1:
            data = memoryview(data)[: len(data) // 2]
        return written(number, data)

    replace(os, "write", os_write)
    transfer("copy_file_range", 1)
    replace(os, "open", os_open)
    replace(os, "close", os_close)
    plain = builtins.open
    files = type("File", (_File,), {"disk": disk})

    def opened(path: Any, mode: str = "r", buffering: int = -1, *rest: Any, **named: Any) -> Any:
        if "b" not in mode or isinstance(path, int) or not disk.concerns(path):
            return plain(path, mode, buffering, *rest, **named)
        disk.tick("open" if mode == "rb" else "create", path)
        raw = files(path, mode.replace("b", ""))
        if buffering == 0:
            return raw
        if "+" in mode:
            return io.BufferedRandom(raw)
        return io.BufferedReader(raw) if "r" in mode else io.BufferedWriter(raw)

    replace(builtins, "open", opened)
    try:
        yield disk
    finally:
        for owner, name, function in reversed(kept):
            setattr(owner, name, function)
