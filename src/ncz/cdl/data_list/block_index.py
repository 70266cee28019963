"""The index of a data list: blocks of text, each with the number of its first value.

An unlimited dimension that is not a variable's first has its values in braces, so the list has
*levels*: the dimensions from one such dimension to the next. For ``a(u, n, v)`` with u and v
unlimited, level 0 is (u, n), whose items are braces, and level 1 is (v), whose items are values.
A *run* is the values inside one innermost pair of braces; without levels, the whole list.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from ncz.cdl.items import tokenize
from ncz.cdl.lexical import skip_blank
from ncz.cdl.syntax_tree import DataList
from ncz.record import record
from ncz.text.blocks import TextBlocks
from ncz.text.source import SourceText

BLOCK = 1 << 18
"""Least number of bytes of text in a block, unless its run ends before.

The arrays that parse it stay in the processor's cache."""


@dataclass(slots=True)
class BlockIndex(TextBlocks):
    """The blocks of one data list, and the braces that they are inside.

    `paths` has, for each level but the last, the number of the item that a block is inside.
    `longest` has, for each level, the largest number of items in one list of that level.
    """

    paths: list[array[int]] = field(default_factory=list)
    longest: list[int] = field(default_factory=list)


@record
class ListShape:
    """The properties of a variable that its index depends on.

    `levels` is the number of levels. `limit` is the number of items that level 0 may have, None if
    its first dimension is unlimited. `what` names the variable in errors. For char variables,
    `text` is True and `width` is the length of a row that each string is padded to, or 0.
    """

    levels: int
    limit: int | None
    what: str
    text: bool = False
    width: int = 0


@dataclass(slots=True)
class IndexBuilder:
    """Collects the blocks of one data list and checks the number of values."""

    source: SourceText
    span: DataList
    list_shape: ListShape
    index: BlockIndex = field(default_factory=BlockIndex)
    path: list[int] = field(default_factory=list)
    """The number of the current item at each level but the last."""
    block: int = field(default_factory=lambda: BLOCK)

    def __post_init__(self) -> None:
        inner = self.list_shape.levels - 1
        self.path = [0] * inner
        self.index.paths = [array("q") for _ in range(inner)]
        self.index.longest = [0] * self.list_shape.levels

    def skip_blank(self, at: int) -> int:
        """Return the offset after blanks and comments, at most the end of the list."""
        return skip_blank(self.source, at, self.span.stop)

    def add_block(self, start: int, stop: int, first: int, count: int) -> int:
        """Add the block from `start` to `stop`; return the number of values so far in its run.

        Raises
        ------
        CdlError
            The list has more values than its variable.
        """
        index = self.index
        index.add(start, stop, first, count)
        for column, number in zip(index.paths, self.path, strict=True):
            column.append(number)
        self.source.report_scan(start, stop)
        total = first + count
        limit = self.list_shape.limit if self.list_shape.levels == 1 else None
        if limit is not None and total > limit:
            raise self.too_many_error(self._find_value(start, stop, limit - first), "values")
        return total

    def end_run(self, total: int) -> None:
        """Record that a run has `total` values."""
        level = self.list_shape.levels - 1
        self.index.longest[level] = max(self.index.longest[level], total)

    def too_many_error(self, at: int, what: str) -> Exception:
        """Return the error for the first item beyond the limit."""
        limit = self.list_shape.limit
        what = "chars" if self.list_shape.text else what
        return self.source.error(
            at,
            f"too many {what}: {self.list_shape.what} holds {limit}",
            "declare a longer dimension, or remove the extra values",
        )

    def _find_value(self, start: int, stop: int, number: int) -> int:
        """Return the offset of a value by its number in the block, counted from 0."""
        if self.list_shape.text:
            return self.skip_blank(start)
        depth = 0
        for text, at in tokenize(self.source, start, stop):
            if number <= 0 and text != b",":
                return at
            depth += (text == b"{") - (text == b"}")
            number -= text == b"," and depth == 0
        return start
