"""Index a run of char data: strings, padded to whole rows, and single chars.

Neighbouring char constants form one text. The padding after the last string of a block is not
part of the block, however wide a row is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ncz.cdl.constants import Kind, parse_constant
from ncz.cdl.data_list.string_runs import find_run, padded_lengths
from ncz.cdl.item_values import padded_length
from ncz.cdl.items import tokenize
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.cdl.data_list.block_index import IndexBuilder
    from ncz.cdl.data_list.string_runs import StringRun


def index_chars(builder: IndexBuilder, at: int) -> tuple[int, int]:
    """Index the run that begins at `at`.

    Returns
    -------
    count : int
        Number of chars in the run, padding included.
    end : int
        Offset of the closing brace, or the end of the list.
    """
    source, stop = builder.source, builder.span.stop
    nested = builder.list_shape.levels > 1
    block = _CharBlock(builder, at)
    last, depth, end = b"", 0, stop
    while run := find_run(source.buffer, at, stop, builder.block):
        block.add_run(run, at)  # usually all except the last, or as many as a block has
        at, last = source.buffer.find(b",", at + int(run.closing[-1])) + 1, b","
    for text, offset in tokenize(source, at, stop):
        needs_value = last in (b"", b",", b"{")
        if text == b",":
            if needs_value:
                raise source.error(offset, "a value is missing before this comma")
            if block.can_end(offset):
                block.finish(offset)
        elif text == b"}":
            if last == b",":
                raise source.error(offset, "a value is missing before this brace")
            if depth == 0:
                if not nested:
                    raise source.error(offset, "this brace has no opening brace")
                end = offset
                break
            depth -= 1
        elif not needs_value:
            raise source.error(offset, "a comma is missing here")
        elif text == b"{":
            depth += 1
        else:
            block.add_constant(text, offset)
        last = text
    else:
        if depth or nested:
            raise source.error(at, "a brace in this list is not closed", "close it with `}`")
        if last == b",":
            raise source.error(end, "a value is missing after the last comma")
    if block.tail >= 0:
        block.finish(end)
    return block.total, end


@dataclass(slots=True)
class _CharBlock:
    """The block of a run of chars that is being counted."""

    builder: IndexBuilder
    start: int
    total: int = 0
    """Chars before this block."""
    size: int = 0
    """Chars in this block before its last string."""
    tail: int = -1
    """Chars of the last string; -1 if none exists yet."""
    joins: bool = False
    """Whether the last string consists of char constants, which the next one joins."""

    def can_end(self, at: int) -> bool:
        """Return whether the block is large enough and may end at offset `at`."""
        limit, width = self.builder.block, self.builder.list_shape.width
        large = at - self.start > limit or self.size + self.tail > limit
        return large and not (self.joins and width and self.tail % width)

    def finish(self, stop: int) -> None:
        """End the block at offset `stop` and begin the next one after it."""
        width = self.builder.list_shape.width
        self.builder.add_block(self.start, stop, self.total, self.size + self.tail)
        self.total += self.size + padded_length(self.tail, width)
        self.start, self.size, self.tail, self.joins = stop + 1, 0, -1, False

    def add_run(self, run: StringRun, at: int) -> None:
        """Count strings of the text from an offset on, and end each block that is large enough."""
        width, limit = self.builder.list_shape.width, self.builder.block
        buffer, count = self.builder.source.buffer, len(run.lengths)
        sizes = padded_lengths(run.lengths, width)
        totals = np.cumsum(sizes)
        first = 0
        while first < count:
            if self.tail >= 0:
                self.size += padded_length(self.tail, width)
            before = int(totals[first - 1]) if first else 0
            last = min(
                int(np.searchsorted(run.closing, self.start - at + limit, "right")),
                int(np.searchsorted(totals, before - self.size + limit, "right")),
                count - 1,
            )
            last = max(last, first)
            self.size += int(totals[last] - sizes[last]) - before
            self.tail, self.joins = int(run.lengths[last]), False
            comma = buffer.find(b",", at + int(run.closing[last]))
            if self.can_end(comma):
                self.finish(comma)
            first = last + 1

    def add_constant(self, text: bytes, at: int) -> None:
        """Count one constant."""
        length = self._length(text, at)
        if length >= 0 or not self.joins:
            self.add_text(abs(length))
        else:
            self.tail += 1
        self.joins = length < 0

    def add_text(self, length: int) -> None:
        """Count a string, or the first of several char constants."""
        if self.tail >= 0:
            self.size += padded_length(self.tail, self.builder.list_shape.width)
        self.tail, self.joins = length, False

    def _length(self, text: bytes, at: int) -> int:
        """Return the length of a string; -1 for a constant of one char."""
        source = self.builder.source
        constant = parse_constant(source, text, at)
        if constant.kind is Kind.STRING:
            return len(constant.value)
        if constant.kind in (Kind.CHAR, Kind.FILL):
            return -1
        raise source.error(
            at,
            f"{constant.kind.value} is not text, and {self.builder.list_shape.what} is a char"
            " variable",
            "write the value in quotes",
        )
