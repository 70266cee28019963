"""A directory tree as a zmap that can be written.

Nothing is written or deleted through a link, and no file is opened for writing that this process
did not create. Nothing is synced to the disk: a power failure may lose recent writes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, islice
from typing import TYPE_CHECKING

from ncz.errors import ZmapError, quantity
from ncz.late import numpy as np
from ncz.record import replace
from ncz.system_errors import storage_error, storage_errors
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.content import Accept, Check
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    ancestors,
    are_plain,
    check_inside,
    check_key,
    display,
    is_document,
)
from ncz.zmap.local.content import write_all
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.file_copy import copy_file
from ncz.zmap.local.tree import MAY_BE_LINK, Tree
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.zmap.local.portable_names import FolderNames


_BATCH = 1 << 16
"""For at most this number of objects, missing ones are found without numpy."""


class WritableDirectoryZmap(DirectoryZmap, WritableZmap):
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
    resumable
        Whether a later run may continue a directory that is temporary. It must not take a
        truncated object for a complete one, so objects are renamed as well, but replace nothing.
        An object of a known size, such as the copy of a file, is written directly, because its
        size shows whether it is complete; and so is a document, which no later run keeps.
    """

    def __init__(
        self,
        root: str,
        url: str | None = None,
        *,
        building: bool = False,
        resumable: bool = False,
    ) -> None:
        super().__init__(root, url)
        self._building = building
        self._resumable = resumable
        self._made = {""}
        self._names: FolderNames | None = None
        self._manifest = array("q")  # hashes of the keys that were put
        self._deleted: set[int] = set()

    def check_names(self) -> None:
        """Refuse from now on names that the file system would change, or take for another one."""
        from ncz.zmap.local.portable_names import FolderNames, folds_case

        self._names = FolderNames(self.url, folds=folds_case(self._root))

    def location_for_others(self, location: Location) -> Location:
        """Return the place where other processes open the store; see `WritableZmap`."""
        return replace(location, kind="directory", path=self._root)

    def adopt(self, keys: Iterable[str]) -> None:
        """Expect these objects, which another process wrote, in `check_complete`."""
        for key in keys:
            self._note(key)

    def _note(self, key: str) -> None:
        number = hash(key)
        self._manifest.append(number)
        if self._deleted:
            self._deleted.discard(number)

    def check_complete(self) -> None:
        """Raise `ZmapError` if an object that was put no longer exists."""
        there = map(hash, self._files())
        find = _count_missing if len(self._manifest) <= _BATCH else _missing_of_many
        missing, count = find(self._manifest, self._deleted, there)
        if missing:
            raise ZmapError(
                f"something removed {missing} of {quantity(count, 'object')} while the"
                " store was written",
                self.url,
                "make sure that nothing else changes the folder, and start again",
            )

    def _files(self) -> Iterator[str]:
        """Yield the keys of all files, and follow no link.

        A walk by paths takes half the system calls of `walk_unsorted`, which opens each folder from
        the one above it. Nothing is opened here.
        """
        folders = [""]
        while folders:
            at = folders.pop()
            with storage_errors(self.where(at), "list"), os.scandir(self._start + at) as scanned:
                for entry in scanned:
                    key = f"{at}/{entry.name}" if at else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(key)
                    else:
                        yield key

    def remove_others(self) -> None:
        """Remove the objects that an earlier run wrote, and that were neither put nor kept."""
        known = _sorted_hashes(self._manifest)
        keys = self.walk_unsorted()
        others: list[str] = []
        while some := [*islice(keys, _BATCH)]:
            others += compress(some, _are_absent(some, known))
        for key in others:
            self.delete(key)

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object; see `WritableZmap.put`."""
        self._write(key, lambda number: write_all(number, value))

    def put_sized(self, key: str, value: bytes) -> None:
        """Create or replace an object whose size shows whether it is complete."""
        self._write(key, lambda number: write_all(number, value), is_sized=True)

    def put_from(
        self,
        key: str,
        source: Zmap,
        at: str,
        limit: int = LARGEST_DOCUMENT,
        check: Check | None = None,
    ) -> int | None:
        """Copy an object, of a directory in constant memory; see `WritableZmap.put_from`."""
        if not isinstance(source, DirectoryZmap):
            return super().put_from(key, source, at, limit, check)
        is_written = False
        try:
            with source.open_object(at) as content:
                if content is None:
                    return None
                if check is not None:
                    check(content)
                self._write(key, lambda number: content.copy_to(number, display(at)), is_sized=True)
                is_written = True
                return len(content)
        except ZmapError:
            if is_written:  # the source changed meanwhile; --resume must not keep this copy
                self.delete(key)
            raise

    def put_many_from(
        self, keys: Sequence[str], source: Zmap, at: Sequence[str], accept: Accept
    ) -> Iterator[int | None]:
        """Copy many small files; see `WritableZmap.put_many_from`."""
        is_plain = are_plain(keys) and are_plain(at)
        if not (self._building and isinstance(source, DirectoryZmap) and is_plain):
            yield from super().put_many_from(keys, source, at, accept)
            return
        self._refuse_closed()
        source._refuse_closed()
        for key, old in zip(keys, at, strict=True):
            try:
                self._make_folder(key)
                size = copy_file(source._tree, old, self._tree, key, accept, source.where)
            except ZmapError:
                raise
            except OSError as error:
                _refuse_links(self._tree, key, error, self.where(key))
                raise storage_error(error, self.where(key), "write") from error
            if size is not None:
                self._forget(key)
                self._note(key)
            yield size

    def put_new(self, key: str, value: bytes) -> bool:
        """Create an object; see `WritableZmap.put_new`."""
        with storage_errors(self.where(key), "write"):
            return self._create(check_key(key), lambda number: write_all(number, value))

    def put_link(self, key: str, path: str) -> bool:
        """Create an object that is the file at `path`; return False if it cannot be linked."""
        try:
            self._make_folder(check_key(key))
            self._tree.link(os.path.realpath(path), key)
        except (OSError, NotImplementedError):
            return False
        self._note(key)
        return True

    def _make_folder(self, key: str) -> str:
        """Create the folder of an object, and return its key."""
        folder = key.rpartition("/")[0]
        if folder not in self._made:
            if self._names is not None:
                for each in (folder, *ancestors(folder)):
                    self._names.add(each)
            self._tree.make_folder(folder)
            self._made.add(folder)
        return folder

    def _write(self, key: str, fill: Callable[[int], None], *, is_sized: bool = False) -> None:
        if self._check_key(check_key(key)) == "":
            raise ZmapError("other keys are below this key", location=self.where(key))
        try:
            folder = self._make_folder(key)
            is_direct = is_sized or not self._resumable or is_document(key)
            direct = self._building and is_direct
            if not (direct and self._create(key, fill)):
                self._replace(key, folder, fill)
        except ZmapError:
            raise
        except (OSError, ValueError) as error:
            _refuse_links(self._tree, key, error, self.where(key))
            raise storage_error(error, self.where(key), "write") from error
        self._forget(key)
        self._note(key)

    def _forget(self, key: str) -> None:
        """Forget the state of an object, because this process changes it."""
        if self._documents or self._parts:
            self._documents.pop(key, None)
            self._parts.pop(key, None)

    def _create(self, key: str, fill: Callable[[int], None]) -> bool:
        """Create an object; return False if something already has its name."""
        try:
            number = self._tree.create(key)
        except FileExistsError:
            return False
        try:
            fill(number)
        except BaseException:
            with contextlib.suppress(OSError):  # must not hide the first error
                self._tree.unlink(key)
            raise
        finally:
            os.close(number)
        return True

    def _replace(self, key: str, folder: str, fill: Callable[[int], None]) -> None:
        """Write an object under a temporary name, and rename it."""
        from ncz.zmap.local.build_names import partial_name

        partial = f"{folder}/{partial_name()}" if folder else partial_name()
        number = self._tree.create(partial)
        try:
            try:
                if not self._building:
                    _protect(self._tree, key, number)
                fill(number)
            finally:
                os.close(number)
            self._tree.replace(partial, key)
        except BaseException:
            with contextlib.suppress(OSError):
                self._tree.unlink(partial)
            raise

    def keep(self, key: str, size: int | None = None) -> bool:
        """Keep the object that an earlier run wrote; see `WritableZmap.keep`."""
        found = self.size(key)
        if not found or size not in (None, found):  # a power failure leaves an empty file
            return False
        self._note(key)
        return True

    def sweep(self) -> None:
        """Remove the temporary files that a killed process left."""
        from ncz.zmap.local.build_names import PARTIAL

        unfinished = re.compile(rf"(.*/)?\.ncz-[^/]*{re.escape(PARTIAL)}", re.DOTALL)
        for key in [*filter(unfinished.fullmatch, self.walk_unsorted())]:
            with contextlib.suppress(OSError):
                self._tree.unlink(key)

    def delete(self, key: str) -> bool:
        """Delete an object and the folders that become empty; return False if none exists."""
        self._check_key(check_inside(key))
        try:
            status = self._tree.status(key)
            if not (stat.S_ISLNK(status.st_mode) or stat.S_ISREG(status.st_mode)):
                return False
            self._tree.unlink(key)
        except FileNotFoundError:
            return False
        except OSError as error:
            _refuse_links(self._tree, key, error, self.where(key))
            if isinstance(error, NotADirectoryError):
                return False
            raise storage_error(error, self.where(key), "delete") from error
        self._deleted.add(hash(key))
        self._forget(key)
        with contextlib.suppress(OSError):  # raised by the first folder that is not empty
            for above in ancestors(key):
                self._tree.rmdir(above)
                self._made.discard(above)
        return True


def _count_missing(put: array[int], deleted: set[int], there: Iterator[int]) -> tuple[int, int]:
    """Return the number of objects that were put and are missing, and the number expected.

    All are given by the hashes of their keys; one may have been put more than once.
    """
    wanted = set(put) - deleted
    count = len(wanted)
    wanted.difference_update(there)
    return len(wanted), count


def _missing_of_many(put: array[int], deleted: set[int], there: Iterator[int]) -> tuple[int, int]:
    """Do the same as `_missing`, with one more byte for each object."""
    hashes = _sorted_hashes(put)
    is_missing = np.ones(len(hashes), bool)
    is_missing[1:] = hashes[1:] != hashes[:-1]

    def remove(some: Sequence[int]) -> None:
        numbers = np.fromiter(some, np.int64, len(some))
        places = np.minimum(np.searchsorted(hashes, numbers), len(hashes) - 1)
        is_missing[places[hashes[places] == numbers]] = False

    remove([*deleted])
    count = int(is_missing.sum())
    while some := [*islice(there, _BATCH)]:
        remove(some)
    return int(is_missing.sum()), count


def _sorted_hashes(put: array[int]) -> np.ndarray:
    """Sort hashes in place, and return them as an array of numpy."""
    hashes = np.frombuffer(put, np.int64)
    hashes.sort()
    return hashes


def _are_absent(keys: Sequence[str], known: np.ndarray) -> Sequence[bool]:
    """Return for each key whether its hash is missing in the sorted known hashes."""
    if not len(known):
        return [True] * len(keys)
    numbers = np.fromiter(map(hash, keys), np.int64, len(keys))
    places = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    absent: list[bool] = (known[places] != numbers).tolist()
    return absent


def _protect(tree: Tree, key: str, number: int) -> None:
    """Lock a new file, and give it the permissions and the owner of the one it replaces.

    Others may see it: `ncz clean` leaves a file alone that is locked.
    """
    from ncz.zmap.local.locks import lock

    lock(number)
    if not hasattr(os, "fchmod"):
        return
    try:
        old = tree.status(key)
    except OSError:
        return  # nothing is replaced
    if stat.S_ISREG(old.st_mode):
        with contextlib.suppress(OSError):  # only root may give files away
            os.fchown(number, old.st_uid, old.st_gid)
        os.fchmod(number, stat.S_IMODE(old.st_mode))


def _refuse_links(tree: Tree, key: str, error: Exception, location: str) -> None:
    """Raise `ZmapError` if an error of the system means that a folder is a link."""
    if not isinstance(error, OSError) or error.errno not in (*MAY_BE_LINK, errno.EEXIST):
        return
    for above in ancestors(key):
        is_link = False
        with contextlib.suppress(OSError):
            is_link = stat.S_ISLNK(tree.status(above).st_mode)
        if is_link:
            raise ZmapError(
                f"{display(above)} is a symbolic link, and ncz does not write through links",
                location,
            ) from error
