"""A zmap over a zip file: read through its directory, never extracted; written in one pass.

Reading takes every layout: keys at the root of the zip (zarr-python, xarray, a store zipped from
inside), or below a folder (netcdf-c, and a store zipped from outside). The last of several entries
with one name wins. Entries that could lead out of the store are left out and listed in `ignored`.

Writing has two layouts, because no layout serves all readers. netcdf-c takes the first segment of
the first entry for a prefix of all keys, and refuses a first entry that begins with a slash, so it
cannot read keys at the root; zarr-python's ZipStore, and xarray through it, look for them only
there. So NCZarr, which netcdf-c shall read, is written below a folder (`NCZARR_PREFIX`, with an
entry of its own, the first), and pure Zarr at the root. The folder's name is not taken from the
file's, as netcdf-c's is: the same dataset gives the same bytes under every name. (Source:
netcdf-c's libnczarr/zmap_zip.c, and zarr-python 3.1.6.)

Entries are stored and not compressed (chunks are compressed already), with one date and one
permission. Metadata documents may be put more than once, and are held until the end; a chunk is
written once.
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
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from ncz.errors import ZmapError
from ncz.zmap.key import (
    ROOT_DOCUMENTS,
    SortedKeys,
    ancestors,
    check_inside,
    check_key,
    clamp,
    display,
    part,
)
from ncz.zmap.location import Location
from ncz.zmap.os_errors import storage_error

NCZARR_PREFIX = "nczarr/"
"""The folder in which NCZarr is written, for netcdf-c."""

_DEEPEST = 16  # folders above a store within a zip
_ENCRYPTED, _UTF8 = 0x1, 0x800  # flag bits of an entry
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that a zip can say
_RESUMED = struct.Struct("<HH4xLLLHH")  # of a local header, after its magic and version
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic, lengths of name and extra field

# What zipfile lets out on bytes that are no zip, or are one that it cannot read.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, ValueError, struct.error, NotImplementedError,
    RuntimeError, MemoryError, OverflowError, IndexError, KeyError,
)  # fmt: skip


def layout_prefix(location: Location) -> str:
    """What stands before the keys of a new zip: a folder for NCZarr, nothing for pure Zarr."""
    is_pure = location.pure or "v3" in location.modes
    return "" if is_pure else NCZARR_PREFIX


class ZipZmap:
    """A zip file, for reading: that at `path`, or `file`, which is closed with the zmap."""

    def __init__(self, path: str, url: str | None = None, *, file: BinaryIO | None = None) -> None:
        self._url = path if url is None else url
        self._lock = threading.Lock()
        self.survives_fork = file is None and hasattr(os, "pread")
        self._file = _open(path, self._url) if file is None else file
        try:
            self._zip = zipfile.ZipFile(self._file)
            entries, self.ignored = _entries(self._zip)
        except BaseException as error:
            self._file.close()
            if isinstance(error, OSError):
                raise storage_error(error, self._url, "read") from error
            if isinstance(error, _DAMAGE):
                raise self._damaged(self._url, error) from error
            raise
        self._entries: Mapping[str, zipfile.ZipInfo] = entries
        self._sorted: SortedKeys | None = None

    @property
    def url(self) -> str:
        """Where the store is, as messages show it."""
        return self._url

    def get(self, key: str) -> bytes | None:
        """The object's bytes, checked by their checksum, or None if there is no such object."""
        entry = self._entry(key)
        if entry is None:
            return None
        with self._reading(key, entry):
            return self._zip.read(entry)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Part of an object; see `Zmap.get_range`. An entry that is compressed is read whole."""
        entry = self._entry(key)
        if entry is None:
            return None
        first, count = clamp(entry.file_size, start, count)
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & _ENCRYPTED:
            value = self.get(key)
            return None if value is None else value[first : first + count]
        with self._reading(key, entry), self._lock:
            return self._read_at(entry, first, count)

    def size(self, key: str) -> int | None:
        """The object's size in bytes, or None if there is no such object."""
        entry = self._entry(key)
        return None if entry is None else entry.file_size

    def search(self, prefix: str) -> list[str]:
        """The names directly below `prefix`; see `Zmap.search`."""
        return self._keys().search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """The keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys().walk(check_inside(prefix))

    def close(self) -> None:
        """Close the file. Reading afterwards is an error."""
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
        """Read a part of an entry that is stored as it is."""
        # Seeking in zipfile's own streams reads all that is skipped.
        here = self._file.tell()
        try:
            self._file.seek(entry.header_offset)
            header = self._file.read(_LOCAL_HEADER.size)
            magic, name, extra = _LOCAL_HEADER.unpack(header)
            if magic != b"PK\3\4":
                raise zipfile.BadZipFile("an entry is not where the directory says")
            self._file.seek(name + extra + first, os.SEEK_CUR)
            value = self._file.read(count)
        finally:
            self._file.seek(here)
        if len(value) != count:
            raise EOFError("the file ends within an entry")
        return value

    @contextlib.contextmanager
    def _reading(self, key: str, entry: zipfile.ZipInfo) -> Iterator[None]:
        if entry.flag_bits & _ENCRYPTED:
            raise ZmapError("the entry is encrypted", self._where(key), "zip it without a password")
        try:
            yield
        except NotImplementedError as error:
            raise ZmapError(
                f"the entry is compressed by method {entry.compress_type}, which cannot be read",
                self._where(key),
                "zip it without compression (zip -0)",
            ) from error
        except OSError as error:
            raise storage_error(error, self._where(key), "read") from error
        except _DAMAGE as error:
            raise self._damaged(self._where(key), error) from error
        except Exception as error:
            if type(error).__module__ in ("_lzma", "lzma"):  # not imported for its error's sake
                raise self._damaged(self._where(key), error) from error
            raise

    def _damaged(self, where: str, error: BaseException) -> ZmapError:
        reason = str(error) or type(error).__name__
        return ZmapError(
            f"this is no whole zip file ({reason})", where, "fetch or make it again; try 'zip -T'"
        )


class _OwnPosition(io.RawIOBase):
    """A file whose position is this object's alone, also after a fork, when files are shared."""

    def __init__(self, path: str) -> None:
        self._number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at}.get(whence)
        self._at = (os.fstat(self._number).st_size if start is None else start) + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = os.pread(self._number, len(buffer), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            os.close(self._number)
        super().close()


def _open(path: str, url: str) -> BinaryIO:
    try:
        if hasattr(os, "pread") and not os.path.isdir(path):
            return io.BufferedReader(_OwnPosition(path))
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise storage_error(error, url, "read") from error


def _entries(archive: zipfile.ZipFile) -> tuple[dict[str, zipfile.ZipInfo], tuple[str, ...]]:
    """Key -> entry, and the names that can be no keys."""
    found: dict[str, zipfile.ZipInfo] = {}
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
    ignored.extend(name for name in found if not name.startswith(prefix))
    length = len(prefix)
    keys = {name[length:]: entry for name, entry in found.items() if name.startswith(prefix)}
    return keys, tuple(ignored)


def _name(entry: zipfile.ZipInfo) -> str:
    """The entry's name; those that do not say that they are UTF-8 mostly are, too."""
    name = entry.orig_filename
    if entry.flag_bits & _UTF8 or name.isascii():
        return name
    if entry.filename != name:  # a Unicode name in the extra field
        return entry.filename
    return name.encode("cp437").decode("utf-8", "surrogateescape")


def _is_safe(name: str) -> bool:
    """Whether a name can be a key. A backslash can be part of a name, but not make a ``..``."""
    try:
        check_inside(name)
    except ZmapError:
        return False
    return "\\" not in name or ".." not in re.split(r"[/\\]", name)


def _prefix(names: Mapping[str, object]) -> str:
    """The folder in the zip that is the store's root, with its slash, or ""."""
    inside = [name for name in names if not name.startswith("__MACOSX/")]
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


class ZipWriter:
    """A zip file that is being made; `close` finishes it, `discard` gives up.

    With `begun` the file is there, and what is whole in it is kept.
    """

    def __init__(self, path: str, url: str, *, prefix: str = "", begun: bool = False) -> None:
        self._url = url
        self._prefix = prefix
        entries: list[zipfile.ZipInfo] = []
        try:
            self._file = open(path, "r+b" if begun else "x+b")  # noqa: SIM115 - see close, discard
            if begun:
                entries, end = _whole_entries(self._file)
                self._file.truncate(end)
                self._file.seek(end)
        except OSError as error:
            raise storage_error(error, url, "write") from error
        self._zip = zipfile.ZipFile(self._file, "w")
        self._written: dict[str, zipfile.ZipInfo] = {}
        self._documents: dict[str, bytes] = {}
        self._folders: Counter[str] = Counter()
        for entry in entries:
            self._zip.filelist.append(entry)
            self._zip.NameToInfo[entry.filename] = entry
            key = entry.filename.removeprefix(prefix)
            if key and not _is_document(key):
                self._written[key] = entry
                self._folders.update(ancestors(key))
        if prefix and not entries:
            try:
                self._append(prefix, b"")
            except BaseException:
                self.discard()
                raise

    @property
    def url(self) -> str:
        """Where the store will be, as messages show it."""
        return self._url

    def get(self, key: str) -> bytes | None:
        """The object's bytes, or None if it was not put yet."""
        self._refuse_closed()
        if check_inside(key) in self._written:
            try:
                return self._zip.read(self._written[key])
            except OSError as error:
                raise storage_error(error, self._where(key), "read") from error
        return self._documents.get(key)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Part of an object; see `Zmap.get_range`."""
        value = self.get(key)
        return None if value is None else part(value, start, count)

    def size(self, key: str) -> int | None:
        """The object's size in bytes, or None if it was not put yet."""
        self._refuse_closed()
        if check_inside(key) in self._written:
            return self._written[key].file_size
        document = self._documents.get(key)
        return None if document is None else len(document)

    def search(self, prefix: str) -> list[str]:
        """The names directly below `prefix`; see `Zmap.search`."""
        return self._keys().search(check_inside(prefix))

    def walk(self, prefix: str = "") -> Iterator[str]:
        """The keys at or below `prefix`; see `Zmap.walk`."""
        return self._keys().walk(check_inside(prefix))

    def put(self, key: str, value: bytes) -> None:
        """Write an object, or hold a metadata document, which may come again, for the end."""
        self._refuse_closed()
        if check_key(key) == "" or self._folders[key]:
            raise ZmapError("other keys lie below this one", location=self._where(key))
        if key in self._written:
            raise ZmapError(
                "a zip is written in one pass, and this object is in it already",
                self._where(key),
                "write a directory, and zip that",
            )
        blocked = next((a for a in ancestors(key) if self.size(a) is not None), None)
        if blocked is not None:
            raise ZmapError(
                f"{display(blocked)} is an object, so no key can lie below it", self._where(key)
            )
        if key not in self._documents:
            self._folders.update(ancestors(key))
        if _is_document(key):
            self._documents[key] = bytes(value)
        else:
            self._written[key] = self._append(key, value)

    def keep(self, key: str) -> bool:
        """Whether an earlier run put the object, which then stays."""
        return key in self._written

    def delete(self, key: str) -> bool:
        """Remove a metadata document; False if there is no such object."""
        self._refuse_closed()
        if check_inside(key) in self._written:
            raise ZmapError(
                "what is written in a zip cannot be taken out", location=self._where(key)
            )
        if self._documents.pop(key, None) is None:
            return False
        self._folders.subtract(ancestors(key))
        return True

    def close(self) -> None:
        """Write the documents, the root's last, and the zip's directory."""
        if self._file.closed:
            return
        for key in sorted(self._documents, key=lambda key: (-key.count("/"), key)):
            self._written[key] = self._append(key, self._documents[key])
        self._documents.clear()
        try:
            self._zip.close()
            self._file.close()
        except OSError as error:
            raise storage_error(error, self._url, "write") from error

    def discard(self) -> None:
        """Close the file as it is, which is no zip yet."""
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError, ValueError):  # it finds its file closed
            self._zip.close()

    def _where(self, key: str) -> str:
        return f"{self._url}: {display(key)}"

    def _refuse_closed(self) -> None:
        if self._file.closed:
            raise ZmapError("the store is closed", location=self._url)

    def _keys(self) -> SortedKeys:
        self._refuse_closed()
        return SortedKeys([*self._written, *self._documents])

    def _append(self, key: str, value: bytes) -> zipfile.ZipInfo:
        is_folder = key.endswith("/")
        entry = zipfile.ZipInfo(key if is_folder else self._prefix + key, _EPOCH)
        entry.create_system = 3  # Unix, on every system: the same bytes
        entry.external_attr = (0o40755 << 16 | 0x10) if is_folder else 0o100644 << 16
        try:
            self._zip.writestr(entry, value)
        except UnicodeEncodeError as error:
            raise ZmapError(
                "names in a zip must be UTF-8", self._where(key), "rename it, or use a directory"
            ) from error
        except OSError as error:
            raise storage_error(error, self._where(key), "write") from error
        return entry


_CHUNK_OF_FILE = 1 << 20


def _whole_entries(file: BinaryIO) -> tuple[list[zipfile.ZipInfo], int]:
    """The entries that `ZipWriter` wrote whole, and where the last ends, in a file without an end.

    Documents are only ever written at the end, so an unfinished file has none.
    """
    size = file.seek(0, os.SEEK_END)
    entries: list[zipfile.ZipInfo] = []
    at = 0
    while at < size:
        file.seek(at)
        header = file.read(30)
        if len(header) < 30 or header[:4] != b"PK\3\4":
            break
        flags, method, crc, stored, length, name, extra = _RESUMED.unpack(header[6:])
        text = file.read(name)
        fields = file.read(extra)
        if fields[:2] == b"\1\0" and len(fields) >= 20:  # lengths of 64 bits
            length, stored = struct.unpack("<QQ", fields[4:20])
        start = at + 30 + name + extra
        if method or stored != length or start + length > size or _crc(file, length) != crc:
            break
        entry = zipfile.ZipInfo(text.decode("utf-8" if flags & _UTF8 else "cp437"), _EPOCH)
        entry.create_system = 3
        is_folder = entry.filename.endswith("/")
        entry.external_attr = (0o40755 << 16 | 0x10) if is_folder else 0o100644 << 16
        entry.header_offset, entry.CRC = at, crc
        entry.file_size = entry.compress_size = length
        if _is_document(entry.filename):
            break
        entries.append(entry)
        at = start + length
    return entries, at


def _crc(file: BinaryIO, length: int) -> int:
    crc = 0
    while length > 0 and (block := file.read(min(length, _CHUNK_OF_FILE))):
        crc = zlib.crc32(block, crc)
        length -= len(block)
    return crc if length == 0 else -1


def _is_document(key: str) -> bool:
    name = key.rpartition("/")[2]
    return name.startswith(".") or name == "zarr.json"
