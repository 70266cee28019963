"""Index the data list of a variable: blocks of text, each with the number of its first value."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from ncz.cdl.parse.constants import Kind, parse_constant, tokenize
from ncz.cdl.parse.syntax import CHARACTER, STRING, Span, skip_blank
from ncz.record import record
from ncz.text.source import SourceText

# The index of a data list: blocks of text, each with the number of its first value.
#
# An unlimited dimension that is not a variable's first has its values in braces, so the list has
# *levels*: the dimensions from one such dimension to the next. For ``a(u, n, v)`` with u and v
# unlimited, level 0 is (u, n), whose items are braces, and level 1 is (v), whose items are values.
# A *run* is the values inside one innermost pair of braces; without levels, the whole list.

BLOCK = 1 << 18
"""Least number of bytes of text in a block, unless its run ends before.

The arrays that parse it stay in the processor's cache."""


@dataclass(slots=True)
class BlockIndex:
    """The blocks of one data list, as columns, in the order of the text.

    `paths` has, for each level but the last, the number of the item that a block is inside.
    `longest` has, for each level, the largest number of items in one list of that level.
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    stops: array[int] = field(default_factory=lambda: array("q"))
    firsts: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("q"))
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


def padded_length(length: int, width: int) -> int:
    """Return the chars that a string of `length` takes in rows of `width`: at least one row."""
    return max(1, -(-length // width)) * width if width else length


@dataclass(slots=True)
class IndexBuilder:
    """Collects the blocks of one data list and checks how many values there are."""

    source: SourceText
    span: Span
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
        index.starts.append(start)
        index.stops.append(stop)
        index.firsts.append(first)
        index.counts.append(count)
        for column, number in zip(index.paths, self.path, strict=True):
            column.append(number)
        self.source.scanned(start, stop)
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


# Index a run of values: count the commas of plain numbers, and scan everything else by mark.
#
# A block never begins or ends inside a string, a comment or a value.

_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MARKS = re.compile(
    rb"(?P<blank>//[^\n]*|/\*.*?\*/)|\\.|" + STRING + rb"|" + CHARACTER + rb"|[{},]", re.DOTALL
)


def index_values(builder: IndexBuilder, at: int) -> tuple[int, int]:
    """Index the run that begins at `at`.

    Returns
    -------
    count : int
        Number of values in the run.
    end : int
        Offset of the closing brace, or the end of the list.
    """
    buffer, stop = builder.source.buffer, builder.span.stop
    nested = builder.list_shape.levels > 1
    total = 0
    while True:
        end = buffer.find(b"}", at, stop) if nested else stop
        end = stop if end < 0 else end
        cut, count = _plain_block(builder, at, end, nested)
        is_last = cut == end
        if not cut:
            cut, count, is_last = _scan_block(builder, at, nested)
        if not is_last:
            total = builder.add_block(at, cut - 1, total, count)
            at = cut
            continue
        if count == 1 and builder.skip_blank(at) >= cut:
            if total:
                raise builder.source.error(cut, "a value is missing after the last comma")
            return 0, cut
        return builder.add_block(at, cut, total, count), cut


def _plain_block(builder: IndexBuilder, at: int, end: int, nested: bool) -> tuple[int, int]:
    """Return the end of a block without braces and strings, and its number of values.

    (0, 0) if the block is not that simple.
    """
    buffer = builder.source.buffer
    cut = end
    if end - at > builder.block:
        comma = buffer.find(b",", at + builder.block, end)
        if comma >= at + 2 * builder.block:  # no number is that long: this is a huge comment
            return 0, 0
        cut = end if comma < 0 else comma + 1
    text = buffer[at:cut]
    if any(mark in text for mark in b"{\"'\\") or (nested and b"/" in text):
        return 0, 0
    if b"/" in text:
        text = _COMMENT.sub(lambda comment: b" " * len(comment[0]), text)
        if b"/" in text:
            return 0, 0
        if cut < end:  # the cut may have been inside a comment
            cut = at + text.rfind(b",") + 1
            text = text[: cut - at]
            if not text:
                return 0, 0
    return cut, _count_commas(text) + (cut == end)


def _count_commas(text: bytes) -> int:
    """Return the number of commas: with numpy, which is faster, if the text is long."""
    if len(text) < BLOCK:
        return text.count(b",")
    import numpy as np

    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(b",")))


def _scan_block(builder: IndexBuilder, at: int, nested: bool) -> tuple[int, int, bool]:
    """Return the end of any block, its number of values, and whether it is the run's last."""
    depth, count = 0, 1
    begin, stop = at, builder.span.stop
    for mark in _MARKS.finditer(builder.source.buffer, at, stop):
        text = mark[0]
        if text == b",":
            if depth == 0:
                if mark.end() - begin > builder.block:
                    return mark.end(), count, False
                count += 1
        elif text == b"{":
            depth += 1
        elif text == b"}":
            if depth == 0 and nested:
                return mark.start(), count, True
            depth -= 1
    return stop, count, True


# Index a run of char data: strings, each of which is padded to whole rows, and single chars.
#
# Neighbouring char constants form one text. The padding after the last string of a block is not
# part of the block, however wide a row is.


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
    """Chars of the last string; -1 if there is none yet."""
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

    def add_constant(self, text: bytes, at: int) -> None:
        """Count one constant."""
        width = self.builder.list_shape.width
        length = self._length(text, at)
        if length >= 0 or not self.joins:
            self.size += padded_length(self.tail, width) if self.tail >= 0 else 0
            self.tail = abs(length)
        else:
            self.tail += 1
        self.joins = length < 0

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


def index_data(source: SourceText, span: Span, list_shape: ListShape) -> BlockIndex:
    """Index the data list in `span`, without parsing its values.

    Returns
    -------
    BlockIndex
        Blocks of about 256 kB of text each.

    Raises
    ------
    CdlError
        Braces or commas are wrong, or there are too many values.
    """
    builder = IndexBuilder(source, span, list_shape)
    if list_shape.levels > 1:
        _index_levels(builder)
    else:
        _index_run(builder, span.start)
    return builder.index


def _index_run(builder: IndexBuilder, at: int) -> int:
    """Index the run that begins at `at`; return the offset of its end."""
    index = index_chars if builder.list_shape.text else index_values
    total, end = index(builder, at)
    builder.end_run(total)
    return end


def _index_levels(builder: IndexBuilder) -> None:
    """Walk the braces of all levels but the last, and index each run inside them."""
    source, buffer, stop = builder.source, builder.source.buffer, builder.span.stop
    inner = builder.list_shape.levels - 1
    counts = [0] * inner
    opened = [0] * inner
    level = 0
    at = builder.skip_blank(builder.span.start)
    needs_item, after_comma = True, False
    while at < stop:
        mark = buffer[at : at + 1]
        if mark == b"{" and needs_item:
            if level == 0 and counts[0] == builder.list_shape.limit:
                raise builder.too_many_error(at, "rows")
            builder.path[level] = counts[level]
            opened[level] = at
            level += 1
            if level < inner:
                counts[level] = 0
                at, after_comma = builder.skip_blank(at + 1), False
                continue
            end = _index_run(builder, at + 1)
            if buffer[end : end + 1] != b"}":
                raise source.error(at, "this brace is not closed", "close it with `}`")
            at, mark = end, b"}"
            needs_item, after_comma = False, False
        if mark == b"}" and level and not after_comma:
            level -= 1
            counts[level] += 1
            builder.index.longest[level] = max(builder.index.longest[level], counts[level])
            needs_item = False
        elif mark == b"," and not needs_item:
            needs_item = after_comma = True
        elif mark in (b",", b"}"):
            raise source.error(at, f"a value is missing before `{mark.decode()}`")
        elif needs_item:
            raise source.error(
                at,
                f"the values of {builder.list_shape.what} need braces here",
                "put the values along each unlimited dimension after the first in { }",
            )
        else:
            raise source.error(at, "a comma is missing here")
        at = builder.skip_blank(at + 1)
        after_comma = mark == b","
    if level:
        raise source.error(opened[level - 1], "this brace is not closed", "close it with `}`")
    if after_comma:
        raise source.error(stop, "a value is missing after the last comma")
