"""The rows of a variable's data, char data among them, wrapped into lines as ncdump does.

A row is a run along the last dimension. Each run of an unlimited dimension except the first one is
in braces. Comments show the indices of rows (``-b``) or of single values (``-f``).
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ncz.model.slabs import distinct
from ncz.record import record
from ncz.text.format_values import CHAR_ESCAPES, Precision, encode_text, escape_chars

if TYPE_CHECKING:
    from ncz.model.data import Values

# Wrap data into lines as ncdump does: greedily, after ``, ``, never inside a value.
#
# Widths are in bytes. A value that does not fit begins a new line, even if it is longer than a
# line. A last value of at most two bytes never does, as ncdump treats it like punctuation.

_MANY = 16
"""Least number of lines that are broken at once."""

Emit = Callable[[bytes], object]


@dataclass(slots=True)
class Wrapper:
    """Writes values. `limit` is the largest length of a line; `indent` that of the group."""

    limit: int
    indent: int
    emit: Emit
    column: int = 0

    @property
    def newline(self) -> bytes:
        """The newline and indentation of a line that continues a row."""
        return b"\n" + b" " * (self.indent + 4)

    def put(self, token: bytes) -> None:
        """Write one value, with the comma and the space after it."""
        if self.column + len(token) > self.limit and len(token) > 2:
            self.emit(self.newline)
            self.column = self.indent + 4
        self.emit(token)
        self.column += len(token)

    def put_text(self, text: bytes) -> None:
        """Write several numbers, ``1, 2, 3`` or ``1, 2, ``, like `put` for each of them.

        A regular expression matches a line at a time, which is faster than one value at a time.
        """
        if not text:
            return
        full_room = self.limit - self.indent - 4
        room, start = self.limit - self.column, 0
        lines: list[bytes] = []
        if len(text) > max(room, 2):
            # The values that fit on the current line, if any.
            first = _lines(room).match(text) if room > 2 else None
            start = first.end() if first is not None else 0
            lines = [text[:start]]
            block, start = _equal_lines(text, start, full_room, self.newline)
            if block:
                lines.append(block)
            rest = _lines_or_value(full_room).findall(text, start)
            start += sum(map(len, rest))
            lines += rest
        last = text[start:]
        if lines and (len(last) <= 2 or self._fits(lines, last, room, full_room)):
            lines[-1] += last
        else:
            lines.append(last)
        self.column = self.limit - (room if len(lines) == 1 else full_room) + len(lines[-1])
        self.emit(self.newline.join(lines))

    @staticmethod
    def _fits(lines: list[bytes], last: bytes, room: int, full_room: int) -> bool:
        """Return whether the last value fits on the last line so far."""
        return len(lines[-1]) + len(last) <= (room if len(lines) == 1 else full_room)


def _equal_lines(text: bytes, start: int, room: int, newline: bytes) -> tuple[bytes, int]:
    """Break numbers of equal lengths into lines, of which all have as many values.

    Returns
    -------
    lines : bytes
        Full lines, joined by `newline`; empty if the numbers are few or not of equal lengths.
    stop : int
        Where the lines end in `text`.
    """
    width = text.find(b", ", start) + 2 - start
    size = room // width * width if width >= 3 else 0
    count = (len(text) - start) // size if size else 0
    stop = start + count * size
    if count <= _MANY or not (
        text[start + width - 2 : stop : width].count(b",")
        == count * size // width
        == text.count(b",", start, stop)
    ):
        return b"", start
    # The last line is left out, as a narrower value may fit on it.
    count, stop = count - 1, stop - size
    import numpy as np

    lines = np.empty(count, [("line", f"V{size}"), ("end", f"V{len(newline)}")])
    lines["line"] = np.frombuffer(text, f"V{size}", count, start)
    lines["end"] = np.void(newline)
    return lines.tobytes()[: -len(newline)], stop


@functools.cache
def _lines(room: int) -> re.Pattern[bytes]:
    """Match as many values as fit, at least one, each with its comma and space."""
    return re.compile(rb".{1,%d}, " % max(1, room - 2))


@functools.cache
def _lines_or_value(room: int) -> re.Pattern[bytes]:
    """Match the same, or one value that is longer than a line."""
    return re.compile(rb".{1,%d}, |[^,]*, " % max(1, room - 2))


Indices = Literal["c", "f"]
"""Indices in comments: from 0, last dimension fastest; or from 1, first dimension fastest."""


@record
class DataStyle:
    """The options that affect data."""

    line_length: int = 80
    precision: Precision = Precision()
    brief: Indices | None = None
    full: Indices | None = None
    jobs: int = 1
    """Largest number of processes that print."""


@dataclass(slots=True)
class Rows:
    """The rows of one variable."""

    name: str
    shape: tuple[int, ...]
    spans: tuple[int, ...]
    """Number of rows in a run of each unlimited dimension except the first one."""
    style: DataStyle
    wrapper: Wrapper

    @property
    def columns(self) -> int:
        """Number of values in a row."""
        return self.shape[-1] if self.shape else 1

    @property
    def count(self) -> int:
        """Number of rows."""
        return math.prod(self.shape[:-1])

    @property
    def is_plain(self) -> bool:
        """Whether no row has braces or comments."""
        return not self.spans and not self.style.full and not (self.style.brief and self.ranked)

    @property
    def ranked(self) -> bool:
        """Whether each row begins on a new line."""
        return len(self.shape) > 1

    @property
    def last_column(self) -> int:
        """The column where the data end for ncdump, which does not count what `full` prints."""
        indent = self.wrapper.indent
        if not self.style.full:
            return indent
        if self.ranked and self.style.brief:
            return indent + 4
        braces = sum(self.count // span for span in self.spans)
        return (indent + 2 if self.ranked else self.wrapper.column) + braces

    def open(self, row: int) -> None:
        """Write the beginning of a row, before its first value."""
        if not self.ranked:
            return
        wrapper = self.wrapper
        braces = b"{" * sum(row % span == 0 for span in self.spans)
        wrapper.column = 2 + wrapper.indent
        if row == 0 or not self.style.full:
            wrapper.emit(b"  ")
        wrapper.emit(braces)
        wrapper.column += len(braces)
        if self.style.brief:
            wrapper.emit(encode_text(f"// {self.name}({self.brief(row)})") + wrapper.newline)
            wrapper.column = wrapper.indent + 4

    def braces(self, row: int) -> bytes:
        """Return the closing braces after a row, which count as part of its last value."""
        return b"}" * sum((row + 1) % span == 0 for span in self.spans)

    def mark(self, row: int) -> bytes:
        """Return the punctuation after a row and its braces."""
        return b";" if row == self.count - 1 else b","

    def end(self, row: int) -> bytes:
        """Return the end of a row without comments: the punctuation and a newline."""
        return b" ;\n" if row == self.count - 1 else b",\n"

    def leading(self, row: int) -> list[int]:
        """Return the indices of a row along all dimensions but the last."""
        indices: list[int] = []
        for size in reversed(self.shape[:-1]):
            row, index = divmod(row, size)
            indices.insert(0, index)
        return indices

    def brief(self, row: int) -> str:
        """Format the indices of a row as a range."""
        leading, last = self.leading(row), self.columns
        if self.style.brief == "c":
            indices = "".join(f"{i}," for i in leading)
            return indices + ("0" if last == 1 else f" 0-{last - 1}")
        indices = "".join(f",{i + 1}" for i in reversed(leading))
        return ("1" if last == 1 else f"1-{last} ") + indices

    def comment(self, row: int, column: int) -> bytes:
        """Return the comment after one value, and the start of the next line."""
        indices = [*self.leading(row), column]
        if self.style.full == "f":
            indices = [i + 1 for i in reversed(indices)]
        return encode_text(f"  // {self.name}({','.join(map(str, indices))})\n    ")


def print_tokens(rows: Rows, tokens: Iterator[bytes], position: int) -> None:
    """Write consecutive formatted values from `position` on."""
    wrapper, columns = rows.wrapper, rows.columns
    row, column = divmod(position, columns)
    for token in tokens:
        if column == 0:
            rows.open(row)
        last = column == columns - 1
        if rows.style.full:
            wrapper.emit(token + (rows.braces(row) + rows.mark(row) if last else b", "))
            wrapper.emit(rows.comment(row, column))
        elif last:
            wrapper.put(token + rows.braces(row))
            wrapper.emit(rows.end(row))
        else:
            wrapper.put(token + b", ")
        row, column = (row + 1, 0) if last else (row, column + 1)


# Print char data: each row is one quoted text.

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
        shown = text if self.keep_nuls else text.rstrip("\0")
        if shown:
            escaped = escape_chars(shown) if rows.ranked else escape_char_lines(shown)
            emit(b"\\000" * self.nuls + escaped.encode("ascii"))
            self.nuls = 0
        self.nuls += size - len(shown)
        if column + size < rows.columns:
            return
        if rows.style.full:
            emit(b'"' + rows.braces(row) + rows.mark(row))
            emit(rows.comment(row, rows.columns - 1))
        else:
            emit(b'"' + rows.braces(row) + rows.end(row))
