"""A zmap over a directory tree: a key is a relative path, an object is a regular file.

Reading follows symbolic links within the store, and with ``mode=follow-links`` all of them, because
people link chunks and variables from other places. A link to a folder that contains the link is not
followed. Nothing is written or deleted through a link. Only regular files are objects; pipes and
devices are not. Names that are not UTF-8 are kept with surrogate escapes. Nothing is synced to the
disk: a power failure may lose recent writes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from array import array
from collections.abc import Callable, Iterable, Iterator
from io import RawIOBase
from typing import TYPE_CHECKING

from ncz.errors import ZmapError
from ncz.record import replace
from ncz.zmap import Check, FileZmap
from ncz.zmap.key import ancestors, check_inside, check_key, clamp, display
from ncz.zmap.limits import LARGEST_DOCUMENT, too_large
from ncz.zmap.local.links import NO_FOLLOW, LinkCheck
from ncz.zmap.location import Location
from ncz.zmap.os_errors import storage_error

if TYPE_CHECKING:
    from ncz.zmap.byte_range import ByteRange

_BLOCK = 1 << 30  # bytes that the system copies with one call
_PIECE = 1 << 20  # bytes that are read and written at once
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_IS_LINK = (errno.ELOOP, getattr(errno, "EMLINK", 0))
"""What systems raise when a link is opened with `NO_FOLLOW`."""
_READ |= getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not block


class DirectoryZmap:
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

    def __init__(self, root: str, url: str | None = None, *, follow_links: bool = False) -> None:
        self._root = os.path.abspath(root)
        self._links = LinkCheck(self._root, follow_links)
        self._start = os.path.join(self._root, "")
        self._url = root if url is None else url
        self._closed = False

    @property
    def url(self) -> str:
        """The store's path or URL, as messages show it."""
        return self._url

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        # Not with `opened`: a header takes thousands of reads, and a context manager costs time.
        try:
            number = self._open(key)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ZmapError:
            raise
        except (OSError, ValueError) as error:
            raise storage_error(error, self._where(key), "read") from error
        try:
            status = os.fstat(number)
            if not stat.S_ISREG(status.st_mode):
                return None
            if status.st_size > limit:
                raise too_large(self._where(key), limit)
            data = os.read(number, status.st_size + 1)
            if len(data) == status.st_size:
                return data
            with open(number, "rb", buffering=0, closefd=False) as file:
                # The file has grown, or the read was short.
                data += _read_all(file, limit + 1 - len(data))
            if len(data) > limit:
                raise too_large(self._where(key), limit)
            return data
        except ZmapError:
            raise
        except OSError as error:
            raise storage_error(error, self._where(key), "read") from error
        finally:
            os.close(number)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        with self.opened(key) as file:
            if file is None:
                return None
            first, count = clamp(os.fstat(file.fileno()).st_size, start, count)
            file.seek(first)
            return _read_all(file, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        path = self._path(check_inside(key))
        self._links.check_folder(os.path.dirname(path), self._where(key))
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                self._check_file(path, key)
                status = os.stat(path)
        except ZmapError:
            raise
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise storage_error(error, self._where(key), "read") from error
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def place(self, key: str) -> ByteRange | None:
        """Return the file of an object; see `PlacedZmap`."""
        from ncz.zmap.byte_range import ByteRange  # a header does not need it

        size = self.size(key)
        return None if size is None else ByteRange(self._path(key), 0, size)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        folder = self._path(check_inside(prefix))
        return [entry.name for entry in self._scan(folder) if self._leads(entry, folder)]

    def names(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`, including folders without any object.

        This is faster than `search`, which looks into each folder.
        """
        folder = self._path(check_inside(prefix))
        return [
            entry.name
            for entry in self._scan(folder)
            if not entry.is_symlink() or self._leads(entry, folder)
        ]

    def is_folder(self, key: str) -> bool:
        """Return whether a folder is at `key`, empty or not."""
        return os.path.isdir(self._path(check_inside(key)))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        top = self._path(check_inside(prefix))
        if prefix and self.size(prefix) is not None:
            return iter((prefix,))
        return self._below(top, prefix)

    def close(self) -> None:
        """Close the store. Reading afterwards raises `ZmapError`."""
        self._closed = True

    def _where(self, key: str) -> str:
        return f"{self._url}: {display(key)}"

    def _path(self, key: str) -> str:
        if self._closed:
            raise ZmapError("the store is closed", location=self._url)
        if os.sep != "/" and (os.sep in key or ":" in key):
            raise ZmapError(
                "a file name cannot contain this character on this system",
                location=self._where(key),
            )
        return self._start + key if key else self._root

    def _open(self, key: str) -> int:
        """Open an object for reading, unless a link on its path leads out of the store."""
        path = self._path(check_inside(key))
        self._links.check_folder(os.path.dirname(path), self._where(key))
        if self._links.follow or not NO_FOLLOW:
            self._check_file(path, key)
            return os.open(path, _READ)
        try:
            return os.open(path, _READ | NO_FOLLOW)
        except OSError as error:
            if error.errno not in _IS_LINK:
                raise
        self._check_file(path, key)
        return os.open(path, _READ)

    def _check_file(self, path: str, key: str) -> None:
        if os.path.islink(path):
            self._links.check_link(path, self._where(key))

    @contextlib.contextmanager
    def opened(self, key: str) -> Iterator[RawIOBase | None]:
        """Open an object as an unbuffered file; the context's value is None without an object."""
        try:
            number = self._open(key)
        except (FileNotFoundError, NotADirectoryError):
            yield None
            return
        except ZmapError:
            raise
        except (OSError, ValueError) as error:
            raise storage_error(error, self._where(key), "read") from error
        try:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                yield None
                return
            with open(number, "rb", buffering=0, closefd=False) as file:
                yield file
        except ZmapError:
            raise
        except OSError as error:
            raise storage_error(error, self._where(key), "read") from error
        finally:
            os.close(number)

    def _scan(self, folder: str) -> list[os.DirEntry[str]]:
        if self._closed:
            raise ZmapError("the store is closed", location=self._url)
        self._links.check_folder(folder, folder)
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise storage_error(error, folder, "list") from error

    def _below(self, top: str, prefix: str, above: tuple[str, ...] = ()) -> Iterator[str]:
        """Walk with an explicit stack: a tree may be deeper than Python's recursion limit."""
        trail = [(top, prefix, iter(self._scan(top)))]
        while trail:
            _, at, entries = trail[-1]
            for entry in entries:
                key = f"{at}/{entry.name}" if at else entry.name
                kind = self._kind(entry)
                if kind == "file":
                    yield key
                elif kind == "folder":
                    folders = (*above, *(folder for folder, _, _ in trail))
                    if not (entry.is_symlink() and _leads_back(entry.path, folders)):
                        trail.append((entry.path, key, iter(self._scan(entry.path))))
                        break
            else:
                trail.pop()

    def _leads(self, entry: os.DirEntry[str], folder: str) -> bool:
        """Return whether an entry of `folder` is an object or contains one."""
        kind = self._kind(entry)
        if kind != "folder" or (entry.is_symlink() and _leads_back(entry.path, (folder,))):
            return kind == "file"
        return next(self._below(entry.path, "", (folder,)), None) is not None

    def _kind(self, entry: os.DirEntry[str]) -> str:
        try:  # neither needs a stat call, except for symbolic links
            if entry.is_file():
                return "file"
            return "folder" if entry.is_dir() else ""
        except OSError as error:
            if entry.is_symlink():  # a broken or circular link
                return ""
            raise storage_error(error, entry.path, "list") from error


class WritableDirectoryZmap(DirectoryZmap):
    """A directory that can be read and written; many threads may put objects.

    Parameters
    ----------
    root
        The path of the directory.
    url
        The store's name in messages; `root` if it is left out.
    building
        Whether the directory is temporary, so that no other process reads it. Objects are then
        written directly; otherwise each object is written to a temporary file, which is renamed.
    """

    def __init__(self, root: str, url: str | None = None, *, building: bool = False) -> None:
        super().__init__(root, url)
        self._building = building
        self._made = {self._root}
        self._manifest = array("q")  # hashes of the keys that were put
        self._deleted: set[int] = set()

    def location_for_others(self, location: Location) -> Location:
        """Return where other processes open the store; see `SharedZmap`."""
        return replace(location, kind="directory", path=self._root)

    def adopt(self, keys: Iterable[str]) -> None:
        """Expect these objects, which another process wrote, in `check_complete`."""
        for key in keys:
            self._note(key)

    def _note(self, key: str) -> None:
        self._manifest.append(hash(key))
        self._deleted.discard(hash(key))

    def check_complete(self) -> None:
        """Raise `ZmapError` if an object that was put no longer exists."""
        missing = set(self._manifest) - self._deleted
        count = len(missing)
        for key in self.walk():
            missing.discard(hash(key))
        if missing:
            raise ZmapError(
                f"{len(missing)} of {count} objects were removed while the store was written",
                self._url,
                "make sure that nothing else changes the folder, and start again",
            )

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object; see `WritableZmap.put`."""
        self._write(key, lambda file: _write_all(file, value))

    def put_from(
        self, key: str, source: FileZmap, at: str, check: Check | None = None
    ) -> int | None:
        """Copy the object `at` of `source` to `key`, in constant memory; see `WritableFileZmap`."""
        from ncz.zmap.local.content import FileContent

        with source.opened(at) as file:
            if file is None:
                return None
            content = FileContent(file) if check is not None else None
            if check is not None and content is not None:
                check(content)
            if content is not None and content.whole is not None:
                whole = content.whole
                self._write(key, lambda target: _write_all(target, whole))
            else:
                self._write(key, lambda target: _copy_all(file, target, display(at)))
            return os.fstat(file.fileno()).st_size

    def put_link(self, key: str, path: str) -> bool:
        """Create an object that is the file at `path`; return False if it cannot be linked."""
        link = self._path(check_key(key))
        try:
            self._make_folder(key, os.path.dirname(link))
            os.link(os.path.realpath(path), link)
        except (OSError, NotImplementedError):
            return False
        self._note(key)
        return True

    def _write(self, key: str, fill: Callable[[RawIOBase], None]) -> None:
        path = self._path(check_key(key))
        if key == "":
            raise ZmapError("other keys are below this key", location=self._where(key))
        try:
            self._make_folder(key, os.path.dirname(path))
            if self._building:
                _write(path, fill)
            else:
                _replace(path, fill)
        except ZmapError:
            raise
        except (OSError, ValueError) as error:
            raise storage_error(error, self._where(key), "write") from error
        self._note(key)

    def keep(self, key: str) -> bool:
        """Keep the object that an earlier run wrote; return False if there is none."""
        if not self.size(key):  # a power failure leaves an empty file
            return False
        self._note(key)
        return True

    def sweep(self) -> None:
        """Remove the temporary files that a killed process left."""
        for folder, _, names in os.walk(self._root):
            for name in names:
                if name.startswith(".ncz-") and name.endswith(".partial"):
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(folder, name))

    def delete(self, key: str) -> bool:
        """Delete an object and the folders that become empty; return False if there is none."""
        path = self._path(check_inside(key))
        self._refuse_links(key)
        if not os.path.islink(path) and not os.path.isfile(path):
            return False
        try:
            os.unlink(path)
        except OSError as error:
            raise storage_error(error, self._where(key), "delete") from error
        self._deleted.add(hash(key))
        with contextlib.suppress(OSError):  # raised by the first folder that is not empty
            for above in ancestors(key):
                os.rmdir(self._path(above))
                self._made.discard(self._path(above))
        return True

    def _make_folder(self, key: str, folder: str) -> None:
        if folder in self._made:
            return
        self._refuse_links(key)
        os.makedirs(folder, exist_ok=True)
        self._made.add(folder)

    def _refuse_links(self, key: str) -> None:
        for above in ancestors(key):
            if os.path.islink(self._path(above)):
                raise ZmapError(
                    f"{display(above)} is a symbolic link, and ncz does not write through links",
                    location=self._where(key),
                )


def _write(path: str, fill: Callable[[RawIOBase], None]) -> None:
    with open(path, "wb", buffering=0) as file:
        fill(file)


def _write_all(file: RawIOBase, value: bytes) -> None:
    """Write all bytes; an unbuffered file may write only some of them at once."""
    rest = memoryview(value)
    while rest:
        rest = rest[file.write(rest) :]


def _copy_all(source: RawIOBase, target: RawIOBase, location: str) -> None:
    """Copy a whole file, within the operating system if it can.

    Raises `ZmapError`, with the `location` of the source, if it cannot be read.
    """
    copy = getattr(os, "copy_file_range", None)
    if copy is not None:
        try:
            while copy(source.fileno(), target.fileno(), _BLOCK):
                pass
            return
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            # Two file systems that do not support it, a file without a length, or an error of
            # either file, which then occurs again: copy here.
    while block := _read_block(source, location):
        _write_all(target, block)


def _read_block(source: RawIOBase, location: str) -> bytes | None:
    try:
        return source.read(_PIECE)
    except OSError as error:
        raise storage_error(error, location, "read") from error


def _replace(path: str, fill: Callable[[RawIOBase], None]) -> None:
    from ncz.zmap.local.locks import lock  # a header is printed without what writing needs
    from ncz.zmap.local.names import partial_name

    partial = os.path.join(os.path.dirname(path), partial_name())
    try:
        with open(partial, "wb", buffering=0) as file:
            lock(file.fileno())
            fill(file)
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise


def _read_all(file: RawIOBase, count: int) -> bytes:
    """Read `count` bytes, or fewer at the end; a single call may return only some of them."""
    parts = []
    while count > 0 and (part := file.read(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _leads_back(path: str, folders: Iterable[str]) -> bool:
    """Return whether the link at `path` points to one of `folders` or to a parent of one."""
    target = os.path.join(os.path.realpath(path), "")
    return any(os.path.join(os.path.realpath(f), "").startswith(target) for f in folders)
