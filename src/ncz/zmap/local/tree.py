"""The files below a folder, by keys relative to it, opened so that no link can be planted.

`AnchoredTree` opens one folder after the other and follows no link, even if others change folders
meanwhile; `PathTree` uses whole paths, if links must be followed or the system requires it.

May import: errors. Entry point: `open_tree`.
"""

from __future__ import annotations

import errno
import itertools
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import repeat
from typing import Literal, NamedTuple

NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
"""The flag that makes opening a symbolic link fail; 0 on systems without it."""

READ: int = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
READ |= getattr(os, "O_NONBLOCK", 0)
"""The flags for reading a file; opening a pipe does not block."""

MAY_BE_LINK = (errno.ELOOP, errno.ENOTDIR, getattr(errno, "EMLINK", errno.ELOOP))
"""Errors that systems raise if a link is met where none is followed."""


class Entry(NamedTuple):
    """An entry of a folder; `kind` describes the target of a link, and is "" for others."""

    name: str
    kind: Literal["file", "folder", ""]
    is_link: bool


Version = tuple[int, int, int]


def version_of(status: os.stat_result) -> Version:
    """Return the identity of a file, which changes when the file is replaced or written to."""
    return status.st_ino, status.st_mtime_ns, status.st_size


class Listing:
    """The contents of a folder, sorted by the bytes of the names.

    Of files, which a folder may have by the million, it contains the names only.
    """

    __slots__ = ("_names", "_others")

    def __init__(self, names: list[str], others: dict[str, Entry]) -> None:
        self._names = names
        self._others = others

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Entry]:
        # Without a call of Python for each file, because there may be millions.
        files = map(partial(tuple.__new__, Entry), zip(self._names, repeat("file"), repeat(False)))
        if not self._others:
            return files
        return (self._others.get(entry.name, entry) for entry in files)


EMPTY = Listing([], {})
"""The contents of a folder that does not exist."""


def list_folder(scanned: Iterable[os.DirEntry[str]]) -> Listing:
    """Return the contents of a folder, sorted."""
    names: list[str] = []
    others: dict[str, Entry] = {}
    for entry in scanned:
        names.append(entry.name)
        if not entry.is_file(follow_symlinks=False):
            others[entry.name] = _other(entry)
    # Names in ASCII sort as their bytes do.
    names.sort(key=None if all(map(str.isascii, names)) else os.fsencode)
    return Listing(names, others)


def stream_folder(scanned: Iterable[os.DirEntry[str]]) -> Iterator[Entry]:
    """Yield the entries of a folder, in any order, without keeping them in memory."""
    for entry in scanned:
        if entry.is_file(follow_symlinks=False):
            yield tuple.__new__(Entry, (entry.name, "file", False))  # the quickest way
        else:
            yield _other(entry)


def _other(entry: os.DirEntry[str]) -> Entry:
    """Return the kind of an entry that is not a file; only links need another system call."""
    is_link = entry.is_symlink()
    try:
        if entry.is_file():
            return Entry(entry.name, "file", is_link)
        return Entry(entry.name, "folder" if entry.is_dir() else "", is_link)
    except OSError:
        if is_link:  # it is broken or circular
            return Entry(entry.name, "", True)
        raise


_CLOSED = getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_LIST = os.O_RDONLY | _DIRECTORY | _CLOSED
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY | _CLOSED
"""The flags that open a folder with known names: with O_PATH it need not be readable."""

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | _CLOSED
_MOST_OPEN = 64

IS_AVAILABLE = bool(
    NO_FOLLOW
    and _DIRECTORY
    and {os.open, os.stat, os.mkdir, os.unlink, os.rmdir, os.rename, os.link} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
)
"""Whether this system can do it."""


class _Folder:
    """An open folder, closed when nothing refers to it: other threads may still be using it."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)


class FolderScan:
    """The entries of an open folder, as a context that closes the folder.

    It is not a generator, because a walk through many folders would take longer.
    """

    __slots__ = ("_entries", "_number")

    def __init__(self, number: int) -> None:
        self._number = number
        try:
            self._entries = os.scandir(number)
        except BaseException:
            os.close(number)
            raise

    def __enter__(self) -> Iterable[os.DirEntry[str]]:
        return self._entries

    def __exit__(self, *exc_info: object) -> None:
        self._entries.close()
        os.close(self._number)  # not before: the entries look up links in the folder


_open: dict[tuple[int, str], _Folder] = {}
"""The open folders of all trees, by tree and key: a process may have few, and many stores."""

_trees = itertools.count()


class AnchoredTree:
    """The files below the folder at `root`, opened from the descriptors of their folders.

    Each folder on the way is opened from the one above it without following links. The opened file
    is therefore below the root, which may itself be a link, even if someone replaces a folder by a
    link at that moment.

    Every method raises `OSError`, as the system does; one that meets a link, an error of
    `MAY_BE_LINK`.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._number = next(_trees)
        self._identity: tuple[int, int] | None = None

    def open(self, key: str, flags: int) -> int:
        """Open a file; return its descriptor."""
        folder, name = self._above(key)
        return os.open(name, flags | NO_FOLLOW, dir_fd=folder.number)

    def status(self, key: str) -> os.stat_result:
        """Return the status of a file, a folder or a link itself."""
        folder, name = self._above(key)
        return os.stat(name or ".", dir_fd=folder.number, follow_symlinks=False)

    def scan(self, key: str) -> FolderScan:
        """Open a folder for `list_folder` or `stream_folder` until the context ends."""
        if not key or (self._number, key) in _open:
            return FolderScan(os.open(".", _LIST, dir_fd=self._folder(key).number))
        folder, name = self._above(key)
        return FolderScan(os.open(name, _LIST | NO_FOLLOW, dir_fd=folder.number))

    def check_root(self) -> None:
        """Raise `OSError` if another folder has taken the place of the root."""
        if self._identity is not None and _identity(os.stat(self._root)) != self._identity:
            raise _changed_file(self._root)

    def make_folder(self, key: str) -> None:
        """Create a folder and those above it, unless they exist."""
        if not key:
            self._folder(key)
            return
        try:
            folder, name = self._above(key)
        except FileNotFoundError:
            self.make_folder(key.rpartition("/")[0])
            folder, name = self._above(key)
        try:
            os.mkdir(name, dir_fd=folder.number)
        except FileExistsError:
            self._folder(key)  # it may be a link

    def create(self, key: str) -> int:
        """Create a file that does not exist, and open it for writing."""
        folder, name = self._above(key)
        return os.open(name, _CREATE, 0o666, dir_fd=folder.number)

    def link(self, path: str, key: str) -> None:
        """Give a file a second name, which does not exist."""
        folder, name = self._above(key)
        os.link(path, name, dst_dir_fd=folder.number)

    def replace(self, key: str, to: str) -> None:
        """Rename a file within a folder, replacing a file of the new name."""
        folder, name = self._above(key)
        new = to.rpartition("/")[2]
        os.replace(name, new, src_dir_fd=folder.number, dst_dir_fd=folder.number)

    def unlink(self, key: str) -> None:
        """Remove a file or a link."""
        folder, name = self._above(key)
        os.unlink(name, dir_fd=folder.number)

    def rmdir(self, key: str) -> None:
        """Remove an empty folder."""
        folder, name = self._above(key)
        os.rmdir(name, dir_fd=folder.number)
        _open.pop((self._number, key), None)

    def close(self) -> None:
        """Close the folders."""
        for each in list(_open):
            if each[0] == self._number:
                _open.pop(each, None)

    def _above(self, key: str) -> tuple[_Folder, str]:
        """Return the open folder of a file, and the file's name in it."""
        above, _, name = key.rpartition("/")
        return self._folder(above), name

    def _folder(self, key: str) -> _Folder:
        """Return an open folder; the caller's name for it keeps it open."""
        folder = _open.get((self._number, key))
        if folder is not None:
            return folder
        above, _, name = key.rpartition("/")
        folder = _open.get((self._number, above)) if name else None
        if folder is not None:
            return self._remember(key, _below(folder, name))
        names = []
        at = key
        while at and (folder := _open.get((self._number, at))) is None:
            at, _, name = at.rpartition("/")
            names.append(name)
        if folder is None:
            folder = _open.get((self._number, "")) or self._remember("", self._opened_root())
        for name in reversed(names):
            at = f"{at}/{name}" if at else name
            folder = self._remember(at, _below(folder, name))
        return folder

    def _remember(self, key: str, folder: _Folder) -> _Folder:
        if len(_open) >= _MOST_OPEN:
            _open.clear()
        _open[self._number, key] = folder
        return folder

    def _opened_root(self) -> _Folder:
        folder = _Folder(os.open(self._root, _PASS))
        identity = _identity(os.fstat(folder.number))
        if self._identity not in (None, identity):
            raise _changed_file(self._root)
        self._identity = identity
        return folder


def _below(folder: _Folder, name: str) -> _Folder:
    return _Folder(os.open(name, _PASS | NO_FOLLOW, dir_fd=folder.number))


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


_CREATE_BY_PATH = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL
    | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | NO_FOLLOW
)  # fmt: skip


class PathTree:
    """The files below the folder at `root`; `follow` says whether links in it are followed.

    They are opened by their whole paths. This is for stores whose links the user wants to be
    followed, and for systems that cannot open a file from the descriptor of its folder. On these
    systems, paths are checked for links before use, so that no link is followed unless someone
    plants it at that moment. It has the methods of `AnchoredTree`.
    """

    def __init__(self, root: str, *, follow: bool = False) -> None:
        self._start = os.path.join(root, "")
        self._follow = follow
        self._checked = {""}

    def open(self, key: str, flags: int) -> int:
        """Open a file; see `AnchoredTree.open`."""
        self._refuse_link(key)
        return os.open(self._start + key, flags)

    def status(self, key: str) -> os.stat_result:
        """Return the status of a file, a folder or a link itself."""
        self._refuse_folder(key.rpartition("/")[0])
        path = self._start + key
        return os.stat(path) if self._follow else os.lstat(path)

    def scan(self, key: str) -> AbstractContextManager[Iterable[os.DirEntry[str]]]:
        """Open a folder, and list it; see `AnchoredTree.scan`."""
        self._refuse_folder(key)
        return os.scandir(self._start + key)

    def check_root(self) -> None:
        """Do nothing: a path leads to its current folder."""

    def make_folder(self, key: str) -> None:
        """Create a folder and those above it, unless they exist."""
        self._refuse_folder(key)
        os.makedirs(self._start + key, exist_ok=True)

    def create(self, key: str) -> int:
        """Create a file; see `AnchoredTree.create`."""
        self._refuse_folder(key.rpartition("/")[0])
        return os.open(self._start + key, _CREATE_BY_PATH, 0o666)

    def link(self, path: str, key: str) -> None:
        """Give a file a second name, which does not exist."""
        self._refuse_folder(key.rpartition("/")[0])
        os.link(path, self._start + key)

    def replace(self, key: str, to: str) -> None:
        """Rename a file; see `AnchoredTree.replace`."""
        os.replace(self._start + key, self._start + to)

    def unlink(self, key: str) -> None:
        """Remove a file or a link."""
        self._refuse_folder(key.rpartition("/")[0])
        os.unlink(self._start + key)

    def rmdir(self, key: str) -> None:
        """Remove an empty folder."""
        self._checked.discard(key)
        os.rmdir(self._start + key)

    def close(self) -> None:
        """Do nothing: no folder is open."""

    def _refuse_folder(self, key: str) -> None:
        """Raise `OSError` if a folder or one above it is a link."""
        if key in self._checked or self._follow:
            return
        self._refuse_folder(key.rpartition("/")[0])
        self._refuse_link(key)
        self._checked.add(key)

    def _refuse_link(self, key: str) -> None:
        if self._follow:
            return
        if "/" in key:
            self._refuse_folder(key.rpartition("/")[0])
        try:
            is_link = stat.S_ISLNK(os.lstat(self._start + key).st_mode)
        except OSError:
            return  # using it reports the error
        if is_link and key:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), self._start + key)


Tree = AnchoredTree | PathTree
"""The files below a folder."""


def open_tree(root: str, *, follow: bool = False) -> Tree:
    """Return the files below the folder at `root`, which need not exist yet.

    Parameters
    ----------
    root
        The absolute path of the folder, which may itself be a link.
    follow
        Whether links in it are followed.
    """
    if IS_AVAILABLE and not follow:
        return AnchoredTree(root)
    return PathTree(root, follow=follow)


def _changed_file(path: str) -> OSError:
    from ncz.system_errors import changed_file

    return changed_file(path)
