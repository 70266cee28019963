"""Zip files as stores, read in place without extraction.

Entries that could lead out of the store are left out and listed in `ignored`. Documents and chunks
among them are listed in `misnamed_objects`, so that they are not lost silently.
"""

from __future__ import annotations

import contextlib
import io
import os
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping

from ncz.errors import StoreMissing, ZmapError, command
from ncz.system_errors import changed_object_error, storage_error, storage_errors
from ncz.zmap import Zmap
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import LARGEST_DOCUMENT, SortedKeys, check_inside, clamp, too_large
from ncz.zmap.local.offset_reads import HAS_PREAD, UnchangedFile
from ncz.zmap.local.zip_decompression import PIECE, decompress, decompressor_of
from ncz.zmap.local.zip_entries import check_count, store_entries
from ncz.zmap.local.zip_layout import UTF8
from ncz.zmap.range_file import PositionedFile

_BUFFER = 1 << 18  # bytes of a request within a file on a server
_ENCRYPTED = 0x1  # a flag of an entry
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic bytes, lengths of the name and the extra field

_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, ValueError, struct.error, NotImplementedError,
    RuntimeError, MemoryError, OverflowError, IndexError, KeyError,
)  # fmt: skip
"""Errors of zipfile for a damaged file, or a file that is not a zip file."""


def group_in_zip(url: str) -> ZmapError:
    """Return the error for creating a group in a zip file."""
    return ZmapError("a group in a zip file cannot be created", url, "create the whole zip file")


class ZipZmap(Zmap):
    """A zip file that can be read.

    Parameters
    ----------
    path
        The path of the file.
    url
        The store's name in messages (default: `path`).
    inside
        The group in the zip file that is the root of the store.
    server
        A file on a server to read instead of `path`; the zmap closes it.
    address
        The path or URL of the file for other programs (default: the absolute `path`).
    """

    def __init__(
        self,
        path: str,
        url: str | None = None,
        *,
        inside: str = "",
        server: PositionedFile | None = None,
        address: str | None = None,
    ) -> None:
        self.url = path if url is None else url
        self._address = os.path.abspath(path) if address is None else address
        self.survives_fork = server is None and HAS_PREAD
        self._disk: UnchangedFile | None = None
        if server is None:
            try:
                self._disk = UnchangedFile(os.path.abspath(path))
            except (OSError, ValueError) as error:
                raise storage_error(error, self.url, "read") from error
            server = PositionedFile(self._disk.size, self._disk.read, self._disk.close)
        self._part = server.part
        self._file = io.BufferedReader(server, _BUFFER)
        self._lock = threading.Lock()
        self._is_closed = False
        try:
            archive = zipfile.ZipFile(self._file)
            check_count(archive, self._file)
            entries = store_entries(archive, inside)
        except BaseException as error:
            self._file.close()
            if isinstance(error, OSError):
                raise storage_error(error, self.url, "read") from error
            if isinstance(error, _DAMAGE):
                raise self._damage_error(self.url, error) from error
            raise
        if inside and not entries.by_key:
            self._file.close()
            raise StoreMissing(
                f"the zip file has no group {inside}", self.url, f"list it with {command('ls')}"
            )
        self.ignored = entries.ignored
        self.prefix = entries.prefix
        self._misnamed = entries.misnamed
        self._entries: Mapping[str, zipfile.ZipInfo] = entries.by_key
        self._sorted: SortedKeys | None = None

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object and verify its checksum; see `Zmap.get`."""
        entry = self._entry(key)
        if entry is None:
            return None
        if entry.file_size > limit:
            raise too_large(self.where(key), limit)
        with self._entry_errors(key, entry):
            return self._read(entry, entry.file_size)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`.
        A compressed entry is decompressed up to the end of the range.
        """
        entry = self._entry(key)
        if entry is None:
            return None
        first, count = clamp(entry.file_size, start, count)
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & _ENCRYPTED:
            with self._entry_errors(key, entry):
                return self._read(entry, first + count)[first:] if count else b""
        with self._entry_errors(key, entry):
            return self._read_at(entry, first, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if no object has this key."""
        entry = self._entry(key)
        return None if entry is None else entry.file_size

    def place(self, key: str) -> ByteRange | None:
        """Return the part of the file that is an object; None for a compressed entry."""
        entry = self._entry(key)
        if entry is None or entry.compress_type != zipfile.ZIP_STORED:
            return None
        if entry.flag_bits & _ENCRYPTED:
            return None
        with self._entry_errors(key, entry):
            start = self._start_of(entry, self._bytes_at)
            return ByteRange(self._address, start, entry.file_size)

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
        """Raise `ZmapError` if the path leads to another file now."""
        if self._disk is None:
            return
        with storage_errors(self.url, "read"):
            is_same = os.path.samestat(os.stat(self._disk.path), os.fstat(self._disk.number))
        if not is_same:
            raise changed_object_error(self.url)

    def close(self) -> None:
        """Close the file. Reading raises `ZmapError`, also in other threads that read now."""
        self._is_closed = True
        with self._lock:
            self._file.close()

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise ZmapError("the store is closed", location=self.url)

    def _entry(self, key: str) -> zipfile.ZipInfo | None:
        self._refuse_closed()
        return self._entries.get(check_inside(key))

    def _keys(self) -> SortedKeys:
        self._refuse_closed()
        if self._sorted is None:
            self._sorted = SortedKeys(self._entries)
        return self._sorted

    def _read(self, entry: zipfile.ZipInfo, most: int) -> bytes:
        """Read the first bytes of an entry; of a whole one, compare the checksum."""
        # A stream of zipfile has a lock, which a forked process may find held forever.
        read = self._bytes_at if self._disk is not None else self._shared_bytes_at
        stored = entry.compress_type == zipfile.ZIP_STORED
        decompressor = None if stored else decompressor_of(entry)
        start = self._start_of(entry, read)
        if decompressor is None:
            value = read(start, min(most, entry.compress_size))
        else:
            ends = range(start, start + entry.compress_size, PIECE)
            last = start + entry.compress_size
            pieces = (read(at, min(PIECE, last - at)) for at in ends)
            value = b"".join(decompress(decompressor, pieces, most))
        if len(value) != most:
            raise EOFError("an entry ends early")
        if most == entry.file_size and zlib.crc32(value) != entry.CRC:
            raise zipfile.BadZipFile("an entry has a wrong checksum")
        return value

    def _read_at(self, entry: zipfile.ZipInfo, first: int, count: int) -> bytes:
        """Read a part of an uncompressed entry."""
        value = self._bytes_at(self._start_of(entry, self._bytes_at) + first, count)
        if len(value) != count:
            raise EOFError("the file ends within an entry")
        return value

    def _start_of(self, entry: zipfile.ZipInfo, read: Callable[[int, int], bytes]) -> int:
        """Return the offset of the first byte of an entry's data."""
        encoding = "utf-8" if entry.flag_bits & UTF8 else "cp437"
        expected = entry.orig_filename.encode(encoding)
        data = read(entry.header_offset, _LOCAL_HEADER.size + len(expected))
        magic, name, extra = _LOCAL_HEADER.unpack_from(data)
        if magic != b"PK\3\4" or data[_LOCAL_HEADER.size :] != expected or name != len(expected):
            raise zipfile.BadZipFile("an entry is not at the offset that the directory gives")
        return entry.header_offset + _LOCAL_HEADER.size + int(name) + int(extra)

    def _bytes_at(self, start: int, count: int) -> bytes:
        """Read bytes of the zip file, while other threads may read it too."""
        return self._part(start, count) if count else b""

    def _shared_bytes_at(self, start: int, count: int) -> bytes:
        """Read bytes of a file on a server, which other entries near them may share."""
        with self._lock:
            self._file.seek(start)
            return self._file.read(count)

    @contextlib.contextmanager
    def _entry_errors(self, key: str, entry: zipfile.ZipInfo) -> Iterator[None]:
        if entry.flag_bits & _ENCRYPTED:
            raise ZmapError("the entry is encrypted", self.where(key), "zip it without a password")
        try:
            yield
        except Exception as error:
            self._refuse_closed()  # by another thread while this one reads
            if isinstance(error, NotImplementedError):
                raise ZmapError(
                    f"the entry is compressed by method {entry.compress_type},"
                    " which is not supported",
                    self.where(key),
                    "zip it without compression (zip -0)",
                ) from error
            if isinstance(error, OSError):
                raise storage_error(error, self.where(key), "read") from error
            # The module is not imported only to name its error.
            if isinstance(error, _DAMAGE) or type(error).__module__ in ("_lzma", "lzma"):
                raise self._damage_error(self.where(key), error) from error
            raise

    def _damage_error(self, where: str, error: BaseException) -> ZmapError:
        reason = str(error) or type(error).__name__
        return ZmapError(
            f"the zip file is truncated or damaged ({reason})",
            where,
            "download or create it again; 'zip -T' tests it",
        )
