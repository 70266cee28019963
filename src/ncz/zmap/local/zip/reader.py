"""Read a zip file as a store.

Entries that could lead out of the store are left out and listed in `ignored`. Those of them that
are documents or chunks are listed in `misnamed`, so that they are not lost silently.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, BinaryIO

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import SortedKeys, check_inside, clamp, display
from ncz.zmap.limits import LARGEST_DOCUMENT, too_large
from ncz.zmap.local.positioned import HAS_PREAD, read_at
from ncz.zmap.local.zip.entries import check_count, store_entries
from ncz.zmap.local.zip.file import open_file
from ncz.zmap.os_errors import changed, storage_error

_PIECE = 1 << 20  # bytes that are decompressed at once
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # methods that stop at a size
_ENCRYPTED = 0x1  # a flag of an entry
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic bytes, lengths of the name and the extra field

# What zipfile raises for bytes that are not a zip file, or one that it cannot read.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, ValueError, struct.error, NotImplementedError,
    RuntimeError, MemoryError, OverflowError, IndexError, KeyError,
)  # fmt: skip


def group_in_zip(url: str) -> ZmapError:
    """Return the error for creating a group in a zip file."""
    return ZmapError("a group in a zip file cannot be created", url, "create the whole zip file")


def _read(stream: IO[bytes], entry: zipfile.ZipInfo, most: int) -> bytes:
    """Read an entry up to `most` bytes.

    zipfile decompresses as many compressed bytes as are asked for, whatever they give: with bzip2
    and LZMA all at once.
    """
    piece = _PIECE if entry.compress_type in _BOUNDED else 4096
    parts = []
    while most > 0 and (part := stream.read(min(most, piece))):
        parts.append(part)
        most -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


class ZipZmap:
    """A zip file that can be read.

    Parameters
    ----------
    path
        The path of the file.
    url
        The store's name in messages; `path` if it is left out.
    file
        An open file to read instead of `path`; the zmap closes it.
    inside
        The group in the zip file that is the root of the store.
    read_part
        Reads bytes of `file` at an offset, without its position; the arguments are the offset and
        the number of bytes.
    address
        The path or URL by which other programs find the file; the absolute `path` if it is left
        out.
    """

    def __init__(
        self,
        path: str,
        url: str | None = None,
        *,
        file: BinaryIO | None = None,
        inside: str = "",
        read_part: Callable[[int, int], bytes] | None = None,
        address: str | None = None,
    ) -> None:
        self._url = path if url is None else url
        self._address = os.path.abspath(path) if address is None else address
        self.survives_fork = file is None and HAS_PREAD
        self._read_part = read_part
        self._path: str | None = None
        if file is None:
            self._path = os.path.abspath(path)
            file, self._read_part = open_file(path, self._url)
        self._file = file
        try:
            self._zip = zipfile.ZipFile(self._file)
            check_count(self._zip, self._file)
            entries = store_entries(self._zip, inside)
        except BaseException as error:
            self._file.close()
            if isinstance(error, OSError):
                raise storage_error(error, self._url, "read") from error
            if isinstance(error, _DAMAGE):
                raise self._damaged(self._url, error) from error
            raise
        if inside and not entries.by_key:
            self._file.close()
            raise StoreMissing(
                f"the zip file has no group {inside}", self._url, "list it with 'ncz ls'"
            )
        self.ignored = entries.ignored
        self.misnamed = entries.misnamed
        self._entries: Mapping[str, zipfile.ZipInfo] = entries.by_key
        self._sorted: SortedKeys | None = None

    @property
    def url(self) -> str:
        """The store's path or URL, as messages show it."""
        return self._url

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object and verify its checksum; see `Zmap.get`."""
        entry = self._entry(key)
        if entry is None:
            return None
        if entry.file_size > limit:
            raise too_large(self._where(key), limit)
        with self._reading(key, entry), self._zip.open(entry) as stream:
            return _read(stream, entry, entry.file_size + 1)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`.
        A compressed entry is decompressed up to the end of the range.
        """
        entry = self._entry(key)
        if entry is None:
            return None
        first, count = clamp(entry.file_size, start, count)
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & _ENCRYPTED:
            with self._reading(key, entry), self._zip.open(entry) as stream:
                return _read(stream, entry, first + count)[first:] if count else b""
        with self._reading(key, entry):
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
        with self._reading(key, entry):
            return ByteRange(self._address, self._start_of(entry), entry.file_size)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return self._keys().search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys().walk(check_inside(prefix))

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the path leads to another file now; see `SteadyZmap`."""
        if self._path is None:
            return
        try:
            is_same = os.path.samestat(os.stat(self._path), os.fstat(self._file.fileno()))
        except OSError as error:
            raise storage_error(error, self._url, "read") from error
        if not is_same:
            raise changed(self._url)

    def close(self) -> None:
        """Close the file. Reading afterwards raises `ZmapError`."""
        self._zip.close()
        self._file.close()

    def _where(self, key: str) -> str:
        return f"{self._url}: {display(key)}"

    def _refuse_closed(self) -> None:
        if self._file.closed:
            raise ZmapError("the store is closed", location=self._url)

    def _entry(self, key: str) -> zipfile.ZipInfo | None:
        self._refuse_closed()
        return self._entries.get(check_inside(key))

    def _keys(self) -> SortedKeys:
        self._refuse_closed()
        if self._sorted is None:
            self._sorted = SortedKeys(self._entries)
        return self._sorted

    def _read_at(self, entry: zipfile.ZipInfo, first: int, count: int) -> bytes:
        """Read a part of an uncompressed entry."""
        # Seeking in a stream of zipfile reads all bytes that it skips.
        value = self._bytes_at(self._start_of(entry) + first, count)
        if len(value) != count:
            raise EOFError("the file ends within an entry")
        return value

    def _start_of(self, entry: zipfile.ZipInfo) -> int:
        """Return the offset of the first byte of an entry's data."""
        header = self._bytes_at(entry.header_offset, _LOCAL_HEADER.size)
        magic, name, extra = _LOCAL_HEADER.unpack(header)
        if magic != b"PK\3\4":
            raise zipfile.BadZipFile("an entry is not at the offset that the directory gives")
        return entry.header_offset + _LOCAL_HEADER.size + int(name) + int(extra)

    def _bytes_at(self, start: int, count: int) -> bytes:
        """Read bytes of the zip file, while other threads may read it too."""
        if not count:
            return b""
        if self._read_part is not None:
            return self._read_part(start, count)
        return read_at(self._file.fileno(), start, count)

    @contextlib.contextmanager
    def _reading(self, key: str, entry: zipfile.ZipInfo) -> Iterator[None]:
        if entry.flag_bits & _ENCRYPTED:
            raise ZmapError("the entry is encrypted", self._where(key), "zip it without a password")
        try:
            yield
        except NotImplementedError as error:
            raise ZmapError(
                f"the entry is compressed by method {entry.compress_type}, which is not supported",
                self._where(key),
                "zip it without compression (zip -0)",
            ) from error
        except OSError as error:
            raise storage_error(error, self._where(key), "read") from error
        except _DAMAGE as error:
            raise self._damaged(self._where(key), error) from error
        except Exception as error:
            if type(error).__module__ in ("_lzma", "lzma"):  # not imported only to name its error
                raise self._damaged(self._where(key), error) from error
            raise

    def _damaged(self, where: str, error: BaseException) -> ZmapError:
        reason = str(error) or type(error).__name__
        return ZmapError(
            f"the zip file is truncated or damaged ({reason})",
            where,
            "download or create it again; 'zip -T' tests it",
        )
