"""Stored chunks that belong to several sources."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ncz.formats.linear_array import LinearArray
from ncz.model.chunks import ChunkLayout
from ncz.model.composite_chunks import CompositeChunks, Number
from ncz.model.grid import ChunkGrid, Index
from ncz.model.types import Atomic
from ncz.zmap.memory import MemoryZmap


class Parts(CompositeChunks):
    """Two arrays of two chunks, one after the other; the fifth chunk is missing."""

    type, fill, is_listed, stored_dtype, item_size = Atomic.SHORT, None, False, "<i2", 2
    layout = ChunkLayout(shape=(15,), chunks=(3,), order=(0,))
    grid = ChunkGrid((15,), (3,))

    def __init__(self) -> None:
        self.opened: list[int] = []
        self._data = [np.arange(6, dtype="<i2") + 10 * n for n in range(2)]

    def find(self, index: Index) -> tuple[int, Index] | None:
        number, inner = divmod(index[0], 2)
        return (number, (inner,)) if number < 2 else None

    @contextmanager
    def part(self, number: Number) -> Iterator[LinearArray]:
        assert isinstance(number, int)
        self.opened.append(number)
        data = self._data[number].tobytes()
        yield LinearArray(
            layout=ChunkLayout(shape=(6,), chunks=(3,), order=(0,)), type=self.type,
            stored_dtype="<i2", item_size=2, fill=None, where=f"part {number}",
            read=lambda start, count: data[start : start + count],
        )  # fmt: skip

    def present(self) -> Iterator[Index]:
        return iter([(n,) for n in range(4)])

    def values_of(self, indices):
        return self.elements(indices)


ORDER = [(0,), (1,), (4,), (3,), (2,), (0,)]


def test_chunks_of_one_part_are_read_together():
    parts = Parts()
    found = parts.elements(ORDER)
    assert parts.opened == [0, 1, 0]
    assert [None if each is None else each[0] for each in found] == [0, 3, None, 13, 10, 0]


def test_bytes_of_each_chunk():
    parts = Parts()
    encoded = parts.encoded_chunks(ORDER)
    assert encoded[0] == np.arange(3, dtype="<i2").tobytes()
    assert encoded[2] is None
    assert encoded[3] == np.arange(13, 16, dtype="<i2").tobytes()
    assert parts.encoded_part((3,), 2, 2) == np.array([14], "<i2").tobytes()
    assert [parts.stored_size((n,)) for n in (3, 4)] == [6, None]
    assert [parts.locate((n,)) for n in (1, 2, 4)] == ["part 0", "part 1", "undefined"]
    assert parts.place((0,)) is None


def test_a_copy_has_the_chunks_that_exist():
    zmap = MemoryZmap()
    parts = Parts()
    assert list(parts.copy([(4,), (2,)], zmap, ["4", "2"])) == [None, 6]
    assert list(zmap.walk()) == ["2"]
