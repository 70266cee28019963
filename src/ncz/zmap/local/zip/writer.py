"""Write a zip file in one pass.

Entries are stored and not compressed, because chunks usually are already compressed. A metadata
document may be put several times, so documents are held until the end; a chunk is written once.
"""

from __future__ import annotations

import contextlib
import zipfile
from collections import Counter
from collections.abc import Iterator

from ncz.errors import ZmapError
from ncz.zmap import WritableZmap
from ncz.zmap.key import SortedKeys, ancestors, check_inside, check_key, display, is_document, part
from ncz.zmap.limits import LARGEST_DOCUMENT, too_large
from ncz.zmap.local.zip.entries import complete_entries
from ncz.zmap.local.zip.layout import layout_prefix, new_entry
from ncz.zmap.location import Location
from ncz.zmap.os_errors import storage_error


class ZipWriter:
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
        self._url = url
        self._prefix = prefix
        entries: list[zipfile.ZipInfo] = []
        try:
            self._file = open(path, "r+b" if begun else "x+b")  # noqa: SIM115 - see close, discard
            if begun:
                entries, end = complete_entries(self._file)
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
            if key and not is_document(key):
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
        """The store's path or URL, as messages show it."""
        return self._url

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object that was put; see `Zmap.get`."""
        if (self.size(key) or 0) > limit:
            raise too_large(self._where(key), limit)
        if key in self._written:
            try:
                return self._zip.read(self._written[key])
            except OSError as error:
                raise storage_error(error, self._where(key), "read") from error
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
        if check_key(key) == "" or self._folders[key]:
            raise ZmapError("other keys are below this key", location=self._where(key))
        if key in self._written:
            raise ZmapError(
                "a zip file is written in one pass, and it already contains this object",
                self._where(key),
                "write a directory and zip it",
            )
        blocked = next((a for a in ancestors(key) if self.size(a) is not None), None)
        if blocked is not None:
            raise ZmapError(
                f"{display(blocked)} is an object, so no key can be below it", self._where(key)
            )
        if key not in self._documents:
            self._folders.update(ancestors(key))
        if is_document(key):
            self._documents[key] = bytes(value)
        else:
            self._written[key] = self._append(key, value)

    def keep(self, key: str, size: int | None = None) -> bool:
        """Keep the object that an earlier run wrote, which is complete; see `ResumableZmap`."""
        return key in self._written

    def delete(self, key: str) -> bool:
        """Delete a metadata document; return False if no object has this key."""
        self._refuse_closed()
        if check_inside(key) in self._written:
            raise ZmapError(
                "an object cannot be deleted from a zip file", location=self._where(key)
            )
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
        try:
            self._zip.close()
            self._file.close()
        except OSError as error:
            raise storage_error(error, self._url, "write") from error

    def discard(self) -> None:
        """Close the file without completing it."""
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError, ValueError):  # its file is already closed
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
        entry = new_entry(key if key.endswith("/") else self._prefix + key)
        try:
            self._zip.writestr(entry, value)
        except UnicodeEncodeError as error:
            raise ZmapError(
                "names in a zip file must be UTF-8",
                self._where(key),
                "rename it, or write a directory",
            ) from error
        except OSError as error:
            raise storage_error(error, self._where(key), "write") from error
        return entry


@contextlib.contextmanager
def zip_at(partial: str, location: Location, begun: bool, _: bool) -> Iterator[WritableZmap]:
    """Build a zip file at `partial`."""
    zmap = ZipWriter(partial, location.path, prefix=layout_prefix(location), begun=begun)
    try:
        yield zmap
        zmap.close()
    except BaseException:
        zmap.discard()
        raise
