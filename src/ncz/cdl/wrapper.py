"""Wrap data into lines as ncdump does: greedily, after ``, ``, never inside a value.

Widths are in bytes. A value that does not fit begins a new line, even if it is longer than a
line. A last value of at most two bytes never does, as ncdump treats it like punctuation.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ncz.late import numpy as np

_FEW = 4
"""Values that are written one by one in less time than together."""

_PIECE = 1 << 18
"""Bytes of a long text that are broken into lines at a time, whose memory is used again."""

_MANY = 16
"""Least number of lines that are broken together."""

Emit = Callable[[bytes], object]


class _WrappedText(NamedTuple):
    """A text, the column where it begins, its lines, and the column where they end."""

    text: bytes
    start: int
    lines: bytes
    stop: int


@dataclass(slots=True)
class Wrapper:
    """Writes values. `limit` is the largest length of a line; `indent` is the group's."""

    limit: int
    indent: int
    emit: Emit
    column: int = 0
    _last: _WrappedText | None = None

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

    def put_all(self, tokens: Sequence[bytes]) -> None:
        """Write several values, like `put` for each of them, each with a comma and a space."""
        if len(tokens) < _FEW:
            for token in tokens:
                self.put(token + b", ")
            return
        text = b", ".join(tokens) + b", "
        ends = np.fromiter(map(len, tokens), np.int64, len(tokens)) + 2
        np.cumsum(ends, out=ends)
        first = int(np.searchsorted(ends, self.limit - self.column, "right"))
        starts = np.concatenate(([0], ends))
        # Where the line ends that begins with each value; one that does not fit is a line.
        stops = np.searchsorted(ends, starts[:-1] + self.limit - self.indent - 4, "right")
        after = np.maximum(stops, np.arange(1, len(tokens) + 1)).tolist()
        cuts = [0, first]
        while cuts[-1] < len(tokens):
            cuts.append(after[cuts[-1]])
        lines = [text[start:stop] for start, stop in pairwise(starts[cuts].tolist())]
        self.emit(self.newline.join(lines))
        self.column = len(lines[-1]) + (self.indent + 4 if len(lines) > 1 else self.column)

    def put_text(self, text: bytes) -> None:
        """Write several numbers, ``1, 2, 3`` or ``1, 2, ``, like `put` for each of them.

        A regular expression matches a line at a time, which is faster than one value at a time.
        A row like the one before, as of missing values, is wrapped like it.
        """
        start = 0
        while len(text) - start > 2 * _PIECE and (stop := text.find(b", ", start + _PIECE) + 2) > 1:
            self.emit(self._lines_of(text[start:stop]))
            start = stop
        text = text[start:]
        if not text:
            return
        last = self._last
        if last is None or last.text != text or last.start != self.column:
            start = self.column
            lines = self._lines_of(text)
            last = self._last = _WrappedText(text, start, lines, self.column)
        self.column = last.stop
        self.emit(last.lines)

    def _lines_of(self, text: bytes) -> bytes:
        """Break numbers into lines that begin at the column, and move the column to their end."""
        full_room = self.limit - self.indent - 4
        room, start = self.limit - self.column, 0
        lines: list[bytes] = []
        if len(text) > max(room, 2):
            # The values that fit on the current line, if any.
            first = _full_lines(room).match(text) if room > 2 else None
            start = first.end() if first is not None else 0
            lines = [text[:start]]
            block, start = _equal_lines(text, start, full_room, self.newline)
            if block:
                lines.append(block)
            end = text.rfind(b", ", start) + 2
            if end > 1:
                lines += _lines_or_value(full_room).findall(text, start)
                start = end
        last = text[start:]
        if lines and (len(last) <= 2 or self._fits(lines, last, room, full_room)):
            lines[-1] += last
        else:
            lines.append(last)
        self.column = self.limit - (room if len(lines) == 1 else full_room) + len(lines[-1])
        return self.newline.join(lines)

    @staticmethod
    def _fits(lines: list[bytes], last: bytes, room: int, full_room: int) -> bool:
        """Return whether the last value fits on the last line so far."""
        return len(lines[-1]) + len(last) <= (room if len(lines) == 1 else full_room)


def _equal_lines(text: bytes, start: int, room: int, newline: bytes) -> tuple[bytes, int]:
    """Break numbers of equal lengths into lines with the same number of values.

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

    lines = np.empty(count, [("line", f"V{size}"), ("end", f"V{len(newline)}")])
    lines["line"] = np.frombuffer(text, f"V{size}", count, start)
    lines["end"] = np.void(newline)
    return lines.tobytes()[: -len(newline)], stop


@functools.cache
def _full_lines(room: int) -> re.Pattern[bytes]:
    """Match as many values as fit, at least one, each with its comma and space."""
    return re.compile(rb".{1,%d}, " % max(1, room - 2), re.DOTALL)


@functools.cache
def _lines_or_value(room: int) -> re.Pattern[bytes]:
    """Match as many values as fit, or one value that is longer than a line.

    No value has a newline; with DOTALL, none is looked for.
    """
    return re.compile(rb".{1,%d}, |[^,]*, " % max(1, room - 2), re.DOTALL)
