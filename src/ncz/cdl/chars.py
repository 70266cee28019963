"""Print char data: each row is one quoted text."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.model.slabs import distinct
from ncz.text.format_values import escape_chars

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.cdl.rows import Rows
    from ncz.model.data import Values

_PLAIN = bytes(code for code in range(32, 127) if code not in b"\\\"'")
"""The chars that are printed without escapes."""


@functools.cache
def _escapes() -> NDArray[np.uint32]:
    """Return the printed form of each char: up to four characters, then NULs."""
    return np.array([escape_chars(chr(code)) for code in range(256)], "S4").view(np.uint32)


def _escape(text: bytes) -> bytes:
    if not text.translate(None, _PLAIN):
        return text
    return _escapes().take(np.frombuffer(text, np.uint8)).tobytes().translate(None, b"\0")


def escape_char_lines(text: bytes) -> bytes:
    """Escape chars, and split the text after each newline."""
    return b'\\n",\n    "'.join(map(_escape, text.split(b"\n")))


def quoted_rows(chars: NDArray[np.uint8], *, keep_nuls: bool) -> bytes:
    """Return the rows of a 2-D array as text, with ``,`` and a newline between them.

    NULs at the end of a row are left out unless they are kept.
    """
    count = len(chars)
    nuls = chars == 0
    needs_escapes = bool(chars.tobytes().translate(None, _PLAIN + b"\0"))
    if not needs_escapes and nuls.any():
        needs_escapes = keep_nuls or bool((nuls[:, :-1] > nuls[:, 1:]).any())
    if needs_escapes:
        text = _escapes().take(chars)
        if not keep_nuls:
            text[np.logical_and.accumulate(nuls[:, ::-1], axis=1)[:, ::-1]] = 0
        chars = text.view(np.uint8)
    cells = np.empty((count, chars.shape[1] + 6), np.uint8)
    cells[:, :3] = np.frombuffer(b'  "', np.uint8)
    cells[:, 3:-3] = chars
    cells[:, -3:] = np.frombuffer(b'",\n', np.uint8)
    return cells.tobytes()[:-2].translate(None, b"\0")


@dataclass(slots=True)
class CharPrinter:
    """Prints chars. A row is never wrapped, but a variable of one row is split after newlines.

    With several rows this is not possible, as ncgen reads each text as a row.
    """

    rows: Rows
    keep_nuls: bool
    """Whether trailing NULs are written, as rows are padded with another fill value."""
    nuls: int = 0
    """Number of NULs that are written only if other chars follow in the row."""

    def __call__(self, values: Values, position: int) -> None:
        columns = self.rows.columns
        has_chars = self.keep_nuls or bool(distinct(values).view("u1").any())
        while values.size:
            row, column = divmod(position, columns)
            count = values.size // columns if column == 0 else 0
            if count and self.rows.has_row_breaks and self.rows.is_plain:
                size = count * columns
                self.whole_rows(values[:size].reshape(count, columns), row)
            else:
                size = min(columns - column, values.size)
                text = values[:size].tobytes() if has_chars else b""
                self.part_of_row(text, size, row, column)
            values, position = values[size:], position + size

    def whole_rows(self, values: Values, row: int) -> None:
        """Write complete rows; the first one has the number `row`."""
        emit = self.rows.wrapper.emit
        emit(quoted_rows(values.view(np.uint8), keep_nuls=self.keep_nuls))
        emit(self.rows.end(row + len(values) - 1))

    def part_of_row(self, text: bytes, size: int, row: int, column: int) -> None:
        """Write part of a row, or all of it: `text`, and NULs up to `size` chars."""
        rows, emit = self.rows, self.rows.wrapper.emit
        if column == 0:
            rows.open(row)
            emit(b'"')
            self.nuls = 0
        printed = text if self.keep_nuls else text.rstrip(b"\0")
        if printed:
            escaped = _escape(printed) if rows.has_row_breaks else escape_char_lines(printed)
            emit(b"\\000" * self.nuls + escaped)
            self.nuls = 0
        self.nuls += size - len(printed)
        if column + size < rows.columns:
            return
        if rows.style.full:
            emit(b'"' + rows.braces(row) + rows.mark(row))
            emit(rows.comment(row, rows.columns - 1))
        else:
            emit(b'"' + rows.braces(row) + rows.end(row))
