"""The data of a JSON variable: a chunk source over the text of its lists.

Data are nested lists, one level per dimension, with the values in the order of the flattened
array. They are split into blocks of about a megabyte of text. The brackets of a block are
compared with the shape and then removed. So memory is bounded by blocks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.errors import quantity
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, dtype_of
from ncz.model.flat_blocks import FlatBlocks
from ncz.model.grid import ChunkGrid, Index, Shape
from ncz.model.json_decoding import WrongValueError, decode_chars, decode_value, show
from ncz.model.types import Atomic, NcType, Value
from ncz.text.blocks import TextBlocks
from ncz.text.source import SourceText
from ncz.views.json.tree import List, parse_json, parse_node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.views.json.tree import Node


BLOCK = 1 << 20
"""Least number of bytes of text in a block, except the last one."""

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COMMAS = re.compile(rb'"(?:[^"\\]|\\.)*"|,', re.DOTALL)
_BRACKETS_OUTSIDE = re.compile(rb'("(?:[^"\\]|\\.)*")|[\[\]]', re.DOTALL)
_LOOSE = re.compile(rb"[^\[,\s]\s*\[|\]\s*[^\],\s]")
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[^\s,\[\]]+', re.DOTALL)
_BLANKED = bytes.maketrans(b"[]", b"  ")
_STRUCTURE = bytes(set(range(256)) - set(b"[],"))


@dataclass(frozen=True)
class JsonArray(ChunkSource):
    """The data of one variable, as an array of `grid.shape`.

    A wrong value raises CdlError, with its location, when its chunk is read.
    """

    source: SourceText
    grid: ChunkGrid
    type: NcType
    fill: Value
    blocks: TextBlocks
    width: int
    """The number of chars in a text; 1 for other types."""

    def rechunk(self, chunks: Shape) -> JsonArray:
        """Return the same values in other chunks."""
        return replace(self, grid=ChunkGrid(self.grid.shape, chunks))

    def values_of(self, indices: Sequence[Index]) -> list[NDArray[Any] | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> NDArray[Any] | None:
        """Return chunk `index`; None for strings that are all fill, like a missing chunk."""
        values = self._flat.box(self.grid.box(index))
        if self.type is Atomic.STRING and values is not None:
            return None if all(value == self.fill for value in values.flat) else values
        return values

    @cached_property
    def _flat(self) -> FlatBlocks:
        width = self.width
        return FlatBlocks(
            grid=self.grid,
            type=self.type,
            fill=self.fill,
            bases=[first * width for first in self.blocks.firsts],
            counts=[count * width for count in self.blocks.counts],
            read=self._parse_block,
        )

    def _parse_block(self, number: int) -> NDArray[Any]:
        blocks = self.blocks
        start, stop = blocks.starts[number], blocks.stops[number]
        text = self.source.buffer[start:stop]
        if isinstance(self.type, Atomic):
            has_strings = b'"' in text
            plain = _blank_brackets(text) if has_strings else text.translate(_BLANKED)
            values = parse_json(self.source, b"[" + plain + b"]", start - 1)
        else:
            values = _flatten(parse_json(self.source, text, start), len(self.grid.shape))
        if len(values) != blocks.counts[number]:
            raise self.source.error(
                start, "cannot determine the number of values in the list from here on"
            )
        try:
            if self.type is Atomic.CHAR:
                return _char_rows(values, self.width)
            return _array(values, self.type)
        except WrongValueError as error:
            raise self._locate_error(start, stop, values, str(error)) from None

    def _locate_error(self, start: int, stop: int, values: list[Any], message: str) -> Exception:
        """Return the error for the first wrong value of a block, with its location."""
        wrong = 0
        for number, value in enumerate(values):
            try:
                if self.type is Atomic.CHAR:
                    _char_rows([value], self.width)
                else:
                    decode_value(value, self.type)
            except WrongValueError as error:
                wrong, message = number, str(error)
                break
        if not isinstance(self.type, Atomic):
            return self.source.error(start, message)
        tokens = _TOKENS.finditer(self.source.buffer, start, stop)
        at = next((t.start() for n, t in enumerate(tokens) if n == wrong), start)
        return self.source.error(at, message)


def _array(values: list[Any], nc_type: NcType) -> NDArray[Any]:
    """Return `values` as a flat array. Raise WrongValueError."""
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
        result[number] = decode_value(value, nc_type)
    return result


def _char_rows(values: list[Any], width: int) -> NDArray[Any]:
    rows = [decode_chars(value) for value in values]
    for row, value in zip(rows, values, strict=True):
        if len(row) > width:
            raise WrongValueError(
                f"{show(value)} has {quantity(len(row), 'byte')}, more than the {width} of a row"
            )
    return np.frombuffer(b"".join(row.ljust(width, b"\0") for row in rows), "S1")


def _flatten(nested: Any, rank: int) -> list[Any]:
    """Return the values nested `rank` lists deep."""
    values = [nested]
    for _ in range(rank):
        values = [inner for value in values for inner in value]
    return values


def read_data(
    source: SourceText, node: Node, nc_type: NcType, grid: ChunkGrid, fill: Value, what: str
) -> JsonArray | None:
    """Index the data at `node`.

    Parameters
    ----------
    what
        Names the variable in errors.

    Returns
    -------
    JsonArray or None
        None for an array without elements.

    Raises
    ------
    CdlError
        The nested lists do not have the shape `grid.shape`.
    """
    shape = grid.shape
    if 0 in shape:
        if not isinstance(node, List) or _has_values(parse_node(source, node)):
            raise source.error(node.at, f"{what} has no elements", "write []")
        return None
    is_text = nc_type is Atomic.CHAR
    rows = shape[:-1] if is_text else shape
    blocks, width = TextBlocks(), shape[-1] if is_text and shape else 1
    if not isinstance(nc_type, Atomic):
        _check_nesting(source, node, rows, what)
        blocks.add(node.at, node.stop, 0, math.prod(rows))
    elif not rows:
        if isinstance(node, List):
            raise source.error(node.at, f"{what} is a scalar: expected one value, not a list")
        blocks.add(node.at, node.stop, 0, 1)
    elif not isinstance(node, List):
        raise source.error(
            node.at, f"the data of {what} must be a list", f"the shape is {list(shape)}"
        )
    else:
        _index_list(source, node, rows, blocks, what)
    return JsonArray(source, grid, nc_type, fill, blocks, width)


def _has_values(nested: Any) -> bool:
    """Return whether nested lists contain any value."""
    return any(map(_has_values, nested)) if isinstance(nested, list) else True


def _check_nesting(source: SourceText, node: Node, shape: Shape, what: str) -> None:
    def check(nested: Any, axis: int) -> bool:
        if axis == len(shape):
            return True
        fits = isinstance(nested, list) and len(nested) == shape[axis]
        return fits and all(check(inner, axis + 1) for inner in nested)

    if not check(parse_node(source, node), 0):
        raise source.error(node.at, f"the lists do not have the shape of {what}, {list(shape)}")


def _index_list(
    source: SourceText, node: List, shape: Shape, blocks: TextBlocks, what: str
) -> None:
    """Index the blocks of a list, and check its brackets against `shape`."""
    total = math.prod(shape)
    at, first = node.at, 0
    while True:
        cut = _block_end(source, at, node.stop)
        text = source.buffer[at:cut]
        if b'"' in text:
            text = _STRINGS.sub(lambda string: b"0" * len(string[0]), text)
        structure = text.translate(None, _STRUCTURE)
        count = structure.count(b",") + 1
        is_last = cut == node.stop
        wrong = _find_wrong(structure, first, count, shape)
        loose = _LOOSE.search(text)
        if wrong is not None or loose or is_last != (first + count == total):
            place = loose.start() if loose else _find_value(text, count if wrong is None else wrong)
            raise source.error(
                at + place, f"the lists do not have the shape of {what}, {list(shape)}"
            )
        blocks.add(at, cut, first, count)
        first += count
        if is_last:
            return
        at = cut + 1


def _block_end(source: SourceText, at: int, stop: int) -> int:
    """Return the offset of the comma, outside of texts, that ends the block beginning at `at`."""
    if stop - at <= BLOCK:
        return stop
    comma = source.buffer.find(b",", at + BLOCK, stop)
    if b'"' not in source.buffer[at : comma if comma >= 0 else stop]:
        return comma if comma >= 0 else stop
    for mark in _COMMAS.finditer(source.buffer, at, stop):
        if mark.start() >= at + BLOCK and mark[0] == b",":
            return mark.start()
    return stop


def _find_wrong(structure: bytes, first: int, count: int, shape: Shape) -> int | None:
    """Return the first of `count` values with wrong brackets before or after it, or None.

    A value has an opening bracket before it for each list that it is the first value of, and a
    closing one after it for each list that it is the last value of.
    """
    marks = np.frombuffer(structure, np.uint8)
    borders = np.concatenate(([-1], np.flatnonzero(marks == ord(",")), [len(marks)]))
    opens_before = np.concatenate(([0], np.cumsum(marks == ord("["))))
    opens = opens_before[borders[1:]] - opens_before[borders[:-1] + 1]
    closes = np.diff(borders) - 1 - opens
    numbers = np.arange(first, first + count + 1, dtype=np.int64)
    lists = np.zeros(count + 1, np.int64)
    for axis in range(len(shape)):
        lists += numbers % math.prod(shape[axis:]) == 0
    wrong = (opens != lists[:-1]) | (closes != lists[1:]) | (numbers[:-1] >= math.prod(shape))
    if b"][" in structure:  # the counts are right, but the order is not
        wrong[int(np.count_nonzero(marks[: structure.index(b"][")] == ord(",")))] = True
    places = np.flatnonzero(wrong)
    return int(places[0]) if len(places) else None


def _find_value(text: bytes, number: int) -> int:
    """Return the offset of a value by its number in the block, or of the end."""
    tokens = _TOKENS.finditer(text)
    return next((t.start() for n, t in enumerate(tokens) if n == number), len(text) - 1)


def _blank_brackets(text: bytes) -> bytes:
    return _BRACKETS_OUTSIDE.sub(lambda match: match[1] or b" ", text)
