"""A variable's data as CDL gives it: a chunk source over the text of its data list.

Memory is bounded by blocks: of the list only an index is held (`ncz.cdl.parse.data_index`), and of
its
values those of the blocks that were read last. Any chunk shape may be asked for, in any order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.cdl.parse.constants import Constant, Kind
from ncz.cdl.parse.data_index import BlockIndex, ListShape, padded
from ncz.cdl.parse.items import Braces, Item, read_items
from ncz.cdl.parse.numbers import UNGIVEN, read_values
from ncz.cdl.parse.values import char_bytes
from ncz.model.data import dtype_of
from ncz.model.flat import FlatBlocks
from ncz.model.grid import ChunkGrid, Index, Shape
from ncz.model.types import Atomic, NcType, Value
from ncz.text.source import Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORTH = 8
"""Blocks that are worth processes of their own."""


@dataclass(frozen=True)
class LiteralSource:
    """The values of one data list, as an array of `grid.shape`.

    Where the list gives no value the array holds `fill`, and zero bytes if that is None; a chunk
    for which it gives none at all is missing. `mark` is what ``_`` stands for. Errors in
    constants are raised, as CdlError with their place, when the chunk that holds them is read.
    """

    source: Source
    blocks: BlockIndex
    list_shape: ListShape
    grid: ChunkGrid
    type: NcType
    fill: Value
    mark: Value
    bases: list[int]
    """For each block, the flat number of its first value in the array; ascending."""
    jobs: int = 1
    """Processes that read blocks ahead, at most."""

    def rechunked(self, chunks: Shape) -> LiteralSource:
        """The same values, cut otherwise."""
        return replace(self, grid=ChunkGrid(self.grid.shape, chunks))

    def chunk(self, index: Index) -> NDArray[Any] | None:
        """Values of chunk `index`; None if the list gives none of them (or only ``_``, strings)."""
        values = self._flat.box(self.grid.box(index))
        if values is None or self.type is not Atomic.STRING:
            return values
        flat = values.ravel().tolist()
        if all(value is UNGIVEN for value in flat):
            return None
        flat = [self.mark if value is UNGIVEN else value for value in flat]
        values.ravel()[:] = flat
        return values

    @cached_property
    def _flat(self) -> FlatBlocks:
        return FlatBlocks(
            grid=self.grid,
            type=self.type,
            fill=UNGIVEN if self.type is Atomic.STRING else self.fill,
            bases=self.bases,
            counts=self.blocks.counts,
            read=self._block if self._ahead is None else self._ahead.block,
        )

    @cached_property
    def _ahead(self) -> _Ahead | None:
        is_number = isinstance(self.type, Atomic) and self.type.kind in "iuf"
        if self.jobs < 2 or not is_number or len(self.bases) < _WORTH:
            return None
        from ncz.parallel.processes import can_fork

        return _Ahead(self, dtype_of(self.type)) if can_fork() else None

    def _block(self, number: int) -> NDArray[Any]:
        """The values of one block."""
        start, stop = self.blocks.starts[number], self.blocks.stops[number]
        count = self.blocks.counts[number]
        if self.list_shape.text:
            values = self._text_block(start, stop)
        else:
            values = read_values(self.source, start, stop, count, self.type, self.mark)
        if len(values) != count:
            raise self.source.error(start, "the values that begin here cannot be counted")
        self.source.release(start, stop)
        return values

    def _text_block(self, start: int, stop: int) -> NDArray[Any]:
        """The chars of one block; what fills up the rows of its last string is not among them."""
        import numpy as np

        fill = self.mark.encode("latin-1")
        parts: list[bytes] = []
        loose = False
        for item in _without_braces(read_items(self.source, start, stop)):
            text = char_bytes(self.source, [item], fill)
            joins = item.kind is not Kind.STRING
            if joins and loose:
                parts[-1] += text
            else:
                parts.append(text)
            loose = joins
        width = self.list_shape.width
        rows = [part.ljust(padded(len(part), width), fill) for part in parts[:-1]]
        return np.frombuffer(b"".join([*rows, *parts[-1:]]), "S1")


class _Ahead:
    """Blocks that processes read while those before them are used.

    They are had one after the other. Who wants another than the next reads it himself.
    """

    def __init__(self, literal: LiteralSource, dtype: np.dtype[Any]) -> None:
        self._literal = literal
        self._dtype = dtype
        self._next = 0
        self._results: Generator[bytes, None, None] | None = None

    def block(self, number: int) -> NDArray[Any]:
        """The values of one block."""
        import numpy as np

        if number != self._next:
            return self._literal._block(number)
        if self._results is None:
            from ncz.parallel.processes import in_order

            blocks = range(len(self._literal.bases))
            self._results = in_order(blocks, self._read, self._literal.jobs)
        self._next += 1
        values = np.frombuffer(next(self._results), self._dtype)
        if self._next == len(self._literal.bases):
            self._results.close()
        return values

    def _read(self, number: int) -> Iterator[bytes]:
        yield self._literal._block(number).tobytes()


def _without_braces(items: list[Item] | tuple[Item, ...]) -> list[Constant]:
    """Char data may have braces anywhere; they mean nothing."""
    stack: list[Item] = list(reversed(items))
    flat: list[Constant] = []
    while stack:
        item = stack.pop()
        if isinstance(item, Braces):
            stack.extend(reversed(item.items))
        else:
            flat.append(item)
    return flat
