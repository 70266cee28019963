"""Print char data: each row is one quoted text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ncz.model.slabs import distinct
from ncz.text.format_values import CHAR_ESCAPES, escape_chars

if TYPE_CHECKING:
    from ncz.cdl.rows import Rows
    from ncz.model.data import Values


_ESCAPES = CHAR_ESCAPES | {ord("\n"): '\\n",\n    "'}


def escape_char_lines(text: str) -> str:
    """Escape chars like `escape_chars`, and split the text after each newline."""
    return text.translate(_ESCAPES)


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
        text: str = values.tobytes().decode("latin-1") if has_chars else ""
        start = 0
        while start < values.size:
            row, column = divmod(position + start, columns)
            size = min(columns - column, values.size - start)
            self.part_of_row(text[start : start + size], size, row, column)
            start += size

    def part_of_row(self, text: str, size: int, row: int, column: int) -> None:
        """Write part of a row, or all of it: `text`, and NULs up to `size` chars."""
        rows, emit = self.rows, self.rows.wrapper.emit
        if column == 0:
            rows.open(row)
            emit(b'"')
            self.nuls = 0
        printed = text if self.keep_nuls else text.rstrip("\0")
        if printed:
            escaped = escape_chars(printed) if rows.ranked else escape_char_lines(printed)
            emit(b"\\000" * self.nuls + escaped.encode("ascii"))
            self.nuls = 0
        self.nuls += size - len(printed)
        if column + size < rows.columns:
            return
        if rows.style.full:
            emit(b'"' + rows.braces(row) + rows.mark(row))
            emit(rows.comment(row, rows.columns - 1))
        else:
            emit(b'"' + rows.braces(row) + rows.end(row))
