"""One quick pass over a variable's data list: where its values are, without reading them.

A list is cut into blocks of about a megabyte of text, each with the number of its first value.
Where numbers are plain a block costs a count of commas; strings, comments and braces are walked
over mark by mark. Blocks never begin or end inside a string, a comment or a value.

An unlimited dimension that is not a variable's first has its values in braces, so the list has
*levels*: the dimensions from one such to the next. For ``a(u, n, v)`` with u and v unlimited, level
0 is (u, n), whose items are braces, and level 1 is (v), whose items are values. A *run* is
the values inside one innermost pair of braces; without levels, the whole list.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from ncz.cdl.parse.constants import Kind, parse_constant
from ncz.cdl.parse.items import tokens
from ncz.cdl.parse.syntax import BLANK, CHARACTER, STRING, Span
from ncz.record import record
from ncz.text.source import Source

BLOCK = 1 << 20
"""Bytes of text that a block has at least, unless its run ends before."""

_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MARKS = re.compile(
    rb"(?P<blank>//[^\n]*|/\*.*?\*/)|" + STRING + rb"|" + CHARACTER + rb"|[{},]", re.DOTALL
)


@dataclass(slots=True)
class BlockIndex:
    """The blocks of one data list, column by column, in the order of the text.

    `paths` has, for each level but the last, the number of the item that a block is inside;
    `longest` has, for each level, the most items that a list of that level has.
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    stops: array[int] = field(default_factory=lambda: array("q"))
    firsts: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("q"))
    paths: list[array[int]] = field(default_factory=list)
    longest: list[int] = field(default_factory=list)


@record
class ListShape:
    """What the index needs to know of a variable.

    `levels` is how many there are; `limit` the number of items that level 0 may have, None if its
    first dimension is unlimited; `what` names the variable in errors. For char, `text` is True
    and `width` the length of a row that each string fills up, or 0.
    """

    levels: int
    limit: int | None
    what: str
    text: bool = False
    width: int = 0


def index_blocks(source: Source, span: Span, list_shape: ListShape) -> BlockIndex:
    """The blocks of the data list in `span`. Raises CdlError for braces that are wrong."""
    return _Indexer(source, span, list_shape).index()


def padded(length: int, width: int) -> int:
    """Chars that a string of `length` takes in rows of `width`: whole rows, at least one."""
    return max(1, -(-length // width)) * width if width else length


@dataclass(slots=True)
class _Indexer:
    source: Source
    span: Span
    list_shape: ListShape
    blocks: BlockIndex = field(default_factory=BlockIndex)
    path: list[int] = field(default_factory=list)

    def index(self) -> BlockIndex:
        inner = self.list_shape.levels - 1
        self.path = [0] * inner
        self.blocks.paths = [array("q") for _ in range(inner)]
        self.blocks.longest = [0] * self.list_shape.levels
        if inner:
            self._braces()
        else:
            self._run(self.span.start)
        return self.blocks

    def _braces(self) -> None:
        """Walk the braces of all levels but the last, and each run within them."""
        source, buffer, stop = self.source, self.source.buffer, self.span.stop
        inner = self.list_shape.levels - 1
        counts = [0] * inner
        opened = [0] * inner
        level = 0
        at = self._skip(self.span.start)
        wanted, after_comma = True, False
        while at < stop:
            mark = buffer[at : at + 1]
            if mark == b"{" and wanted:
                if level == 0 and counts[0] == self.list_shape.limit:
                    raise self._too_many(at, "rows")
                self.path[level] = counts[level]
                opened[level] = at
                level += 1
                if level < inner:
                    counts[level] = 0
                    at, after_comma = self._skip(at + 1), False
                    continue
                end = self._run(at + 1)
                if buffer[end : end + 1] != b"}":
                    raise source.error(at, "this brace is not closed", "close it with `}`")
                at, mark = end, b"}"
                wanted, after_comma = False, False
            if mark == b"}" and level and not after_comma:
                level -= 1
                counts[level] += 1
                self.blocks.longest[level] = max(self.blocks.longest[level], counts[level])
                wanted = False
            elif mark == b"," and not wanted:
                wanted = after_comma = True
            elif mark in (b",", b"}"):
                raise source.error(at, f"a value is missing before `{mark.decode()}`")
            elif wanted:
                raise source.error(
                    at,
                    f"the values of {self.list_shape.what} need braces here",
                    "enclose in { } what belongs to one index of the dimensions before an "
                    "unlimited one that is not the first",
                )
            else:
                raise source.error(at, "a comma is missing here")
            at = self._skip(at + 1)
            after_comma = mark == b","
        if level:
            raise source.error(opened[level - 1], "this brace is not closed", "close it with `}`")
        if after_comma:
            raise source.error(stop, "a value is missing after the last comma")

    def _skip(self, at: int) -> int:
        end = BLANK.match(self.source.buffer, at, self.span.stop)
        return end.end() if end else at

    def _run(self, at: int) -> int:
        """Index the run that begins at `at`; the offset of what ends it."""
        if self.list_shape.text:
            total, end = self._text(at)
        else:
            total, end = self._values(at)
        level = self.list_shape.levels - 1
        self.blocks.longest[level] = max(self.blocks.longest[level], total)
        return end

    def _add(self, start: int, stop: int, first: int, count: int) -> int:
        blocks = self.blocks
        blocks.starts.append(start)
        blocks.stops.append(stop)
        blocks.firsts.append(first)
        blocks.counts.append(count)
        for column, number in zip(blocks.paths, self.path, strict=True):
            column.append(number)
        self.source.release(start, stop)
        total = first + count
        limit = self.list_shape.limit if self.list_shape.levels == 1 else None
        if limit is not None and total > limit:
            raise self._too_many(self._place(start, stop, limit - first), "values")
        return total

    def _too_many(self, at: int, what: str) -> Exception:
        limit = self.list_shape.limit
        what = "chars" if self.list_shape.text else what
        return self.source.error(
            at,
            f"too many {what}: {self.list_shape.what} holds {limit}",
            "declare a longer dimension, or leave out what is too much",
        )

    def _place(self, start: int, stop: int, number: int) -> int:
        """Where in a block the value of that number stands, counted from 0."""
        if self.list_shape.text:
            return self._skip(start)
        depth = 0
        for text, at in tokens(self.source, start, stop):
            if number <= 0 and text != b",":
                return at
            depth += (text == b"{") - (text == b"}")
            number -= text == b"," and depth == 0
        return start

    def _values(self, at: int) -> tuple[int, int]:
        """Number of values of a run, and its end."""
        buffer, stop = self.source.buffer, self.span.stop
        nested = self.list_shape.levels > 1
        total = 0
        while True:
            end = buffer.find(b"}", at, stop) if nested else stop
            end = stop if end < 0 else end
            cut, count = self._plain(at, end, nested)
            ended = cut == end
            if not cut:
                cut, count, ended = self._walk(at, nested)
            if not ended:
                total = self._add(at, cut - 1, total, count)
                at = cut
                continue
            if count == 1 and self._skip(at) >= cut:
                if total:
                    raise self.source.error(cut, "a value is missing after the last comma")
                return 0, cut
            return self._add(at, cut, total, count), cut

    def _plain(self, at: int, end: int, nested: bool) -> tuple[int, int]:
        """End of a block without braces and strings, and its values; (0, 0) if it is not so."""
        buffer = self.source.buffer
        cut = end
        if end - at > BLOCK:
            comma = buffer.find(b",", at + BLOCK, end)
            if comma >= at + 2 * BLOCK:  # no number is that long: a huge comment
                return 0, 0
            cut = end if comma < 0 else comma + 1
        text = buffer[at:cut]
        if b"{" in text or b'"' in text or b"'" in text or (nested and b"/" in text):
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
        return cut, text.count(b",") + (cut == end)

    def _walk(self, at: int, nested: bool) -> tuple[int, int, bool]:
        """The same, mark by mark; and whether the run ends there."""
        depth, count = 0, 1
        begin, stop = at, self.span.stop
        for mark in _MARKS.finditer(self.source.buffer, at, stop):
            text = mark[0]
            if text == b",":
                if depth == 0:
                    if mark.end() - begin > BLOCK:
                        return mark.end(), count, False
                    count += 1
            elif text == b"{":
                depth += 1
            elif text == b"}":
                if depth == 0 and nested:
                    return mark.start(), count, True
                depth -= 1
        return stop, count, True

    def _text(self, at: int) -> tuple[int, int]:
        """Number of chars of a run of char data, and its end.

        A run is strings, each of which fills up its rows, and loose constants, which join. The
        fill after the last string of a block is not part of the block, however wide a row is.
        """
        source, width = self.source, self.list_shape.width
        nested = self.list_shape.levels > 1
        begin = block = at
        total = size = 0  # chars before this block, and in it before its last string
        tail = -1  # chars of that string; -1 if there is none yet
        loose = False
        last, depth = b"", 0
        end = self.span.stop
        for text, at in tokens(source, begin, self.span.stop):
            wanted = last in (b"", b",", b"{")
            if text == b",":
                if wanted:
                    raise source.error(at, "a value is missing before this comma")
                large = at - block > BLOCK or size + tail > BLOCK
                if large and not (loose and width and tail % width):
                    self._add(block, at, total, size + tail)
                    total += size + padded(tail, width)
                    block, size, tail, loose = at + 1, 0, -1, False
            elif text == b"}":
                if last == b",":
                    raise source.error(at, "a value is missing before this brace")
                if depth == 0:
                    if not nested:
                        raise source.error(at, "this brace closes nothing")
                    end = at
                    break
                depth -= 1
            elif not wanted:
                raise source.error(at, "a comma is missing here")
            elif text == b"{":
                depth += 1
            else:
                length = self._length(text, at)
                if length >= 0 or not loose:
                    size += padded(tail, width) if tail >= 0 else 0
                    tail = abs(length)
                else:
                    tail += 1
                loose = length < 0
            last = text
        else:
            if depth or nested:
                raise source.error(begin, "a brace in this list is not closed", "close it with `}`")
            if last == b",":
                raise source.error(end, "a value is missing after the last comma")
        if tail >= 0:
            self._add(block, end, total, size + tail)
            total += size + padded(tail, width)
        return total, end

    def _length(self, text: bytes, at: int) -> int:
        """Chars of a string; -1 for a constant that is one char and joins with its like."""
        constant = parse_constant(self.source, text, at)
        if constant.kind is Kind.STRING:
            return len(constant.value)
        if constant.kind in (Kind.CHAR, Kind.FILL):
            return -1
        raise self.source.error(
            at,
            f"{constant.kind.value} is not text, and {self.list_shape.what} is char",
            "write it in quotes",
        )
