"""Zip files as stores: read in place without extraction, and written in one pass.

Entries that could lead out of the store are left out and listed in `ignored`. Those of them that
are documents or chunks are listed in `misnamed`, so that they are not lost silently.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import struct
import threading
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO, TypeAlias
from zipfile import BadZipFile, ZipFile, ZipInfo

from ncz.errors import StoreMissing, ZmapError, changed, command, storage_error, storage_errors
from ncz.record import record
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.byte_range import ByteRange, PositionedFile
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    ROOT_DOCUMENTS,
    SortedKeys,
    ancestors,
    check_inside,
    check_key,
    clamp,
    is_document,
    is_part_of_node,
    part,
    refuse_object_above,
    too_large,
)
from ncz.zmap.local.content import HAS_PREAD, UnchangedFile
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from bz2 import BZ2Decompressor
    from lzma import LZMADecompressor

# Where keys are in a zip file, and the form of its entries.
#
# New zip files have one of two layouts, because no single layout works for all readers. netcdf-c
# takes the first segment of the first entry as a prefix of all keys and rejects a first entry that
# begins with a slash, so it cannot read keys at the root. zarr-python's ZipStore, and xarray
# through it, look for keys only at the root. Therefore NCZarr, which netcdf-c must be able to read,
# is written below a folder (`NCZARR_PREFIX`, whose own entry comes first), and pure Zarr at the
# root. Unlike netcdf-c, ncz does not name the folder after the file, so that the same dataset gives
# the same bytes under every file name.
#
# Source: netcdf-c's libnczarr/zmap_zip.c, and zarr-python 3.1.6.

NCZARR_PREFIX = "nczarr/"
"""The folder in which NCZarr is written."""

UTF8 = 0x800
"""The flag of an entry whose name is UTF-8."""

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that a zip file can hold


def layout_prefix(location: Location) -> str:
    """Return the prefix of the keys in a new zip file: a folder for NCZarr, "" for pure Zarr."""
    is_pure = location.pure or "v3" in location.modes
    return "" if is_pure else NCZARR_PREFIX


def new_entry(name: str) -> ZipInfo:
    """Return a new entry: stored, with a fixed date and permission, so that bytes never differ."""
    entry = ZipInfo(name, _EPOCH)
    entry.create_system = 3  # Unix, whatever the system
    entry.external_attr = (0o40755 << 16 | 0x10) if name.endswith("/") else 0o100644 << 16
    return entry


# The entries of existing zip files: as keys of a store, and of an unfinished file.
#
# A store may be at the root of a zip file (zarr-python, xarray, a store zipped from inside), or
# below a folder (netcdf-c, a store zipped from outside). Of several entries with the same name the
# last is used.

_DEEPEST = 16  # folders above a store within a zip file
_FROM_MACOS = re.compile(r"__MACOSX/|\.DS_Store\Z")  # beside the folder that was zipped
_HEADER = struct.Struct("<HH4xLLLHH")  # a local header after its magic bytes and version
_BLOCK = 1 << 20
_END = 22  # bytes of the record at the end, without a comment
_LONGEST_END = _END + 0xFFFF


@record(kw_only=True)
class StoreEntries:
    """The entries of a zip file, sorted by what they are for its store."""

    by_key: Mapping[str, ZipInfo]
    prefix: str
    """The folder that is the root of the store, with its slash; "" for the zip file's root."""
    ignored: tuple[str, ...]
    """The names that are not keys of the store."""
    misnamed: tuple[str, ...]
    """The names of documents and chunks of the store that no reader finds by them."""


def store_entries(archive: ZipFile, inside: str = "") -> StoreEntries:
    """Return the entries of a store.

    A name that could lead out of the store is not a key. `inside` is a group of the store, or a
    folder of the zip file, that is the root instead.
    """
    found: dict[str, ZipInfo] = {}
    ignored = []
    for entry in archive.infolist():
        name = _name(entry)
        while name.startswith("./"):
            name = name[2:]
        if name.endswith("/") or not name:
            continue  # a folder
        if _is_safe(name):
            found[name] = entry
        else:
            ignored.append(name)
    prefix = _prefix(found)
    if inside:
        folder = f"{inside}/"
        in_store = any(name.startswith(prefix + folder) for name in found)
        prefix = prefix + folder if in_store else folder
    with_backslash = [n for n in found if "\\" in n and n.rfind("\\") > n.rfind("/")]
    suspects = [*ignored, *with_backslash]
    ignored.extend(name for name in found if not name.startswith(prefix))
    length = len(prefix)
    keys = {name[length:]: entry for name, entry in found.items() if name.startswith(prefix)}
    return StoreEntries(
        by_key=keys,
        prefix=prefix,
        ignored=tuple(ignored),
        misnamed=tuple(
            name
            for name in suspects
            if is_part_of_node(name) and _without_empty_parts(name).startswith(prefix)
        ),
    )


def _without_empty_parts(name: str) -> str:
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def check_count(archive: ZipFile, file: BinaryIO) -> None:
    """Raise `BadZipFile` if the directory has other entries than the file's end counts.

    zipfile believes the lengths of an entry's name and comment. A length that is too large hides
    the entries after it. The file's comment may hold what looks like another end, which zipfile
    takes.
    """
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _LONGEST_END)
    file.seek(start)
    end = file.read()
    at = len(end) - _END if end[-_END:][:4] == b"PK\5\6" else end.rfind(b"PK\5\6")
    counted = int.from_bytes(end[at + 10 : at + 12], "little")
    if at >= 0 and counted not in (0xFFFF, len(archive.filelist) & 0xFFFF):
        raise BadZipFile(f"it counts {counted} entries, and lists {len(archive.filelist)}")
    if sum(1 for _ in _ends(end)) > 1:
        raise BadZipFile("it has two ends, one of them in a comment")


def _ends(data: bytes) -> Iterator[int]:
    """Yield the places of ends of a zip file whose comments reach exactly to the file's end."""
    at = data.find(b"PK\5\6")
    while at >= 0:
        if at + _END + int.from_bytes(data[at + 20 : at + 22], "little") == len(data):
            yield at
        at = data.find(b"PK\5\6", at + 1)


def _name(entry: ZipInfo) -> str:
    """Return the entry's name; most names that are not flagged as UTF-8 are UTF-8 too."""
    name = entry.orig_filename
    if entry.flag_bits & UTF8 or name.isascii():
        return name
    if entry.filename != name:  # a Unicode name in the extra field
        return entry.filename
    return name.encode("cp437").decode("utf-8", "surrogateescape")


def _is_safe(name: str) -> bool:
    """Return whether a name can be a key. It may have a backslash, but not one next to ``..``."""
    try:
        check_inside(name)
    except ZmapError:
        return False
    return "\\" not in name or ".." not in re.split(r"[/\\]", name)


def _prefix(names: Mapping[str, object]) -> str:
    """Return the folder that is the store's root, with its slash; "" for the zip file's root."""
    inside = [name for name in names if not _FROM_MACOS.match(name)]
    if not inside:
        return ""
    ends = [min(inside), max(inside)]
    common = os.path.commonprefix(ends).rpartition("/")[0]  # noqa: RUF071 - cut at a slash
    prefix = ""
    for segment in ["", *common.split("/", _DEEPEST)[:_DEEPEST]]:
        prefix += f"{segment}/" if segment else ""
        if any(prefix + document in names for document in ROOT_DOCUMENTS):
            return prefix
    return ""


def complete_entries(file: BinaryIO) -> tuple[list[ZipInfo], int]:
    """Return the complete entries of an unfinished file, and the offset where the last one ends.

    Documents are written last, so an unfinished file contains none.
    """
    size = file.seek(0, os.SEEK_END)
    entries: list[ZipInfo] = []
    at = 0
    while at < size:
        file.seek(at)
        header = file.read(30)
        if len(header) < 30 or header[:4] != b"PK\3\4":
            break
        flags, method, crc, stored, length, name, extra = _HEADER.unpack(header[6:])
        text = file.read(name)
        fields = file.read(extra)
        if fields[:2] == b"\1\0" and len(fields) >= 20:  # 64-bit lengths
            length, stored = struct.unpack("<QQ", fields[4:20])
        start = at + 30 + name + extra
        if method or stored != length or start + length > size or _crc(file, length) != crc:
            break
        entry = new_entry(text.decode("utf-8" if flags & UTF8 else "cp437"))
        entry.header_offset, entry.CRC = at, crc
        entry.file_size = entry.compress_size = length
        if is_document(entry.filename):
            break
        entries.append(entry)
        at = start + length
    return entries, at


def _crc(file: BinaryIO, length: int) -> int:
    crc = 0
    while length > 0 and (block := file.read(min(length, _BLOCK))):
        crc = zlib.crc32(block, crc)
        length -= len(block)
    return crc if length == 0 else -1


_PIECE = 1 << 20  # bytes that are read or decompressed at once
_BUFFER = 1 << 18  # bytes of a request within a file on a server
_ENCRYPTED = 0x1  # a flag of an entry
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic bytes, lengths of the name and the extra field
_NEW_HEADER = struct.Struct("<4sHH2xLLLLH2x")  # of an entry that is stored: method 0
_DATE = (1 << 5 | 1) << 16  # `_EPOCH`, after the time
_LARGEST_AT_ONCE = 1 << 30
_LZMA_HEADER = struct.Struct("<2xHBL")  # length of the properties: a byte, size of the dictionary

# What zipfile raises for bytes that are not a zip file, or one that it cannot read.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, ValueError, struct.error, NotImplementedError,
    RuntimeError, MemoryError, OverflowError, IndexError, KeyError,
)  # fmt: skip


def group_in_zip(url: str) -> ZmapError:
    """Return the error for creating a group in a zip file."""
    return ZmapError("a group in a zip file cannot be created", url, "create the whole zip file")


class _Inflater:
    """zlib's decompressor with the methods of those of `bz2` and `lzma`."""

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
        self._decompressor: LZMADecompressor | None = None

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


_Decompressor: TypeAlias = "_Inflater | _Lzma | BZ2Decompressor"


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


class ZipZmap(Zmap):
    """A zip file that can be read.

    Parameters
    ----------
    path
        The path of the file.
    url
        The store's name in messages; `path` if it is left out.
    inside
        The group in the zip file that is the root of the store.
    server
        A file on a server to read instead of `path`; the zmap closes it.
    address
        The path or URL by which other programs find the file; the absolute `path` if it is left
        out.
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
                raise self._damaged(self.url, error) from error
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

    @property
    def misnamed(self) -> tuple[str, ...]:
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
            raise changed(self.url)

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
        # A stream of zipfile has a lock, which a forked process may find held for ever.
        read = self._bytes_at if self._disk is not None else self._buffered
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
        return self._part(start, count) if count else b""

    def _buffered(self, start: int, count: int) -> bytes:
        """Read bytes of a file on a server, which other entries near them may share."""
        with self._lock:
            self._file.seek(start)
            return self._file.read(count)

    @contextlib.contextmanager
    def _reading(self, key: str, entry: zipfile.ZipInfo) -> Iterator[None]:
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
                raise self._damaged(self.where(key), error) from error
            raise

    def _damaged(self, where: str, error: BaseException) -> ZmapError:
        reason = str(error) or type(error).__name__
        return ZmapError(
            f"the zip file is truncated or damaged ({reason})",
            where,
            "download or create it again; 'zip -T' tests it",
        )


# Write a zip file in one pass.
#
# Entries are stored and not compressed, because chunks usually are already compressed. A metadata
# document may be put several times, so documents are held until the end; a chunk is written once.


class ZipWriter(WritableZmap):
    """A zip file under construction; `close` completes it, `discard` abandons it.

    Parameters
    ----------
    path
        The path of the new file.
    url
        The store's name in messages.
    prefix
        The folder of the keys within the zip file, with its slash; "" for none.
    begun
        Whether an unfinished file exists, whose complete entries are kept.
    """

    def __init__(self, path: str, url: str, *, prefix: str = "", begun: bool = False) -> None:
        self.url = url
        self._prefix = prefix
        entries: list[zipfile.ZipInfo] = []
        with storage_errors(url, "write"):
            self._file = open(path, "r+b" if begun else "x+b")  # noqa: SIM115 - see close, discard
            if begun:
                entries, end = complete_entries(self._file)
                self._file.truncate(end)
                self._file.seek(end)
        self._zip = zipfile.ZipFile(self._file, "w")
        self._is_moved = False  # whether the file's position is not at its end
        self._written: dict[str, zipfile.ZipInfo] = {}
        self._unused: set[str] = set()
        """The keys of entries of an earlier run that were not kept so far."""
        self._documents: dict[str, bytes] = {}
        self._folders: Counter[str] = Counter()
        self._chunk_folders: set[str] = set()
        """Folders with a chunk, which is not deleted, so that they do not become objects."""
        for entry in entries:
            self._zip.filelist.append(entry)
            self._zip.NameToInfo[entry.filename] = entry
            key = entry.filename.removeprefix(prefix)
            if key and not is_document(key):
                self._written[key] = entry
                self._unused.add(key)
                self._folders.update(ancestors(key))
        if prefix and not entries:
            try:
                self._append(prefix, b"")
            except BaseException:
                self.discard()
                raise

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object that was put; see `Zmap.get`."""
        if (self.size(key) or 0) > limit:
            raise too_large(self.where(key), limit)
        if key in self._written:
            self._is_moved = True
            with storage_errors(self.where(key), "read"):
                return self._zip.read(self._written[key])
        return self._documents.get(key)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        value = self.get(key, self.size(key) or 0)
        return None if value is None else part(value, start, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; None if it was not put yet."""
        self._refuse_closed()
        if check_inside(key) in self._written:
            return self._written[key].file_size
        document = self._documents.get(key)
        return None if document is None else len(document)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        return self._keys().search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys().walk(check_inside(prefix))

    def put(self, key: str, value: bytes) -> None:
        """Write an object. A metadata document is held until `close`, and may be put again."""
        self._refuse_closed()
        if check_key(key) == "" or self._folders.get(key):
            raise ZmapError("other keys are below this key", location=self.where(key))
        if key in self._written:
            raise ZmapError(
                "a zip file is written in one pass, and it already contains this object",
                self.where(key),
                "write a directory and zip it",
            )
        folder, _, name = key.rpartition("/")
        if folder in self._chunk_folders and not is_document(name):
            self._written[key] = self._append(key, value)
            return
        refuse_object_above(key, lambda above: self.size(above) is not None, self.where(key))
        if key not in self._documents:
            self._folders.update(ancestors(key))
        if is_document(key):
            self._documents[key] = bytes(value)
        else:
            self._written[key] = self._append(key, value)
            self._chunk_folders.add(folder)

    def keep(self, key: str, size: int | None = None) -> bool:
        """Keep the object that an earlier run wrote, which is complete; see `WritableZmap.keep`."""
        self._unused.discard(key)
        return key in self._written

    def delete(self, key: str) -> bool:
        """Delete a metadata document; return False if no object has this key."""
        self._refuse_closed()
        if check_inside(key) in self._written:
            raise ZmapError("an object cannot be deleted from a zip file", location=self.where(key))
        if self._documents.pop(key, None) is None:
            return False
        self._folders.subtract(ancestors(key))
        return True

    def close(self) -> None:
        """Write the documents, those of the root last, and complete the file."""
        if self._file.closed:
            return
        for key in sorted(self._documents, key=lambda key: (-key.count("/"), key)):
            self._written[key] = self._append(key, self._documents[key])
        self._documents.clear()
        # Their bytes stay, but the directory of the file does not list them.
        unused = {id(self._written.pop(key)) for key in self._unused}
        if unused:
            self._zip.filelist[:] = [e for e in self._zip.filelist if id(e) not in unused]
        with storage_errors(self.url, "write"):
            self._zip.close()
            self._file.close()

    def discard(self) -> None:
        """Close the file without completing it."""
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError, ValueError):  # its file is already closed
            self._zip.close()

    def _refuse_closed(self) -> None:
        if self._file.closed:
            raise ZmapError("the store is closed", location=self.url)

    def _keys(self) -> SortedKeys:
        self._refuse_closed()
        return SortedKeys([*self._written, *self._documents])

    def _append_at_once(self, entry: zipfile.ZipInfo, value: bytes) -> None:
        """Append an entry; the bytes are those of zipfile, which goes back to each header."""
        zip_file, size = self._zip, len(value)
        name = entry.filename.encode("utf-8")
        entry.flag_bits = 0 if entry.filename.isascii() else UTF8
        entry.CRC, entry.file_size, entry.compress_size = zlib.crc32(value), size, size
        entry.header_offset = zip_file.start_dir
        head = _NEW_HEADER.pack(
            b"PK\3\4",
            entry.extract_version,
            entry.flag_bits,
            _DATE,
            entry.CRC,
            size,
            size,
            len(name),
        )
        if self._is_moved:
            self._file.seek(zip_file.start_dir)
            self._is_moved = False
        if size < _PIECE:
            self._file.write(head + name + value)
        else:
            self._file.write(head + name)
            self._file.write(value)
        zip_file.start_dir += len(head) + len(name) + size
        zip_file.filelist.append(entry)
        zip_file.NameToInfo[entry.filename] = entry

    def _append(self, key: str, value: bytes) -> zipfile.ZipInfo:
        entry = new_entry(key if key.endswith("/") else self._prefix + key)
        try:
            if len(value) > _LARGEST_AT_ONCE:
                self._zip.writestr(entry, value)  # the header has further fields
            else:
                self._append_at_once(entry, value)
        except UnicodeEncodeError as error:
            raise ZmapError(
                "names in a zip file must be UTF-8",
                self.where(key),
                "rename it, or write a directory",
            ) from error
        except OSError as error:
            raise storage_error(error, self.where(key), "write") from error
        return entry


@contextlib.contextmanager
def zip_at(partial: str, location: Location, begun: bool, _: bool) -> Iterator[WritableZmap]:
    """Build a zip file at `partial`."""
    url = location.address if location.kind == "remote" else location.path
    zmap = ZipWriter(partial, url, prefix=layout_prefix(location), begun=begun)
    try:
        yield zmap
        zmap.close()
    except BaseException:
        zmap.discard()
        raise
