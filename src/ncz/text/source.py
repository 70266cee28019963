"""The text being parsed, and the lines and columns in it.

Syntax trees and constants have byte offsets. A line and a column are computed only for an error or
a notice. The text may be a memory map of many gigabytes on one line, so at most a window of it is
copied.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator

from ncz.errors import NO_PROGRESS, CdlError, Progress
from ncz.record import record

Buffer = bytes | mmap.mmap

_WINDOW = 60
"""Bytes of a long line that are shown on each side of an error."""
_PIECE = 1 << 20
_MAPPED_AT_ONCE = 1 << 21
"""The system maps pages before and after one that is read, at most this number of bytes."""
_CONTINUATION = bytes(range(0x80, 0xC0))


@record
class SourceText:
    """A CDL or JSON text, its name in error messages, and the receiver of progress in bytes."""

    buffer: Buffer
    name: str
    progress: Progress = NO_PROGRESS

    def line_and_column(self, at: int) -> tuple[int, int]:
        """Return line and column, from 1, of byte offset `at`; columns count characters."""
        begin = self.buffer.rfind(b"\n", 0, at) + 1
        line = 1 + sum(piece.count(b"\n") for piece in self._pieces(0, begin))
        characters = sum(len(p.translate(None, _CONTINUATION)) for p in self._pieces(begin, at))
        return line, characters + 1

    def location(self, at: int) -> str:
        """Return ``name:line:column`` of byte offset `at`."""
        line, column = self.line_and_column(at)
        return f"{self.name}:{line}:{column}"

    def error(self, at: int, what: str, hint: str | None = None) -> CdlError:
        """Return an error at byte offset `at`.

        The `source_line` of a long line is a window of it. `column` then counts in the window, so
        that a caret below it is in the right place, and `location` has the true column.
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
        """Decode a span. Raise CdlError at a byte that is not UTF-8."""
        try:
            return self.buffer[start:stop].decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.encoding_error(start + error.start) from None

    def encoding_error(self, at: int) -> CdlError:
        """Return the error for a byte that is not UTF-8."""
        return self.error(
            at,
            f"byte 0x{self.buffer[at]:02x} is not valid UTF-8",
            "save the file as UTF-8",
        )

    def report_scan(self, start: int, stop: int) -> None:
        """Report that a part of the text was scanned, and release its memory."""
        self.progress.advance(self.name, stop - start, 0)
        self.release(start, stop)

    def release(self, start: int, stop: int) -> None:
        """Release the memory of a part of a mapped text; it can be read again.

        Of neighbouring parts that are small, one in each megabyte releases those before it too.
        """
        if start // _PIECE == stop // _PIECE:
            return
        if isinstance(self.buffer, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            start -= start % _MAPPED_AT_ONCE
            self.buffer.madvise(mmap.MADV_DONTNEED, start, stop - start)

    def _pieces(self, start: int, stop: int) -> Iterator[bytes]:
        cuts = range(start, stop, _PIECE)
        return (self.buffer[a : min(a + _PIECE, stop)] for a in cuts)
