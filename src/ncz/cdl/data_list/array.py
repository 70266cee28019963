"""The data of a CDL variable as a chunk source, whose blocks are parsed on demand.

Memory is bounded: only the index of the list and the values of the blocks that were parsed last are
held. Chunks of any shape can be read, in any order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.cdl.constants import Constant, Kind
from ncz.cdl.data_list.block_parser import UNWRITTEN, Dates, parse_block
from ncz.cdl.data_list.string_runs import parse_list
from ncz.cdl.item_values import join_chars, padded_length
from ncz.cdl.items import Braces, Item, parse_items
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, dtype_of
from ncz.model.flat_blocks import FlatBlocks
from ncz.model.grid import ChunkGrid, Index, Shape
from ncz.model.types import Atomic, NcType, Value
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.cdl.data_list.block_index import BlockIndex, ListShape


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

    def rechunk(self, chunks: Shape) -> CdlArray:
        """Return the same values in other chunks."""
        return replace(self, grid=ChunkGrid(self.grid.shape, chunks))

    def values_of(self, indices: Sequence[Index]) -> list[NDArray[Any] | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> NDArray[Any] | None:
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
        fill = self.mark.encode("latin-1")
        text = self.source.buffer[start:stop]
        run = parse_list(text)
        width = self.list_shape.width
        if run is not None:
            return run.rows(width, fill).view("S1")
        parts = self._char_constants(start, stop, fill)
        rows = [part.ljust(padded_length(len(part), width), fill) for part in parts[:-1]]
        return np.frombuffer(b"".join([*rows, *parts[-1:]]), "S1")

    def _char_constants(self, start: int, stop: int, fill: bytes) -> list[bytes]:
        """Return the strings of one block. Neighbouring char constants are one string."""
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
        return parts


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
