"""The data of a CDL variable: an index of its text, whose blocks are parsed as they are needed.

Memory is bounded: only the index of the list and the values of the blocks that were parsed last are
held. Chunks of any shape can be read, in any order.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.cdl.constants import (
    Braces,
    Constant,
    Item,
    Kind,
    convert_item,
    decode_text,
    join_chars,
    number_of_date,
    padded_length,
    parse_constant,
    parse_items,
    tokenize,
)
from ncz.cdl.syntax import CHARACTER, STRING, DataList, skip_blank
from ncz.model.data import ChunkSource, dtype_of
from ncz.model.grid import ChunkGrid, Index, Shape
from ncz.model.sources import FlatBlocks
from ncz.model.types import Atomic, NcType, Value
from ncz.record import record
from ncz.text.source import SourceText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncz.text.times import Times


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


@dataclass(slots=True)
class IndexBuilder:
    """Collects the blocks of one data list and checks how many values there are."""

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


def index_data(source: SourceText, span: DataList, list_shape: ListShape) -> BlockIndex:
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
    braces = [0] * inner
    level = 0
    at = builder.skip_blank(builder.span.start)
    needs_item, after_comma = True, False
    while at < stop:
        mark = buffer[at : at + 1]
        if mark == b"{" and needs_item:
            if level == 0 and counts[0] == builder.list_shape.limit:
                raise builder.too_many_error(at, "rows")
            builder.path[level] = counts[level]
            braces[level] = at
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
        raise source.error(braces[level - 1], "this brace is not closed", "close it with `}`")
    if after_comma:
        raise source.error(stop, "a value is missing after the last comma")


# A block of a data list parsed to a numpy array: millions of numbers or strings at a time.
#
# numpy's own parser does the work where it is safe: on text of plain numbers, after ``_``,
# comments, suffixes and the names of NaN and Infinity have been replaced, if every token of the
# block is valid CDL. Every result is checked (number of values, range, finite). A block that fails
# a check is parsed again constant by constant by `ncz.cdl.constants`, which returns the
# values or raises the error with its location.


class _Unwritten:
    """The type of `UNWRITTEN`."""

    def __repr__(self) -> str:
        return "_"


UNWRITTEN = _Unwritten()
"""Represents ``_`` among strings, where a missing element differs from an empty one."""

_PLAIN_INTEGERS = b"0123456789+-, \t\r\n\f\v"
_PLAIN_FLOATS = _PLAIN_INTEGERS + b".eE"


def _list_pattern(token: bytes) -> re.Pattern[bytes]:
    item = rb"\s*(?:" + token + rb")\s*"
    return re.compile(rb"(?:" + item + rb",)*" + item)


_DECIMAL = rb"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?"
_WHOLE = rb"[+-]?(?:0|[1-9][0-9]*)"
_INTEGERS = _list_pattern(
    rb"_|" + _WHOLE + rb"(?:[lL][lL]?|[sS]|[bB])?|(?:0|[1-9][0-9]*)[uU][lL][lL]"
)
_FLOAT_NAMES = rb"NaNf?|nanf?|-?Infinityf?|-?Inff|DoubleInf|FloatInf"  # as in constant.py
# The usual names, and numpy's names for them.
_NAMES = (
    (b"NaNf", b"nan"),
    (b"NaN", b"nan"),
    (b"-Infinityf", b"-inf"),
    (b"-Infinity", b"-inf"),
    (b"Infinityf", b"inf"),
    (b"Infinity", b"inf"),
)
_DOUBLES = _list_pattern(rb"_|" + _WHOLE + rb"|" + _DECIMAL + rb"[dDlL]?|" + _FLOAT_NAMES)
_SINGLES = _list_pattern(rb"_|" + _WHOLE + rb"|" + _DECIMAL + rb"[fFdDlL]?|" + _FLOAT_NAMES)
_INTEGER_SUFFIX = re.compile(rb"(?<=[0-9])[uUlLsSbB]+")
_FLOAT_SUFFIX = re.compile(rb"(?<=[0-9.])[fFdDlL]|(?<=[yfN])f|Float|Double")
_STRINGS = _list_pattern(rb'"[^"\\]*"|_|NIL|nil|Nil')
_STRING = re.compile(rb'"[^"\\]*"|_|[Nn]')


def parse_block(
    source: SourceText,
    start: int,
    stop: int,
    count: int,
    nc_type: NcType,
    fill: Value,
    dates: Dates = lambda: None,
) -> NDArray[Any]:
    """Parse the list between two offsets, which has `count` values unless it is wrong.

    Char data are not a list of values; `ncz.cdl.parse_data` parses them.

    Parameters
    ----------
    fill
        The value of ``_``. Among strings ``_`` is UNWRITTEN instead.
    dates
        Converts dates to numbers, if the list has any in quotes.

    Returns
    -------
    ndarray
        One-dimensional, of dtype `ncz.model.data.dtype_of(nc_type)`.

    Raises
    ------
    CdlError
        A constant is wrong or does not fit the type.
    """
    text = source.buffer[start:stop]
    fast: NDArray[Any] | None = None
    if nc_type is Atomic.STRING:
        return _parse_strings(source, text, start, stop)
    if isinstance(nc_type, Atomic):
        if b"/" in text:
            text = _COMMENT.sub(b" ", text)
        fast = _parse_integers(text, nc_type, fill) if nc_type.is_integer else None
        fast = _parse_floats(text, nc_type, fill) if nc_type.is_floating else fast
        if fast is not None and len(fast) == count:
            return fast
    times = dates() if b'"' in text else None
    return _parse_one_by_one(source, start, stop, nc_type, fill, times)


def _parse_one_by_one(
    source: SourceText,
    start: int,
    stop: int,
    nc_type: NcType,
    fill: Value,
    times: Times | None = None,
) -> NDArray[Any]:
    import numpy as np

    from ncz.model.data import dtype_of

    items = parse_items(source, start, stop)
    values: NDArray[Any] = np.empty(len(items), dtype_of(nc_type))
    for number, item in enumerate(items):
        if times is not None:
            item = number_of_date(source, item, nc_type, times)
        values[number] = convert_item(source, item, nc_type, fill)
    return values


def _parse_integers(text: bytes, atomic: Atomic, fill: Value) -> NDArray[Any] | None:
    from ncz.text.parse_numbers import parse_integers

    limit = None
    values = None if b"_" in text else parse_integers(text)
    if values is None:
        if letters := set(text.translate(None, _PLAIN_INTEGERS)):
            if letters != {ord("_")}:
                if not _INTEGERS.fullmatch(text):
                    return None
                limit = _suffix_limit(text)
                text = _INTEGER_SUFFIX.sub(b"", text)
            # Between blanks, so that adjacent digits become two numbers without a comma, an error.
            text = text.replace(b"_", b" %d " % fill)
            values = parse_integers(text)
        if values is None:
            values = _parse_integers_by_numpy(text, atomic)
    if values is None or not len(values):
        return values
    low, high = int(values.min()), int(values.max())
    smallest, largest = atomic.limits
    if low < smallest or high > largest or (limit is not None and max(high, -low) > limit):
        return None
    return values.astype(atomic.dtype, copy=False)


def _parse_integers_by_numpy(text: bytes, atomic: Atomic) -> NDArray[Any] | None:
    import numpy as np

    from ncz.text.parse_numbers import parse_numbers

    wide = np.dtype(np.uint64 if atomic is Atomic.UINT64 else np.int64)
    if wide.kind == "u" and (b"-" in text or b"+" in text):
        return None
    values = parse_numbers(text, wide)
    if values is None or not len(values):
        return values
    if not _all_decimal(text, len(values)):
        return None
    saturated = np.iinfo(wide)  # the result of strtoll for more digits than fit
    if values.max() == saturated.max or (wide.kind == "i" and values.min() == saturated.min):
        return None
    return values


def _suffix_limit(text: bytes) -> int | None:
    """Return the largest value that no suffix in `text` changes: 100b is 100, but 200b is -56."""
    lower = text.lower()
    if b"b" in lower:
        return Atomic.BYTE.limits[1]
    if b"s" in lower:
        return Atomic.SHORT.limits[1]
    return None if lower.count(b"l") == 2 * lower.count(b"ll") else Atomic.INT.limits[1]


def _parse_floats(text: bytes, atomic: Atomic, fill: Value) -> NDArray[Any] | None:
    import numpy as np

    from ncz.text.parse_numbers import parse_floats

    parsed = parse_floats(text, fill)
    if parsed is None:
        return _parse_floats_by_numpy(text, atomic, fill)
    values, infinities = parsed
    if atomic is Atomic.FLOAT:
        with np.errstate(over="ignore"):
            values = values.astype(np.float32)
    return values if int(np.isinf(values).sum()) == infinities else None


def _parse_floats_by_numpy(text: bytes, atomic: Atomic, fill: Value) -> NDArray[Any] | None:
    import numpy as np

    from ncz.text.parse_numbers import parse_numbers

    infinities = 0
    if letters := text.translate(None, _PLAIN_FLOATS):
        if np.isinf(fill):
            infinities = text.count(b"_")
        if set(letters) != {ord("_")}:
            words = 0
            plain = text
            for name, short in _NAMES:
                words += plain.count(name)
                plain = plain.replace(name, b" " + short + b" ")
            if len(plain.translate(None, _PLAIN_FLOATS + b"_")) == 3 * words:
                infinities += plain.count(b"inf")
                text = plain
            else:
                if not (_SINGLES if atomic is Atomic.FLOAT else _DOUBLES).fullmatch(text):
                    return None
                infinities += text.count(b"Inf")
                text = _FLOAT_SUFFIX.sub(b"", text)
        text = text.replace(b"_", b" %s " % repr(float(fill)).encode())
    values = parse_numbers(text, np.dtype(np.float64))
    if values is None or not len(values):
        return None if values is None else values.astype(atomic.dtype)
    if not _no_blank_item_and_no_octal(text, len(values)):
        return None
    if atomic is Atomic.FLOAT:
        with np.errstate(over="ignore"):
            values = values.astype(np.float32)
    printed_infinities = int(np.isinf(values).sum())
    return values if printed_infinities == infinities else None


def _all_decimal(text: bytes, count: int) -> bool:
    """Return whether every item has digits and none is octal.

    numpy parses a blank item or a bare sign as 0. `count` items were parsed, and no item can have
    two runs of digits.
    """
    import numpy as np

    codes = np.frombuffer(text, np.uint8)
    digit = (codes - np.uint8(48)) < 10
    begins = digit.copy()
    begins[1:] &= ~digit[:-1]
    if int(np.count_nonzero(begins)) != count:
        return False
    return not bool(np.any(begins[:-1] & (codes[:-1] == 48) & digit[1:]))


def _no_blank_item_and_no_octal(text: bytes, count: int) -> bool:
    """Return whether every item has text (numpy parses a blank one as -1) and none may be octal."""
    import numpy as np

    codes = np.frombuffer(text, np.uint8)
    solid = (codes > 32) & (codes != 44)
    begins = solid.copy()
    begins[1:] &= ~solid[:-1]
    first = np.flatnonzero(begins)
    if len(first) != count:
        return False
    padded = np.append(codes, np.zeros(2, np.uint8))
    sign = (padded[first] == 43) | (padded[first] == 45)
    first = first + sign
    return not bool(np.any((padded[first] == 48) & ((padded[first + 1] - np.uint8(48)) < 10)))


def _parse_strings(source: SourceText, text: bytes, start: int, stop: int) -> NDArray[Any]:
    import numpy as np

    values: list[object]
    if _STRINGS.fullmatch(text):
        values = [
            decode_text(token[1:-1]) if token[:1] == b'"' else UNWRITTEN if token == b"_" else None
            for token in _STRING.findall(text)
        ]
    else:
        values = [
            UNWRITTEN
            if isinstance(item, Constant) and item.kind is Kind.FILL
            else convert_item(source, item, Atomic.STRING, "")
            for item in parse_items(source, start, stop)
        ]
    array = np.empty(len(values), object)
    array[:] = values
    return array


Dates = Callable[[], "Times | None"]
"""Returns what converts the dates of a variable; None if its units are not those of a time."""

_MIN_BLOCKS = 32
"""Least number of blocks that are parsed in several processes."""


@dataclass(frozen=True)
class CdlArray(ChunkSource):
    """The values of one data list, as an array of `grid.shape`.

    Elements without a value in the list are `fill`, or zero bytes if `fill` is None; a chunk
    without any value is missing. `mark` is the value of ``_``. A wrong constant raises CdlError,
    with its location, when its chunk is read.
    """

    source: SourceText
    blocks: BlockIndex
    list_shape: ListShape
    grid: ChunkGrid
    type: NcType
    fill: Value
    mark: Value
    bases: list[int]
    """For each block, the flat index of its first value in the array; ascending."""
    jobs: int = 1
    """Largest number of processes that parse blocks."""
    dates: Dates = lambda: None
    """Converts dates in quotes; it is called if the list has any."""

    def rechunked(self, chunks: Shape) -> CdlArray:
        """Return the same values in other chunks."""
        return replace(self, grid=ChunkGrid(self.grid.shape, chunks))

    def chunk(self, index: Index) -> NDArray[Any] | None:
        """Return chunk `index`; None if it has no value (or, for strings, only ``_``)."""
        values = self._flat.box(self.grid.box(index))
        if values is None or self.type is not Atomic.STRING:
            return values
        flat = values.ravel().tolist()
        if all(value is UNWRITTEN for value in flat):
            return None
        flat = [self.mark if value is UNWRITTEN else value for value in flat]
        values.ravel()[:] = flat
        return values

    @cached_property
    def _flat(self) -> FlatBlocks:
        return FlatBlocks(
            grid=self.grid,
            type=self.type,
            fill=UNWRITTEN if self.type is Atomic.STRING else self.fill,
            bases=self.bases,
            counts=self.blocks.counts,
            read=self.parse_block if self._prefetch is None else self._prefetch.block,
        )

    @cached_property
    def _prefetch(self) -> _Prefetch | None:
        is_number = isinstance(self.type, Atomic) and self.type.kind in "iuf"
        if self.jobs < 2 or not is_number or len(self.bases) < _MIN_BLOCKS:
            return None
        from ncz.parallel.processes import can_fork

        return _Prefetch(self, dtype_of(self.type)) if can_fork() else None

    def parse_block(self, number: int) -> NDArray[Any]:
        """Parse one block to a flat array."""
        start, stop = self.blocks.starts[number], self.blocks.stops[number]
        count = self.blocks.counts[number]
        if self.list_shape.text:
            values = self._parse_chars(start, stop)
        else:
            values = parse_block(self.source, start, stop, count, self.type, self.mark, self.dates)
        if len(values) != count:
            raise self.source.error(
                start, "cannot determine the number of values in the list from here on"
            )
        self.source.release(start, stop)
        return values

    def _parse_chars(self, start: int, stop: int) -> NDArray[Any]:
        """Parse the chars of one block, without the padding of its last string."""
        import numpy as np

        fill = self.mark.encode("latin-1")
        parts: list[bytes] = []
        joins = False
        for item in _flatten_braces(parse_items(self.source, start, stop)):
            text = join_chars(self.source, [item], fill)
            is_char = item.kind is not Kind.STRING
            if is_char and joins:
                parts[-1] += text
            else:
                parts.append(text)
            joins = is_char
        width = self.list_shape.width
        rows = [part.ljust(padded_length(len(part), width), fill) for part in parts[:-1]]
        return np.frombuffer(b"".join([*rows, *parts[-1:]]), "S1")


class _Prefetch:
    """Blocks that other processes parse in advance.

    Blocks arrive in order; any other block than the next one is parsed directly.
    """

    def __init__(self, array: CdlArray, dtype: np.dtype[Any]) -> None:
        self._array = array
        self._dtype = dtype
        self._next = 0
        self._results: Generator[bytes, None, None] | None = None

    def block(self, number: int) -> NDArray[Any]:
        """Return the values of one block."""
        import numpy as np

        if number != self._next:
            return self._array.parse_block(number)
        if self._results is None:
            from ncz.parallel.processes import in_order

            blocks = range(len(self._array.bases))
            self._results = in_order(blocks, self._parse, self._array.jobs)
        self._next += 1
        values = np.frombuffer(next(self._results), self._dtype)
        if self._next == len(self._array.bases):
            self._results.close()
        return values

    def _parse(self, number: int) -> Iterator[bytes]:
        yield self._array.parse_block(number).tobytes()


def _flatten_braces(items: list[Item] | tuple[Item, ...]) -> list[Constant]:
    """Remove the braces, which have no meaning in char data."""
    stack: list[Item] = list(reversed(items))
    flat: list[Constant] = []
    while stack:
        item = stack.pop()
        if isinstance(item, Braces):
            stack.extend(reversed(item.items))
        else:
            flat.append(item)
    return flat
