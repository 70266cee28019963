"""Breaking data into lines as ncdump does: greedily, after ``, ``, never within a value.

Widths are in bytes. A value that does not fit goes to a new line, however long it is itself; a
last value of at most two bytes stays, as ncdump counts it among the punctuation.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Emit = Callable[[bytes], object]


@dataclass(slots=True)
class Wrapper:
    """Where the line stands. `limit` is the most bytes of a line; `indent` that of the group."""

    limit: int
    indent: int
    emit: Emit
    column: int = 0

    @property
    def newline(self) -> bytes:
        """What begins a line that continues a row."""
        return b"\n" + b" " * (self.indent + 4)

    def put(self, token: bytes) -> None:
        """Write one value, with the comma and the space that follow it."""
        if self.column + len(token) > self.limit and len(token) > 2:
            self.emit(self.newline)
            self.column = self.indent + 4
        self.emit(token)
        self.column += len(token)

    def put_all(self, tokens: Iterable[bytes]) -> None:
        """Write values one after the other."""
        for token in tokens:
            self.put(token)

    def put_text(self, text: bytes) -> None:
        """As `put` for each value of ``1, 2, 3`` or ``1, 2, ``: numbers, so no other commas.

        One step of a regular expression for each line, not one of ours for each value.
        """
        if not text:
            return
        full_room = self.limit - self.indent - 4
        room, start = self.limit - self.column, 0
        lines: list[bytes] = []
        if len(text) > max(room, 2):
            # What still fits on this line; nothing, perhaps: then it ends here.
            first = _lines(room).match(text) if room > 2 else None
            start = first.end() if first is not None else 0
            lines = [text[:start], *_lines_or_value(full_room).findall(text, start)]
            start = sum(map(len, lines))
        last = text[start:]
        if lines and (len(last) <= 2 or self._fits(lines, last, room, full_room)):
            lines[-1] += last
        else:
            lines.append(last)
        self.column = self.limit - (room if len(lines) == 1 else full_room) + len(lines[-1])
        self.emit(self.newline.join(lines))

    @staticmethod
    def _fits(lines: list[bytes], last: bytes, room: int, full_room: int) -> bool:
        """Whether the last value stands on the line that is last so far."""
        return len(lines[-1]) + len(last) <= (room if len(lines) == 1 else full_room)


@functools.cache
def _lines(room: int) -> re.Pattern[bytes]:
    """As many values as fit, each with its comma and space; at least one."""
    return re.compile(rb".{1,%d}, " % max(1, room - 2))


@functools.cache
def _lines_or_value(room: int) -> re.Pattern[bytes]:
    """The same, or a value that is longer than a line."""
    return re.compile(rb".{1,%d}, |[^,]*, " % max(1, room - 2))
