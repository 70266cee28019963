"""A zmap over a directory tree: a key is a relative path, an object is a regular file.

Reading follows symbolic links within the store, and with ``mode=follow-links`` all of them, because
people link chunks and variables from other places. A link to a folder that contains the link is not
followed. Only regular files are objects; pipes and devices are not. Names that are not UTF-8 are
kept with surrogate escapes.

Files are opened by `ncz.zmap.local.tree`, so that a link which someone plants meanwhile leads
nowhere. An object that changes while it is read is an error.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

from ncz.errors import ZmapError
from ncz.zmap import Zmap
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    ancestors,
    are_plain,
    check_inside,
    clamp,
    is_document,
    too_large,
)
from ncz.zmap.local.tree import (
    EMPTY,
    MAY_BE_LINK,
    READ,
    Entry,
    Listing,
    Version,
    list_folder,
    open_tree,
    stream_folder,
    version_of,
)

if TYPE_CHECKING:
    from ncz.zmap.byte_range import ByteRange
    from ncz.zmap.local.content import FileContent

_T = TypeVar("_T")

_MOST_PARTS = 1 << 16
"""The number of objects read in parts whose versions are remembered."""


class DirectoryZmap(Zmap):
    """A directory that can be read.

    Parameters
    ----------
    root
        The path of the directory.
    url
        The store's name in messages; `root` if it is left out.
    follow_links
        Whether links that lead out of the directory are followed; otherwise they are errors.
    """

    survives_fork = True
    holds_files = True

    def __init__(self, root: str, url: str | None = None, *, follow_links: bool = False) -> None:
        self._root = os.path.abspath(root)
        self._start = os.path.join(self._root, "")
        self.url = root if url is None else url
        self._closed = False
        self._tree = open_tree(self._root, follow=follow_links)
        self._follows = follow_links
        self._documents: dict[str, os.stat_result] = {}
        self._parts: dict[str, Version] = {}
        self._newest: int | None = None

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        # `open_object` is slower: a header takes thousands of reads, and a context costs time.
        number = self._open(key)
        if number is None:
            if self._newest is not None:
                self._refuse_if_removed(key)
            return None
        try:
            status = os.fstat(number)
            if not stat.S_ISREG(status.st_mode):
                return None
            if status.st_size > limit:
                raise too_large(self.where(key), limit)
            data = os.read(number, status.st_size + 1)
            if len(data) != status.st_size:  # the file has grown, or the read was short
                data += _read_at(number, len(data), limit + 1 - len(data))
            if len(data) > limit:
                raise too_large(self.where(key), limit)
            if self._newest is not None:
                self._refuse_if_newer(key, status)
            if is_document(key):  # `check_unchanged` looks at it again
                self._documents.setdefault(key, status)
            else:
                self._check_same(key, version_of(status), os.fstat(number))
            return data
        except ZmapError:
            raise
        except OSError as error:
            raise _storage_error(error, self.where(key), "read") from error
        finally:
            os.close(number)

    def get_many(self, keys: Sequence[str], limit: int) -> list[bytes | None]:
        """Read small files with five calls of the system for each; see `Zmap.get_many`.

        `get` handles unusual files.
        """
        if self._newest is not None or os.sep != "/" or not are_plain(keys):
            return super().get_many(keys, limit)
        self._refuse_closed()
        found: list[bytes | None] = []
        for key in keys:
            try:
                number = self._tree.open(key, READ)
            except OSError:
                found.append(self.get(key, limit))
                continue
            data = None
            try:
                status = os.fstat(number)
                if stat.S_ISREG(status.st_mode) and status.st_size <= limit:
                    data = os.read(number, status.st_size + 1)
                    after = os.fstat(number)
            except OSError:
                data = None
            finally:
                os.close(number)
            if data is None or len(data) != status.st_size:
                found.append(self.get(key, limit))
                continue
            if version_of(after) != version_of(status):
                raise _changed_object_error(self.where(key))
            found.append(data)
        return found

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        with self.open_object(key) as content:
            if content is None:
                return None
            status = os.fstat(content.number)
            self._refuse_if_newer(key, status)
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            self._check_same(key, self._parts.setdefault(key, version_of(status)), status)
            first, count = clamp(status.st_size, start, count)
            return _read_at(content.number, first, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        status = self._status(key)
        return status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None

    def place(self, key: str) -> ByteRange | None:
        """Return the file of an object; see `Zmap.place`."""
        from ncz.zmap.byte_range import ByteRange

        size = self.size(key)
        return None if size is None else ByteRange(self._start + key, 0, size)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        entries = self._scan(check_inside(prefix))
        return [entry.name for entry in entries if self._leads(entry, prefix)]

    def names(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`, including folders without any object."""
        entries = self._scan(check_inside(prefix))
        return [entry.name for entry in entries if not entry.is_link or self._leads(entry, prefix)]

    def is_folder(self, key: str) -> bool:
        """Return whether a folder is at `key`, empty or not."""
        status = self._status(key)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        return iter((prefix,)) if self._is_object(prefix) else self._below(prefix)

    def walk_unsorted(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk_unsorted`."""
        return iter((prefix,)) if self._is_object(prefix) else self._walk_below(prefix)

    def _is_object(self, key: str) -> bool:
        self._refuse_closed()
        return bool(check_inside(key)) and self.size(key) is not None

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the metadata that was read is no longer there."""
        try:
            self._tree.check_root()
        except OSError as error:
            raise _changed_object_error(self.url) from error
        for key, before in tuple(self._documents.items()):
            self._check_same(key, version_of(before), self._status(key))

    def refuse_newer(self) -> None:
        """Let reading raise `ZmapError` for later changes; see `Zmap.refuse_newer`."""
        self._newest = time.time_ns()

    def _refuse_if_newer(self, key: str, status: os.stat_result) -> None:
        # A program can set the time of the last change of the content, but not of the status.
        if self._newest is not None and status.st_ctime_ns > self._newest:
            raise _changed_object_error(self.where(key))

    def _refuse_if_removed(self, key: str) -> None:
        """Raise `ZmapError` if the folder of an object that is missing is newer than it may be."""
        for above in (*ancestors(key), ""):
            status = self._status(above) if above else os.stat(self._root)
            if status is not None:
                self._refuse_if_newer(key, status)
                return

    def close(self) -> None:
        """Close the store. Reading afterwards raises `ZmapError`."""
        self._closed = True
        self._tree.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ZmapError("the store is closed", location=self.url)

    def _check_key(self, key: str) -> str:
        """Return a key that the system can have; raise `ZmapError` for another."""
        self._refuse_closed()
        if os.sep != "/" and (os.sep in key or ":" in key):
            raise ZmapError(
                "a file name cannot contain this character on this system",
                location=self.where(key),
            )
        return key

    def _follow(self, use: Callable[[str], _T], key: str, action: str = "read") -> _T | None:
        """Call `use` with a key, or with the target of links; None if nothing is there."""
        try:
            try:
                return use(self._check_key(key))
            except OSError as error:
                if isinstance(error, ZmapError) or error.errno not in MAY_BE_LINK:
                    raise
                to = key if self._follows else resolve_key(self._root, key, self.where(key))
                if to == key:
                    raise
                return use(to)
        except ZmapError:
            raise
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise _storage_error(error, self.where(key), action) from error

    def _open(self, key: str) -> int | None:
        """Open an object for reading, unless a link on its path leads out of the store."""
        number = None
        try:
            return self._tree.open(self._check_key(check_inside(key)), READ)
        except FileNotFoundError:
            pass
        except ZmapError:
            raise
        except (OSError, ValueError):  # a link, or an error that occurs again
            number = self._follow(lambda key: self._tree.open(key, READ), key)
        if number is None and not is_document(key):
            try:
                self._tree.check_root()  # a chunk that is missing is read as the fill value
            except OSError as error:
                raise _changed_object_error(self.url) from error
        return number

    def _status(self, key: str) -> os.stat_result | None:
        """Return the status of the file at a key, after links; None if it does not exist."""
        try:
            found = self._tree.status(self._check_key(check_inside(key)))
            if not stat.S_ISLNK(found.st_mode):
                return found
        except FileNotFoundError:
            return None
        except ZmapError:
            raise
        except (OSError, ValueError):  # a link, or an error that occurs again
            pass
        return self._follow(self._unlinked_status, key)

    def _unlinked_status(self, key: str) -> os.stat_result:
        """Return the status of the file at a key; raise `OSError` if it is a link."""
        found = self._tree.status(key)
        if stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return found

    def _check_same(self, key: str, before: Version, after: os.stat_result | None) -> None:
        """Raise `ZmapError` if a file has changed."""
        if after is None or before != version_of(after):
            raise _changed_object_error(self.where(key))

    def open_object(self, key: str) -> AbstractContextManager[FileContent | None]:
        """Open an object as a file; the context's value is None without an object."""
        return _OpenObject(self, key)

    def _scan(self, key: str) -> Listing:
        """List a folder; nothing is in one that does not exist."""

        def scan(key: str) -> Listing:
            with self._tree.scan(key) as scanned:
                return list_folder(scanned)

        return self._follow(scan, key, "list") or EMPTY

    def _below(self, prefix: str, above: tuple[str, ...] = ()) -> Iterator[str]:
        """Walk with an explicit stack: a tree may be deeper than Python's recursion limit."""
        trail = [(prefix, iter(self._scan(prefix)))]
        while trail:
            at, entries = trail[-1]
            for name, kind, is_link in entries:
                key = f"{at}/{name}" if at else name
                if kind == "file":
                    yield key
                elif kind == "folder":
                    folders = (*above, *(folder for folder, _ in trail)) if is_link else ()
                    if not (is_link and _leads_back(key, folders, self._start)):
                        trail.append((key, iter(self._scan(key))))
                        break
            else:
                trail.pop()

    def _walk_below(self, prefix: str) -> Iterator[str]:
        """Walk one folder after the other, with none of the names of its files in memory."""
        from ncz.system_errors import storage_errors

        folders = [prefix]
        while folders:
            at = folders.pop()
            scan = self._follow(self._tree.scan, at, "list")
            if scan is None:
                continue
            with storage_errors(self.where(at), "list"), scan as scanned:
                for name, kind, is_link in stream_folder(scanned):
                    key = f"{at}/{name}" if at else name
                    if kind == "file":
                        yield key
                    elif kind == "folder":
                        above = (*ancestors(key), "") if is_link else ()
                        if not (is_link and _leads_back(key, above, self._start)):
                            folders.append(key)

    def _leads(self, entry: Entry, folder: str) -> bool:
        """Return whether an entry of `folder` is an object or contains one."""
        key = f"{folder}/{entry.name}" if folder else entry.name
        if entry.kind != "folder" or (entry.is_link and _leads_back(key, (folder,), self._start)):
            return entry.kind == "file"
        return next(self._below(key, (folder,)), None) is not None


class _OpenObject:
    """An open object: a context whose value is its content; None without an object.

    It is not a generator, because a copy of many chunks would take longer.
    """

    __slots__ = ("_key", "_number", "_status", "_zmap")

    def __init__(self, zmap: DirectoryZmap, key: str) -> None:
        self._zmap = zmap
        self._key = key
        self._number = -1
        self._status: os.stat_result | None = None

    def __enter__(self) -> FileContent | None:
        from ncz.zmap.local.content import FileContent

        number = self._zmap._open(self._key)
        if number is None:
            return None
        try:
            status = os.fstat(number)
        except OSError as error:
            os.close(number)
            raise _storage_error(error, self._zmap.where(self._key), "read") from error
        self._number = number
        if not stat.S_ISREG(status.st_mode):
            return None
        self._status = status
        return FileContent(number, status.st_size)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._number < 0:
            return
        try:
            if error is None and self._status is not None:
                after = os.fstat(self._number)
                self._zmap._check_same(self._key, version_of(self._status), after)
        except ZmapError:  # the object has changed
            raise
        except OSError as failure:
            error = failure
        finally:
            os.close(self._number)
        if isinstance(error, OSError) and not isinstance(error, ZmapError):
            raise _storage_error(error, self._zmap.where(self._key), "read") from error


def _leads_back(key: str, folders: Iterable[str], start: str) -> bool:
    """Return whether the link at a key points to one of `folders` or to a parent of one.

    All are below the path `start`, which has a slash at its end.
    """
    target, *above = (os.path.join(os.path.realpath(start + at), "") for at in (key, *folders))
    return any(folder.startswith(target) for folder in above)


def _read_at(number: int, start: int, count: int) -> bytes:
    """Read bytes of an open file at an offset, or fewer at its end."""
    from ncz.zmap.local.offset_reads import read_at

    return read_at(number, start, count)


def resolve_key(root: str, key: str, location: str) -> str:
    """Return the key that links lead to from `key`; it has no links, unless they change.

    `root` is the absolute path of the directory, which may itself be a link. Raises `ZmapError`,
    with `location`, if the links lead out of the directory: a store from someone else may contain a
    link to any file of its reader, whose content would be printed or copied as data.
    """
    inside = os.path.realpath(root)
    target = os.path.realpath(os.path.join(root, key))
    if target == inside:
        return ""
    start = os.path.join(inside, "")
    if not target.startswith(start):
        raise ZmapError(
            "a symbolic link leads out of the store",
            location,
            "add #mode=follow-links to the path if you trust the store",
        )
    return target[len(start) :].replace(os.sep, "/")


def _storage_error(error: OSError | ValueError, location: str, action: str) -> ZmapError:
    from ncz.system_errors import storage_error

    return storage_error(error, location, action)


def _changed_object_error(location: str) -> ZmapError:
    from ncz.system_errors import changed_object_error

    return changed_object_error(location)
