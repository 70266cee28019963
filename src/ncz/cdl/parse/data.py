"""The data of a CDL variable: a chunk source that parses blocks of text as they are needed.

Memory is bounded: only the index of the list and the values of the blocks that were parsed last are
held. Chunks of any shape can be read, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.cdl.parse.constants import (
    Braces,
    Constant,
    Item,
    Kind,
    convert_item,
    decode_text,
    join_chars,
    number_of_date,
    parse_items,
)
from ncz.cdl.parse.index import BlockIndex, ListShape, padded_length
from ncz.model.data import ChunkSource, dtype_of
from ncz.model.grid import ChunkGrid, Index, Shape
from ncz.model.sources import FlatBlocks
from ncz.model.types import Atomic, NcType, Value
from ncz.text.source import SourceText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncz.text.times import Times

# A block of a data list parsed to a numpy array: millions of numbers or strings at a time.
#
# numpy's own parser does the work where it is safe: on text of plain numbers, after ``_``,
# comments, suffixes and the names of NaN and Infinity have been replaced, if every token of the
# block is valid CDL. Every result is checked (number of values, range, finite). A block that fails
# a check is parsed again constant by constant by `ncz.cdl.parse.constants`, which returns the
# values or raises the error with its location.


class _Unwritten:
    """The type of `UNWRITTEN`."""

    def __repr__(self) -> str:
        return "_"


UNWRITTEN = _Unwritten()
"""Represents ``_`` among strings, where a missing element differs from an empty one."""

_PLAIN_INTEGERS = b"0123456789+-, \t\r\n\f\v"
_PLAIN_FLOATS = _PLAIN_INTEGERS + b".eE"
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


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

    Char data are not a list of values; `ncz.cdl.parse.data` parses them.

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

    found = parse_floats(text, fill)
    if found is None:
        return _parse_floats_by_numpy(text, atomic, fill)
    values, infinities = found
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
            named = 0
            plain = text
            for name, short in _NAMES:
                named += plain.count(name)
                plain = plain.replace(name, b" " + short + b" ")
            if len(plain.translate(None, _PLAIN_FLOATS + b"_")) == 3 * named:
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
    found = int(np.isinf(values).sum())
    return values if found == infinities else None


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
    """Drop the braces, which char data may have anywhere, without a meaning."""
    stack: list[Item] = list(reversed(items))
    flat: list[Constant] = []
    while stack:
        item = stack.pop()
        if isinstance(item, Braces):
            stack.extend(reversed(item.items))
        else:
            flat.append(item)
    return flat
