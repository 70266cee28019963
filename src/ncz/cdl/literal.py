"""A variable's data as CDL gives it: a chunk source over the text of its data list.

Memory is bounded by blocks: of the list only an index is held (`ncz.cdl.blocks`), and of its
values those of the blocks that were read last. Any chunk shape may be asked for, in any order.
"""

from __future__ import annotations

import bisect
import math
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ncz.cdl.blocks import Blocks, Layout, padded
from ncz.cdl.constants import Constant, Kind
from ncz.cdl.items import Braces, Item, read_items
from ncz.cdl.numbers import UNGIVEN, read_values
from ncz.cdl.source import Source
from ncz.cdl.values import char_bytes
from ncz.model.data import fill_array
from ncz.model.grid import ChunkGrid, Index, Shape
from ncz.model.types import Atomic, NcType, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SLAB = 1 << 20
"""Elements of a default chunk, and of what is read at a time to cut a chunk out of."""
_HELD = 1 << 25
"""Elements of parsed blocks that are kept, at most, when chunks take turns at the same blocks."""


@dataclass(frozen=True, slots=True)
class LiteralSource:
    """The values of one data list, as an array of `grid.shape`.

    Where the list gives no value the array holds `fill`, and zero bytes if that is None; a chunk
    for which it gives none at all is missing. `mark` is what ``_`` stands for. Errors in
    constants are raised, as CdlError with their place, when the chunk that holds them is read.
    """

    source: Source
    blocks: Blocks
    layout: Layout
    grid: ChunkGrid
    type: NcType
    fill: Value
    mark: Value
    bases: list[int]
    """For each block, the flat number of its first value in the array; ascending."""
    cache: OrderedDict[int, Any] = field(default_factory=OrderedDict, compare=False, repr=False)

    def rechunked(self, chunks: Shape) -> LiteralSource:
        """The same values, cut otherwise."""
        grid = ChunkGrid(self.grid.shape, chunks)
        return replace(self, grid=grid, cache=OrderedDict())

    def chunk(self, index: Index) -> NDArray[Any] | None:
        """Values of chunk `index`; None if the list gives none of them (or only ``_``, strings)."""
        import numpy as np

        box = self.grid.box(index)
        start = self._flat_number(box.start)
        stop = self._flat_number(tuple(n - 1 for n in box.stop)) + 1
        if not self._given(start, stop):
            return None
        values = np.empty(box.shape, self._dtype())
        self._cut(0, 0, box.start, box.stop, values)
        if self.type is not Atomic.STRING:
            return values
        flat = values.ravel().tolist()
        if all(value is UNGIVEN for value in flat):
            return None
        flat = [self.mark if value is UNGIVEN else value for value in flat]
        values.ravel()[:] = flat
        return values

    def _dtype(self) -> np.dtype[Any]:
        from ncz.model.data import dtype_of

        return dtype_of(self.type)

    def _flat_number(self, index: Index) -> int:
        number = 0
        for i, n in zip(index, self.grid.shape, strict=True):
            number = number * n + i
        return number

    def _given(self, start: int, stop: int) -> bool:
        """Whether the list has a value between two flat numbers."""
        number = max(0, bisect.bisect_right(self.bases, start) - 1)
        while number < len(self.bases) and self.bases[number] < stop:
            if self.bases[number] + self.blocks.counts[number] > start:
                return True
            number += 1
        return False

    def _cut(self, axis: int, offset: int, start: Index, stop: Index, out: NDArray[Any]) -> None:
        """Fill `out` with the box from `start` to `stop` of the sub-array at flat `offset`."""
        shape = self.grid.shape
        if axis == len(shape):
            out[...] = self._flat(offset, 1).reshape(())
            return
        trailing = math.prod(shape[axis + 1 :])
        first, last = start[0], stop[0]
        if axis + 1 == len(shape) or (last - first) * trailing <= _SLAB:
            flat = self._flat(offset + first * trailing, (last - first) * trailing)
            rest = tuple(slice(a, b) for a, b in zip(start[1:], stop[1:], strict=True))
            out[...] = flat.reshape(last - first, *shape[axis + 1 :])[:, *rest]
            return
        for i in range(first, last):
            self._cut(axis + 1, offset + i * trailing, start[1:], stop[1:], out[i - first])

    def _flat(self, start: int, count: int) -> NDArray[Any]:
        """`count` values from flat number `start` on, with what is not given filled in."""
        stop = start + count
        number = max(0, bisect.bisect_right(self.bases, start) - 1)
        base = self.bases[number]
        if base <= start and stop <= base + self.blocks.counts[number]:
            values: NDArray[Any] = self._block(number)[start - base : stop - base]
            return values
        fill = UNGIVEN if self.type is Atomic.STRING else self.fill
        result = fill_array((count,), self.type, fill)
        while number < len(self.bases) and self.bases[number] < stop:
            base = self.bases[number]
            low = max(start, base)
            high = min(stop, base + self.blocks.counts[number])
            if low < high:
                block = self._block(number)
                result[low - start : high - start] = block[low - base : high - base]
            number += 1
        return result

    def _block(self, number: int) -> NDArray[Any]:
        """The values of one block, read or remembered."""
        if number in self.cache:
            self.cache.move_to_end(number)
            values: NDArray[Any] = self.cache[number]
            return values
        start, stop = self.blocks.starts[number], self.blocks.stops[number]
        count = self.blocks.counts[number]
        if self.layout.text:
            values = self._text_block(start, stop)
        else:
            values = read_values(self.source, start, stop, count, self.type, self.mark)
        if len(values) != count:
            raise self.source.error(start, "the values that begin here cannot be counted")
        self.cache[number] = values
        held = sum(self.blocks.counts[n] for n in self.cache)
        while len(self.cache) > 2 and held > self._capacity():
            oldest, _ = self.cache.popitem(last=False)
            held -= self.blocks.counts[oldest]
        return values

    def _capacity(self) -> int:
        """Elements worth keeping: those that neighbouring chunks share, within bounds."""
        shape, chunks = self.grid.shape, self.grid.chunks
        if all(c >= n for c, n in zip(chunks[1:], shape[1:], strict=True)):
            return 0
        return min(_HELD, chunks[0] * math.prod(shape[1:]) + 2 * max(self.blocks.counts))

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
        width = self.layout.width
        rows = [part.ljust(padded(len(part), width), fill) for part in parts[:-1]]
        return np.frombuffer(b"".join([*rows, *parts[-1:]]), "S1")


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


def default_chunks(shape: Shape) -> Shape:
    """Chunks of whole rows, as a data list has its values, of about a million elements."""
    chunks: list[int] = []
    left = _SLAB
    for n in reversed(shape):
        chunks.append(max(1, min(n, left)))
        left //= max(1, n)
    return tuple(reversed(chunks))
