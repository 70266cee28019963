"""Rows of data, with the indices of each row in a comment if requested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ncz.record import record
from ncz.text.format_values import Precision, encode_text

if TYPE_CHECKING:
    from ncz.cdl.wrapper import Wrapper


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
        return (
            not self.spans
            and not self.style.full
            and not (self.style.brief and self.has_row_breaks)
        )

    @property
    def has_row_breaks(self) -> bool:
        """Whether each row begins on a new line."""
        return len(self.shape) > 1

    @property
    def last_column(self) -> int:
        """The column where the data end for ncdump, without the comments of `full`."""
        indent = self.wrapper.indent
        if not self.style.full:
            return indent
        if self.has_row_breaks and self.style.brief:
            return indent + 4
        braces = sum(self.count // span for span in self.spans)
        return (indent + 2 if self.has_row_breaks else self.wrapper.column) + braces

    def open(self, row: int) -> None:
        """Write the beginning of a row, before its first value."""
        if not self.has_row_breaks:
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

    def leading_indices(self, row: int) -> list[int]:
        """Return the indices of a row along all dimensions but the last."""
        indices: list[int] = []
        for size in reversed(self.shape[:-1]):
            row, index = divmod(row, size)
            indices.insert(0, index)
        return indices

    def brief(self, row: int) -> str:
        """Format the indices of a row as a range."""
        leading, last = self.leading_indices(row), self.columns
        if self.style.brief == "c":
            indices = "".join(f"{i}," for i in leading)
            return indices + ("0" if last == 1 else f" 0-{last - 1}")
        indices = "".join(f",{i + 1}" for i in reversed(leading))
        return ("1" if last == 1 else f"1-{last} ") + indices

    def comment(self, row: int, column: int) -> bytes:
        """Return the comment after one value, and the start of the next line."""
        indices = [*self.leading_indices(row), column]
        if self.style.full == "f":
            indices = [i + 1 for i in reversed(indices)]
        return encode_text(f"  // {self.name}({','.join(map(str, indices))})\n    ")


def print_tokens(rows: Rows, tokens: Sequence[bytes], position: int) -> None:
    """Write consecutive formatted values from `position` on."""
    wrapper, columns = rows.wrapper, rows.columns
    start = 0
    while start < len(tokens):
        row, column = divmod(position + start, columns)
        part = tokens[start : start + columns - column]
        if column == 0:
            rows.open(row)
        is_last = column + len(part) == columns
        if rows.style.full:
            _print_with_comments(rows, part, row, column)
        elif is_last:
            wrapper.put_all(part[:-1])
            wrapper.put(part[-1] + rows.braces(row))
            wrapper.emit(rows.end(row))
        else:
            wrapper.put_all(part)
        start += len(part)


def _print_with_comments(rows: Rows, tokens: Sequence[bytes], row: int, first: int) -> None:
    """Write values of one row from the column `first` on, each on a line with its indices."""
    emit = rows.wrapper.emit
    for column, token in enumerate(tokens, first):
        is_last = column == rows.columns - 1
        emit(token + (rows.braces(row) + rows.mark(row) if is_last else b", "))
        emit(rows.comment(row, column))
