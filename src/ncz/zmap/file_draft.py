"""A file with changes in memory, which a library makes before they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from ncz.zmap.range_file import PositionedFile, RangeFile, check_range

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_PAGE = 4096
"""Bytes that are kept together."""


class FileDraft:
    """A file as it would be after changes; only the changed pages are in memory.

    Parameters
    ----------
    file
        The file, which is only read, and which the caller closes.
    """

    path = None
    """There is no such file on the disk."""

    def __init__(self, file: RangeFile) -> None:
        self.url = file.url
        self.address = file.address
        self.size = file.size
        self._file = file
        self._kept = file.size  # bytes of the file that are still part of it
        self._pages: dict[int, bytearray] = {}

    def read(self, start: int, count: int) -> bytes:
        """Return a part of the changed file; see `RangeFile.read`."""
        check_range(self.url, self.size, start, count)
        data = self._original(start, count)
        for number in range(start // _PAGE, -(-(start + count) // _PAGE)):
            page = self._pages.get(number)
            if page is not None:
                low, high = max(start, number * _PAGE), min(start + count, (number + 1) * _PAGE)
                data[low - start : high - start] = page[low % _PAGE :][: high - low]
        return bytes(data)

    def write(self, start: int, data: ReadableBuffer) -> None:
        """Change bytes from an offset, or add them at the end."""
        view = memoryview(data).cast("B")
        at = start
        while view:
            number, offset = divmod(at, _PAGE)
            page = self._pages.get(number)
            if page is None:
                page = self._pages[number] = self._original(number * _PAGE, _PAGE)
            count = min(len(view), _PAGE - offset)
            page[offset : offset + count] = view[:count]
            view, at = view[count:], at + count
        if at > start:
            self.size = max(self.size, at)

    def truncate(self, size: int) -> None:
        """Give the file another size; added bytes are zero."""
        self._kept = min(self._kept, size)
        self._pages = {
            number: page for number, page in self._pages.items() if number * _PAGE < size
        }
        last = self._pages.get(size // _PAGE)
        if last is not None:
            last[size % _PAGE :] = bytes(_PAGE - size % _PAGE)
        self.size = size

    def write_to(self, copy: BinaryIO) -> None:
        """Change a copy of the file as the draft is."""
        copy.truncate(self._kept)
        for number, page in sorted(self._pages.items()):
            copy.seek(number * _PAGE)
            copy.write(page)
        copy.truncate(self.size)

    def check_unchanged(self) -> None:
        """Raise `ZmapError` if the file has changed since it was opened."""
        self._file.check_unchanged()

    def close(self) -> None:
        """Do nothing: the caller closes the file."""

    def _original(self, start: int, count: int) -> bytearray:
        """Return bytes before the changes; there are zeros behind the end of the file."""
        stored = max(0, min(count, self._kept - start))
        data = bytearray(count)
        data[:stored] = self._file.read(start, stored) if stored else b""
        return data


class PositionedDraft(PositionedFile):
    """A draft with a position, for libraries that change files."""

    def __init__(self, draft: FileDraft) -> None:
        super().__init__(draft.size, draft.read)
        self._draft = draft

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: ReadableBuffer) -> int:
        """Write at the position; see `io.RawIOBase.write`."""
        count = memoryview(data).nbytes
        self._draft.write(self._at, data)
        self._at += count
        self._size = self._draft.size
        return count

    def truncate(self, size: int | None = None) -> int:
        """Give the file another size; see `io.IOBase.truncate`."""
        self._draft.truncate(self._at if size is None else size)
        self._size = self._draft.size
        return self._size
