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
        limit, newline, fresh = self.limit, self.newline, self.indent + 4
        pieces: list[bytes] = []
        start, end, column = 0, len(text), self.column
        while True:
            if column + end - start <= limit:
                pieces.append(text[start:])
                column += end - start
                break
            # The most values that fit: the last comma and space within the line.
            cut = text.rfind(b", ", start, max(start, start + limit - column)) + 2
            if cut > 1:
                pieces.append(text[start:cut])
                column += cut - start
                start = cut
            if end - start <= 2:
                pieces.append(text[start:])
                column += end - start
                break
            pieces.append(newline)
            column = fresh
            first = text.find(b", ", start) + 2
            first = first if first > 1 else end
            if column + first - start > limit:  # longer than a line: alone on its own
                pieces.append(text[start:first])
                column += first - start
                start = first
                if start == end:
                    break
        self.column = column
        self.emit(b"".join(pieces))
