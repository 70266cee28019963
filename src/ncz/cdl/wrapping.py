"""Breaking data into lines as ncdump does: greedily, after ``, ``, never within a value.

Widths are in bytes. A value that does not fit goes to a new line, however long it is itself; a
last value of at most two bytes stays, as ncdump counts it among the punctuation.
"""

from __future__ import annotations

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

        One step for each line, not for each value.
        """
        rfind, end = text.rfind, len(text)
        full_room = self.limit - self.indent - 4
        room, start = self.limit - self.column, 0
        lines: list[bytes] = []
        while end - start > room and end - start > 2:
            # The most values that fit: up to the last comma and space within the line.
            cut = rfind(b", ", start, max(start, start + room)) + 2
            if cut < 2:
                cut = start
                if lines:  # a value that is longer than a line has one of its own
                    cut = text.find(b", ", start) + 2
                    if cut < 2:
                        cut = end
            if end - cut <= 2:
                break
            lines.append(text[start:cut])
            start, room = cut, full_room
        lines.append(text[start:])
        self.column = self.limit - room + end - start
        self.emit(self.newline.join(lines))
