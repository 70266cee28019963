"""A variable's data as JSON gives it: a chunk source over the text of its lists.

The data of a variable are lists in lists, one level for each dimension, whose values follow each
other as they do in the flattened array. They are cut into blocks of about a megabyte of text, whose
brackets are checked against the shape and then taken out, so that memory is bounded by blocks.
"""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.model.data import dtype_of
from ncz.model.flat import FlatBlocks
from ncz.model.grid import ChunkGrid, Index, Shape
from ncz.model.types import Atomic, NcType, Value
from ncz.text.source import Source
from ncz.views.json.scan import List, Node, parse, read
from ncz.views.json.values import WrongValue, shown, to_chars, to_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 20
"""Bytes of text that a block has at least, but for the last."""

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COMMAS = re.compile(rb'"(?:[^"\\]|\\.)*"|,', re.DOTALL)
_BRACKETS_OUTSIDE = re.compile(rb'("(?:[^"\\]|\\.)*")|[\[\]]', re.DOTALL)
_LOOSE = re.compile(rb"[^\[,\s]\s*\[|\]\s*[^\],\s]")
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[^\s,\[\]]+', re.DOTALL)
_BLANKED = bytes.maketrans(b"[]", b"  ")
_STRUCTURE = bytes(set(range(256)) - set(b"[],"))


@dataclass(frozen=True)
class JsonSource:
    """The data of one variable, as an array of `grid.shape`: a `RecuttableSource`.

    Errors in values are raised, as CdlError with their place, when the chunk is read.
    """

    source: Source
    grid: ChunkGrid
    type: NcType
    fill: Value
    blocks: _Blocks

    def rechunked(self, chunks: Shape) -> JsonSource:
        """The same values, cut otherwise."""
        return replace(self, grid=ChunkGrid(self.grid.shape, chunks))

    def chunk(self, index: Index) -> NDArray[Any] | None:
        """Values of chunk `index`; None for strings that are all fill, as if never written."""
        values = self._flat.box(self.grid.box(index))
        if self.type is Atomic.STRING and values is not None:
            return None if all(value == self.fill for value in values.flat) else values
        return values

    @cached_property
    def _flat(self) -> FlatBlocks:
        width = self.blocks.width
        return FlatBlocks(
            grid=self.grid,
            type=self.type,
            fill=self.fill,
            bases=[first * width for first in self.blocks.firsts],
            counts=[count * width for count in self.blocks.counts],
            read=self._block,
        )

    def _block(self, number: int) -> NDArray[Any]:
        blocks = self.blocks
        start, stop = blocks.starts[number], blocks.stops[number]
        text = self.source.buffer[start:stop]
        if isinstance(self.type, Atomic):
            has_strings = b'"' in text
            plain = _blank_brackets(text) if has_strings else text.translate(_BLANKED)
            values = parse(self.source, b"[" + plain + b"]", start - 1)
        else:
            values = _elements(parse(self.source, text, start), len(self.grid.shape))
        if len(values) != blocks.counts[number]:
            raise self.source.error(start, "the values that begin here cannot be counted")
        try:
            if self.type is Atomic.CHAR:
                return _char_rows(values, blocks.width)
            return _array(values, self.type)
        except WrongValue as error:
            raise self._located(start, stop, values, str(error)) from None

    def _located(self, start: int, stop: int, values: list[Any], message: str) -> Exception:
        """The error that a value of a block is wrong, at the first such."""
        wrong = 0
        for number, value in enumerate(values):
            try:
                if self.type is Atomic.CHAR:
                    _char_rows([value], self.blocks.width)
                else:
                    to_value(value, self.type)
            except WrongValue as error:
                wrong, message = number, str(error)
                break
        if not isinstance(self.type, Atomic):
            return self.source.error(start, message)
        tokens = _TOKENS.finditer(self.source.buffer, start, stop)
        at = next((t.start() for n, t in enumerate(tokens) if n == wrong), start)
        return self.source.error(at, message)


def _array(values: list[Any], nc_type: NcType) -> NDArray[Any]:
    """A flat array of `values`. Raises WrongValue."""
    import numpy as np

    result: NDArray[Any] = np.empty(len(values), dtype_of(nc_type))
    kinds = set(map(type, values))
    if isinstance(nc_type, Atomic) and nc_type.is_integer and kinds == {int}:
        low, high = nc_type.limits
        if min(values) >= low and max(values) <= high:
            result[:] = values
            return result
    elif nc_type in (Atomic.FLOAT, Atomic.DOUBLE) and kinds <= {float}:
        with np.errstate(over="ignore"):
            result[:] = values
        if not np.isinf(result).any():
            return result
    elif nc_type is Atomic.STRING and kinds <= {str, type(None)}:
        result[:] = values
        return result
    for number, value in enumerate(values):
        result[number] = to_value(value, nc_type)
    return result


def _char_rows(values: list[Any], width: int) -> NDArray[Any]:
    import numpy as np

    rows = [to_chars(value) for value in values]
    for row, value in zip(rows, values, strict=True):
        if len(row) > width:
            raise WrongValue(f"{shown(value)} is {len(row)} bytes, and a row has {width}")
    return np.frombuffer(b"".join(row.ljust(width, b"\0") for row in rows), "S1")


def _elements(nested: Any, rank: int) -> list[Any]:
    """The values that stand `rank` lists deep."""
    values = [nested]
    for _ in range(rank):
        values = [inner for value in values for inner in value]
    return values


@dataclass(slots=True)
class _Blocks:
    """Where blocks stand, and the numbers of their first values and their counts.

    A value is here what stands between commas: for char, a text of `width` chars.
    """

    width: int = 1
    starts: array[int] = field(default_factory=lambda: array("q"))
    stops: array[int] = field(default_factory=lambda: array("q"))
    firsts: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("q"))

    def add(self, start: int, stop: int, first: int, count: int) -> None:
        """One more block."""
        for column, number in zip(
            (self.starts, self.stops, self.firsts, self.counts),
            (start, stop, first, count),
            strict=True,
        ):
            column.append(number)


def read_data(
    source: Source, node: Node, nc_type: NcType, grid: ChunkGrid, fill: Value, what: str
) -> JsonSource | None:
    """The data that stand at `node`; None for an array without elements.

    Raises CdlError if the lists do not have the shape.
    """
    shape = grid.shape
    if 0 in shape:
        if not isinstance(node, List) or _elements_of_any(read(source, node)):
            raise source.error(node.at, f"{what} has no elements", "write []")
        return None
    is_text = nc_type is Atomic.CHAR
    rows = shape[:-1] if is_text else shape
    blocks = _Blocks(width=shape[-1] if is_text and shape else 1)
    if not isinstance(nc_type, Atomic):
        _check_nesting(source, node, rows, what)
        blocks.add(node.at, node.stop, 0, math.prod(rows))
    elif not rows:
        if isinstance(node, List):
            raise source.error(node.at, f"{what} needs one value here, not a list")
        blocks.add(node.at, node.stop, 0, 1)
    elif not isinstance(node, List):
        raise source.error(node.at, f"{what} needs a list here", f"its shape is {list(shape)}")
    else:
        _index(source, node, rows, blocks, what)
    return JsonSource(source, grid, nc_type, fill, blocks)


def _elements_of_any(nested: Any) -> bool:
    """Whether there is any value in lists in lists."""
    return any(map(_elements_of_any, nested)) if isinstance(nested, list) else True


def _check_nesting(source: Source, node: Node, shape: Shape, what: str) -> None:
    def check(nested: Any, axis: int) -> bool:
        if axis == len(shape):
            return True
        fits = isinstance(nested, list) and len(nested) == shape[axis]
        return fits and all(check(inner, axis + 1) for inner in nested)

    if not check(read(source, node), 0):
        raise source.error(node.at, f"the lists do not have the shape of {what}, {list(shape)}")


def _index(source: Source, node: List, shape: Shape, blocks: _Blocks, what: str) -> None:
    """Find the blocks of a list, and check that its brackets are those of `shape`."""
    total = math.prod(shape)
    at, first = node.at, 0
    while True:
        cut = _cut(source, at, node.stop)
        text = source.buffer[at:cut]
        if b'"' in text:
            text = _STRINGS.sub(lambda string: b"0" * len(string[0]), text)
        structure = text.translate(None, _STRUCTURE)
        count = structure.count(b",") + 1
        is_last = cut == node.stop
        wrong = _first_wrong(structure, first, count, shape)
        loose = _LOOSE.search(text)
        if wrong is not None or loose or is_last != (first + count == total):
            place = loose.start() if loose else _place(text, count if wrong is None else wrong)
            raise source.error(
                at + place, f"the lists do not have the shape of {what}, {list(shape)}"
            )
        blocks.add(at, cut, first, count)
        first += count
        if is_last:
            return
        at = cut + 1


def _cut(source: Source, at: int, stop: int) -> int:
    """The place of the comma, outside of a text, at which the block that begins at `at` ends."""
    if stop - at <= BLOCK:
        return stop
    comma = source.buffer.find(b",", at + BLOCK, stop)
    if b'"' not in source.buffer[at : comma if comma >= 0 else stop]:
        return comma if comma >= 0 else stop
    for mark in _COMMAS.finditer(source.buffer, at, stop):
        if mark.start() >= at + BLOCK and mark[0] == b",":
            return mark.start()
    return stop


def _first_wrong(structure: bytes, first: int, count: int, shape: Shape) -> int | None:
    """The first of `count` values around which brackets and commas are not as they must be.

    As many lists are opened before a value as it is the first of, and closed after it as it is the
    last of. None if all are right.
    """
    import numpy as np

    marks = np.frombuffer(structure, np.uint8)
    borders = np.concatenate(([-1], np.flatnonzero(marks == ord(",")), [len(marks)]))
    opened = np.concatenate(([0], np.cumsum(marks == ord("["))))
    opens = opened[borders[1:]] - opened[borders[:-1] + 1]
    closes = np.diff(borders) - 1 - opens
    numbers = np.arange(first, first + count + 1, dtype=np.int64)
    lists = np.zeros(count + 1, np.int64)
    for axis in range(len(shape)):
        lists += numbers % math.prod(shape[axis:]) == 0
    wrong = (opens != lists[:-1]) | (closes != lists[1:]) | (numbers[:-1] >= math.prod(shape))
    if b"][" in structure:  # counted right, but closed before it was opened
        wrong[int(np.count_nonzero(marks[: structure.index(b"][")] == ord(",")))] = True
    found = np.flatnonzero(wrong)
    return int(found[0]) if len(found) else None


def _place(text: bytes, number: int) -> int:
    """Where in a block the value of that number stands, or the end."""
    tokens = _TOKENS.finditer(text)
    return next((t.start() for n, t in enumerate(tokens) if n == number), len(text) - 1)


def _blank_brackets(text: bytes) -> bytes:
    return _BRACKETS_OUTSIDE.sub(lambda match: match[1] or b" ", text)
