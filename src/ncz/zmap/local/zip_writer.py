"""Write a zip file in one pass.

Entries are stored and not compressed, because chunks usually are already compressed. A metadata
document may be put several times, so documents are kept until the end; a chunk is written once.
"""

from __future__ import annotations

import contextlib
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator

from ncz.errors import ZmapError
from ncz.system_errors import storage_error, storage_errors
from ncz.zmap import WritableZmap
from ncz.zmap.key import (
    LARGEST_DOCUMENT,
    SortedKeys,
    ancestors,
    check_inside,
    check_key,
    is_document,
    part,
    refuse_object_above,
    too_large,
)
from ncz.zmap.local.unfinished_zip import complete_entries
from ncz.zmap.local.zip_decompression import PIECE
from ncz.zmap.local.zip_layout import UTF8, layout_prefix, new_entry
from ncz.zmap.location import Location

_NEW_HEADER = struct.Struct("<4sHH2xLLLLH2x")  # of an entry that is stored: method 0
_DATE = (1 << 5 | 1) << 16  # `_EPOCH`, after the time
_LARGEST_AT_ONCE = 1 << 30


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
        """Write an object. A metadata document is kept until `close`, and may be put again."""
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
        """Write the documents, the root's last, and complete the file."""
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
        """Append an entry; the bytes are as zipfile writes them, which goes back to each header."""
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
        if size < PIECE:
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
    zmap.has_earlier = begun
    try:
        yield zmap
        zmap.close()
    except BaseException:
        zmap.discard()
        raise
