"""The text being read, and where in it something stands.

Syntax trees and constants carry byte offsets, which cost nothing; a line and a column are worked
out only when there is something to report. The text may be a memory map of many gigabytes on
one line, so nothing here takes more of it than a window.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator

from ncz.errors import CdlError
from ncz.record import record

Buffer = bytes | mmap.mmap

_WINDOW = 60
"""Bytes of a long line that are shown on each side of the place meant."""
_PIECE = 1 << 20
_CONTINUATION = bytes(range(0x80, 0xC0))


@record
class Source:
    """A CDL text and the name that errors call it by."""

    buffer: Buffer
    name: str

    def line_and_column(self, at: int) -> tuple[int, int]:
        """Line and column, from 1, of byte offset `at`; a column is a character."""
        begin = self.buffer.rfind(b"\n", 0, at) + 1
        line = 1 + sum(piece.count(b"\n") for piece in self._pieces(0, begin))
        characters = sum(len(p.translate(None, _CONTINUATION)) for p in self._pieces(begin, at))
        return line, characters + 1

    def location(self, at: int) -> str:
        """``name:line:column`` of byte offset `at`."""
        line, column = self.line_and_column(at)
        return f"{self.name}:{line}:{column}"

    def error(self, at: int, what: str, hint: str | None = None) -> CdlError:
        """The error that something at byte offset `at` is wrong.

        Of a long line only a window becomes `source_line`; `column` then counts in the window, so
        that a caret under it stands right, and `location` has the true column.
        """
        size = len(self.buffer)
        at = min(at, size)
        begin = self.buffer.rfind(b"\n", max(0, at - _WINDOW), at) + 1 or max(0, at - _WINDOW)
        end = self.buffer.find(b"\n", at, min(size, at + _WINDOW))
        end = min(size, at + _WINDOW) if end < 0 else end
        before = self.buffer[begin:at].decode("utf-8", "replace")
        after = self.buffer[at:end].decode("utf-8", "replace").rstrip("\r")
        return CdlError(
            what,
            self.location(at),
            hint,
            source_line=before + after,
            column=len(before) + 1,
        )

    def decode(self, start: int, stop: int) -> str:
        """The characters of a span. Raises CdlError at a byte that is not UTF-8."""
        try:
            return self.buffer[start:stop].decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.not_utf8(start + error.start) from None

    def not_utf8(self, at: int) -> CdlError:
        """The error that the byte at `at` is not UTF-8."""
        return self.error(
            at,
            f"byte 0x{self.buffer[at]:02x} is not UTF-8",
            "save the file as UTF-8, or write the byte as an octal escape in a string",
        )

    def release(self, start: int, stop: int) -> None:
        """Give back the memory of a part of a mapped text, which can be read again all the same."""
        if isinstance(self.buffer, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            start -= start % mmap.PAGESIZE
            self.buffer.madvise(mmap.MADV_DONTNEED, start, stop - start)

    def _pieces(self, start: int, stop: int) -> Iterator[bytes]:
        cuts = range(start, stop, _PIECE)
        return (self.buffer[a : min(a + _PIECE, stop)] for a in cuts)
