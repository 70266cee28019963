"""The blocks of a long list in a text: their places, and the indices of their values."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field


@dataclass(slots=True)
class TextBlocks:
    """The blocks of one list, as columns, in the order of the text.

    A block has the text from `starts` to `stops`, and `counts` values; the first one has the
    number `firsts`.
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    stops: array[int] = field(default_factory=lambda: array("q"))
    firsts: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("q"))

    def add(self, start: int, stop: int, first: int, count: int) -> None:
        """Add a block."""
        self.starts.append(start)
        self.stops.append(stop)
        self.firsts.append(first)
        self.counts.append(count)
