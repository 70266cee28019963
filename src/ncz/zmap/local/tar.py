"""Tar archives as stores, read in place without extraction."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator, Mapping

from ncz.errors import StoreMissing, ZmapError, command
from ncz.system_errors import storage_error, storage_errors
from ncz.zmap import Zmap
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import LARGEST_DOCUMENT, SortedKeys, check_inside, clamp, too_large
from ncz.zmap.local.archive_entries import entries_of
from ncz.zmap.local.offset_reads import HAS_PREAD, UnchangedFile
from ncz.zmap.local.tar_entries import TarEntry, tar_entries
from ncz.zmap.range_file import PositionedFile

_BUFFER = 1 << 12  # bytes that are read for a header: headers of small files are near each other


class TarZmap(Zmap):
    """A tar archive that can be read. All headers are read once, when it is opened.

    Parameters
    ----------
    path
        The path of the archive.
    url
        The store's name in messages.
    inside
        The group or the folder in the archive that is the root of the store.
    """

    def __init__(self, path: str, url: str, *, inside: str = "") -> None:
        self.url = url
        self.survives_fork = HAS_PREAD
        with storage_errors(url, "read"):
            self._file = UnchangedFile(os.path.abspath(path))
        try:
            buffered = io.BufferedReader(PositionedFile(self._file.size, self._file.read), _BUFFER)
            entries = entries_of(tar_entries(buffered), inside)
        except BaseException as error:
            self._file.close()
            if isinstance(error, tarfile.TarError):
                raise ZmapError(
                    f"the tar archive is truncated or damaged ({error})", url,
                    "download or create it again; 'tar -tf' tests it",
                ) from error  # fmt: skip
            if isinstance(error, OSError):
                raise storage_error(error, url, "read") from error
            raise
        if inside and not entries.by_key:
            self._file.close()
            raise StoreMissing(
                f"the tar archive has no group {inside}", url, f"list it with {command('ls')}"
            )
        self.prefix = entries.prefix
        self._misnamed = entries.misnamed
        self._entries: Mapping[str, TarEntry] = entries.by_key
        self._sorted: SortedKeys | None = None
        self._is_closed = False

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        entry = self._entry(key)
        if entry is None:
            return None
        if entry.size > limit:
            raise too_large(self.where(key), limit)
        return self._read(key, entry.start, entry.size)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        entry = self._entry(key)
        if entry is None:
            return None
        first, count = clamp(entry.size, start, count)
        return self._read(key, entry.start + first, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        entry = self._entry(key)
        return None if entry is None else entry.size

    def place(self, key: str) -> ByteRange | None:
        """Return the part of the archive that is an object."""
        entry = self._entry(key)
        return None if entry is None else ByteRange(self._file.path, entry.start, entry.size)

    @property
    def misnamed_objects(self) -> tuple[str, ...]:
        """Documents and chunks whose names are not keys."""
        return self._misnamed

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return self._keys().search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys().walk(check_inside(prefix))

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the path leads to another file now, or to a changed one."""
        with storage_errors(self.url, "read"):
            self._file.check_path()

    def close(self) -> None:
        """Close the file. Reading raises `ZmapError` afterwards."""
        if not self._is_closed:
            self._is_closed = True
            self._file.close()

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise ZmapError("the store is closed", location=self.url)

    def _entry(self, key: str) -> TarEntry | None:
        self._refuse_closed()
        return self._entries.get(check_inside(key))

    def _keys(self) -> SortedKeys:
        self._refuse_closed()
        if self._sorted is None:
            self._sorted = SortedKeys(self._entries)
        return self._sorted

    def _read(self, key: str, start: int, count: int) -> bytes:
        try:
            data = self._file.read(start, count) if count else b""
        except OSError as error:
            self._refuse_closed()  # by another thread while this one reads
            raise storage_error(error, self.where(key), "read") from error
        if len(data) != count:
            raise ZmapError(
                "the tar archive ends within the object", self.where(key),
                "download or create it again",
            )  # fmt: skip
        return data
