"""Read a zip file as a store.

Entries that could lead out of the store are left out and listed in `ignored`. Those of them that
are documents or chunks are listed in `misnamed`, so that they are not lost silently.
"""

from __future__ import annotations

import contextlib
import os
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, Protocol

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import SortedKeys, check_inside, clamp, display
from ncz.zmap.limits import LARGEST_DOCUMENT, too_large
from ncz.zmap.local.positioned import HAS_PREAD, read_at
from ncz.zmap.local.zip.entries import check_count, store_entries
from ncz.zmap.local.zip.file import open_file
from ncz.zmap.local.zip.layout import UTF8
from ncz.zmap.os_errors import changed, storage_error

_PIECE = 1 << 20  # bytes that are read or decompressed at once
_ENCRYPTED = 0x1  # a flag of an entry
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic bytes, lengths of the name and the extra field
_LZMA_HEADER = struct.Struct("<2xHBL")  # length of the properties: a byte, size of the dictionary

# What zipfile raises for bytes that are not a zip file, or one that it cannot read.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, ValueError, struct.error, NotImplementedError,
    RuntimeError, MemoryError, OverflowError, IndexError, KeyError,
)  # fmt: skip


def group_in_zip(url: str) -> ZmapError:
    """Return the error for creating a group in a zip file."""
    return ZmapError("a group in a zip file cannot be created", url, "create the whole zip file")


class _Decompressor(Protocol):
    """What `bz2` and `lzma` have, and zlib by `_Inflater`."""

    @property
    def eof(self) -> bool:
        """Whether the end of the compressed data was reached."""
        ...

    @property
    def needs_input(self) -> bool:
        """Whether more is decompressed only of further data."""
        ...

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return at most so many bytes, the next ones."""
        ...


class _Inflater:
    """zlib's decompressor as a `_Decompressor`."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._inflater.eof

    @property
    def needs_input(self) -> bool:
        return not self._inflater.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inflater.decompress(self._inflater.unconsumed_tail + data, max_length)


class _Lzma:
    """LZMA as zip files hold it, after a header of its own.

    The header declares the memory that it takes at once; `largest` is the most that the data need.
    """

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._decompressor: _Decompressor | None = None

    @property
    def eof(self) -> bool:
        return self._decompressor is not None and self._decompressor.eof

    @property
    def needs_input(self) -> bool:
        return self._decompressor is None or self._decompressor.needs_input

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if self._decompressor is None:
            import lzma

            size, first, dictionary = _LZMA_HEADER.unpack_from(data)
            rest, lc = divmod(first, 9)
            pb, lp = divmod(rest, 5)
            chain = [
                {
                    "id": lzma.FILTER_LZMA1, "lc": lc, "lp": lp, "pb": pb,
                    "dict_size": min(dictionary, self._largest),
                }
            ]  # fmt: skip
            self._decompressor = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain)
            data = data[4 + size :]
        return self._decompressor.decompress(data, max_length)


def _decompressor(entry: zipfile.ZipInfo) -> _Decompressor:
    """Return the decompressor of an entry. Raises NotImplementedError for an unknown method."""
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        return _Inflater()
    if entry.compress_type == zipfile.ZIP_BZIP2:
        import bz2

        return bz2.BZ2Decompressor()
    if entry.compress_type == zipfile.ZIP_LZMA:
        return _Lzma(max(1 << 12, entry.file_size))
    raise NotImplementedError


def _decompressed(
    decompressor: _Decompressor, pieces: Iterator[bytes], most: int
) -> Iterator[bytes]:
    """Yield what pieces of data decompress to, up to `most` bytes in all."""
    for piece in pieces:
        data = piece
        while most > 0 and not decompressor.eof:
            part = decompressor.decompress(data, min(most, _PIECE))
            most -= len(part)
            yield part
            data = b""
            if decompressor.needs_input and len(part) < _PIECE:
                break
        if most <= 0 or decompressor.eof:
            return


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
        self._lock = threading.Lock()
        self._is_closed = False
        try:
            archive = zipfile.ZipFile(self._file)
            check_count(archive, self._file)
            entries = store_entries(archive, inside)
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
        with self._reading(key, entry):
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
            with self._reading(key, entry):
                return self._read(entry, first + count)[first:] if count else b""
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
            start = self._start_of(entry, self._bytes_at)
            return ByteRange(self._address, start, entry.file_size)

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
        """Close the file. Reading raises `ZmapError`, also in other threads that read now."""
        self._is_closed = True
        with self._lock:
            self._file.close()

    def _where(self, key: str) -> str:
        return f"{self._url}: {display(key)}"

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise ZmapError("the store is closed", location=self._url)

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
        # A stream of zipfile has a lock, which a forked process may find held for ever.
        read = self._bytes_at if self._path is not None else self._buffered
        stored = entry.compress_type == zipfile.ZIP_STORED
        decompressor = None if stored else _decompressor(entry)
        start = self._start_of(entry, read)
        if decompressor is None:
            value = read(start, min(most, entry.compress_size))
        else:
            ends = range(start, start + entry.compress_size, _PIECE)
            last = start + entry.compress_size
            pieces = (read(at, min(_PIECE, last - at)) for at in ends)
            value = b"".join(_decompressed(decompressor, pieces, most))
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
        if not count:
            return b""
        if self._read_part is not None:
            return self._read_part(start, count)
        return read_at(self._file.fileno(), start, count)

    def _buffered(self, start: int, count: int) -> bytes:
        """Read bytes of a file on a server, which other entries near them may share."""
        with self._lock:
            self._file.seek(start)
            return self._file.read(count)

    @contextlib.contextmanager
    def _reading(self, key: str, entry: zipfile.ZipInfo) -> Iterator[None]:
        if entry.flag_bits & _ENCRYPTED:
            raise ZmapError("the entry is encrypted", self._where(key), "zip it without a password")
        try:
            yield
        except Exception as error:
            self._refuse_closed()  # by another thread while this one reads
            if isinstance(error, NotImplementedError):
                raise ZmapError(
                    f"the entry is compressed by method {entry.compress_type},"
                    " which is not supported",
                    self._where(key),
                    "zip it without compression (zip -0)",
                ) from error
            if isinstance(error, OSError):
                raise storage_error(error, self._where(key), "read") from error
            # The module is not imported only to name its error.
            if isinstance(error, _DAMAGE) or type(error).__module__ in ("_lzma", "lzma"):
                raise self._damaged(self._where(key), error) from error
            raise

    def _damaged(self, where: str, error: BaseException) -> ZmapError:
        reason = str(error) or type(error).__name__
        return ZmapError(
            f"the zip file is truncated or damaged ({reason})",
            where,
            "download or create it again; 'zip -T' tests it",
        )
