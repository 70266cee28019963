"""Parts of other systems, which replace the parts of Linux for one test.

Each function takes pytest's `monkeypatch`. Missing functions are removed, so that a use of them
fails.
"""

from __future__ import annotations

import builtins
import os
import shutil
import stat
import sys
import types
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ncz.zmap.journal
import ncz.zmap.local.content
import ncz.zmap.local.creation
import ncz.zmap.local.offset_reads
import ncz.zmap.local.portable_names
import ncz.zmap.local.zip
import ncz.zmap.reference.targets  # noqa: F401
from ncz.zmap.local import tree as anchored

Monkey = pytest.MonkeyPatch
Simulate = Callable[[Monkey, Path], None]
"""A function that simulates a part of a system for the files below a folder."""

_WITH_DESCRIPTORS = ("open", "stat", "mkdir", "unlink", "rmdir", "rename", "replace", "link")
_MISSING_ON_WINDOWS = (
    *("fchmod", "fchown", "chown", "geteuid", "getuid", "posix_fallocate", "copy_file_range"),
    "sched_getaffinity",
)


def no_fork(monkeypatch: Monkey, _: Path) -> None:
    """Do without forked processes, as on Windows; macOS has them, but its libraries do not."""
    monkeypatch.delattr(os, "fork")


def no_descriptors(monkeypatch: Monkey, _: Path) -> None:
    """Do without files that are opened from the descriptor of their folder."""
    monkeypatch.setattr(anchored, "IS_AVAILABLE", False)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    for name in _WITH_DESCRIPTORS:
        monkeypatch.setattr(os, name, _without_descriptors(getattr(os, name)))


def _without_descriptors(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if any(named.get(word) is not None for word in ("dir_fd", "src_dir_fd", "dst_dir_fd")):
            raise NotImplementedError("dir_fd is not available on this system")
        return function(*arguments, **named)

    return call


def no_locks(monkeypatch: Monkey, _: Path) -> None:
    """Do without locks of files, as on a network file system, or without fcntl and msvcrt."""
    monkeypatch.setitem(sys.modules, "fcntl", None)


def region_locks(monkeypatch: Monkey, _: Path) -> None:
    """Replace the locks of POSIX by the locks of Windows, which are on regions of open files."""
    no_locks(monkeypatch, _)
    locked: dict[tuple[int, int, int], int] = {}

    def identity(number: int) -> tuple[int, int] | None:
        try:
            status = os.fstat(number)
        except OSError:  # it was closed, which ends its locks
            return None
        return status.st_dev, status.st_ino

    def locking(number: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        here = identity(number)
        assert here is not None
        region = (*here, os.lseek(number, 0, os.SEEK_CUR))
        owner = locked.get(region)
        if owner is not None and owner != number and identity(owner) == here:
            raise PermissionError(13, "Permission denied")
        locked[region] = number

    msvcrt = types.ModuleType("msvcrt")
    msvcrt.locking = locking  # type: ignore[attr-defined]
    msvcrt.LK_NBLCK = 2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)


def folded_names(monkeypatch: Monkey, folder: Path) -> None:
    """Let names that differ in case only be the same below a folder, as on macOS and Windows."""
    no_descriptors(monkeypatch, folder)
    start = os.path.join(folder, "")
    lexists, listdir = os.lstat, os.listdir

    def is_there(path: str) -> bool:
        try:
            lexists(path)
        except OSError:
            return False
        return True

    def actual(path: Any) -> Any:
        """Return the path of the file with this name, or with an equivalent name."""
        if isinstance(path, int) or not os.path.abspath(os.fsdecode(path)).startswith(start):
            return path
        found = start.rstrip("/")
        for name in os.path.abspath(os.fsdecode(path))[len(start) :].split("/"):
            if not is_there(f"{found}/{name}") and os.path.isdir(found):
                others = [n for n in listdir(found) if _folded(n) == _folded(name)]
                name = others[0] if others else name
            found = f"{found}/{name}"
        return found

    def resolving(function: Callable[..., Any], paths: int) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            given = [actual(a) if i < paths else a for i, a in enumerate(arguments)]
            return function(*given, **named)

        return call

    for name in ("open", "mkdir", "stat", "lstat", "unlink", "rmdir", "scandir", "listdir"):
        monkeypatch.setattr(os, name, resolving(getattr(os, name), 1))
    for name in ("rename", "replace", "link"):
        monkeypatch.setattr(os, name, resolving(getattr(os, name), 2))
    monkeypatch.setattr(builtins, "open", resolving(builtins.open, 1))


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def busy_files(monkeypatch: Monkey, folder: Path) -> None:
    """Refuse to rename, replace or remove files that this process has open, as Windows does."""
    start = os.path.join(folder, "")

    def refuse(path: Any) -> None:
        text = os.path.abspath(os.fsdecode(path))
        for entry in os.listdir("/proc/self/fd"):
            try:
                place = os.readlink(f"/proc/self/fd/{entry}")
                is_file = stat.S_ISREG(os.fstat(int(entry)).st_mode)
            except OSError:
                continue
            if is_file and place.startswith(start) and (place == text or _is_below(place, text)):
                raise PermissionError(13, "The process cannot access the file", path)

    def checked(name: str, paths: int) -> None:
        function = getattr(os, name)

        def call(*arguments: Any, **named: Any) -> Any:
            if not named.keys() & {"dir_fd", "src_dir_fd", "dst_dir_fd"}:
                for path in arguments[:paths]:
                    refuse(path)
            return function(*arguments, **named)

        monkeypatch.setattr(os, name, call)

    for name, paths in (("rename", 2), ("replace", 2), ("unlink", 1), ("remove", 1)):
        checked(name, paths)


def _is_below(place: str, path: str) -> bool:
    return place.startswith(os.path.join(path, ""))


def windows(monkeypatch: Monkey, folder: Path) -> None:
    """Simulate all that Windows lacks and does otherwise, except for the form of its paths."""
    no_fork(monkeypatch, folder)
    folded_names(monkeypatch, folder)
    region_locks(monkeypatch, folder)
    busy_files(monkeypatch, folder)
    for name in _MISSING_ON_WINDOWS:
        monkeypatch.delattr(os, name, raising=False)
    for constant, value in (("HAS_PREAD", False), ("IS_WINDOWS", True), ("CAN_LOOK", False)):
        for name, module in list(sys.modules.items()):
            if name.startswith("ncz.") and constant in vars(module):
                monkeypatch.setattr(module, constant, value)


SYSTEMS: dict[str, Simulate] = {
    "no fork": no_fork,
    "no descriptors": no_descriptors,
    "no locks": no_locks,
    "folded names": folded_names,
    "busy files": busy_files,
    "windows": windows,
}
"""The simulated systems, by the names of tests."""
