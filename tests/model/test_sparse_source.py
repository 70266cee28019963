"""Missing chunks of a large array are not looked up one after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.api.partial_read import read_positions
from ncz.formats.chunks import write_boxes
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.types.dtypes import encoding_for
from ncz.model.chunks import ChunkLayout, Shard, in_order
from ncz.model.data import MemoryArray, read_all, read_box
from ncz.model.grid import Box, whole
from ncz.model.slabs import distinct, read_variable
from ncz.model.sparse_source import SparseSource, chunks_of, sparse
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.transfer.compare_values import ValueComparison, value_differences
from ncz.zmap.memory import MemoryZmap

HUGE = (1 << 30, 2)


class Counting(MemoryZmap):
    """A store in memory that counts requests."""

    asked = 0

    def get(self, key: str, limit: int = 1 << 30) -> bytes | None:
        self.asked += 1
        return super().get(key, limit)

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        self.asked += 1
        return super().get_range(key, start, count)


class Unlisted(Counting):
    """A store that cannot list its keys."""

    can_list = False


def array(
    shape: tuple[int, ...], chunks: tuple[int, ...], has: dict[str, int], store: Any = Counting
) -> ZarrArray:
    """Return an array of ints whose fill is 7, and whose chunks in `has` contain a number."""
    count = math.prod(chunks)
    objects = {f"v/{name}": np.full(count, n, "<i4").tobytes() for name, n in has.items()}
    encoding = encoding_for(Atomic.INT, endianness="little", string_length=0, char=">S1")
    layout = ChunkLayout(shape=shape, chunks=chunks, order=in_order(len(shape)))
    return ZarrArray(store(objects, "memory://test"), "v", layout, encoding, 7)


def asked(source: ZarrArray) -> int:
    """Return the number of requested objects."""
    assert isinstance(source.zmap, Counting)
    return source.zmap.asked


@given(st.data())
def test_values_equal_the_looked_up_ones(data):
    shape = data.draw(st.tuples(st.integers(5, 30), st.integers(5, 30)))
    chunks = data.draw(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    source = array(shape, chunks, {})
    indices = list(source.grid.indices())
    for n, index in enumerate(data.draw(st.sets(st.sampled_from(indices), max_size=9))):
        key = f"v/{index[0]}.{index[1]}"
        assert isinstance(source.zmap, Counting)
        source.zmap.put(key, np.full(math.prod(chunks), n, "<i4").tobytes())
    reading = SparseSource(source, patience=data.draw(st.integers(0, 5)))
    for _ in range(3):
        ends = [sorted(data.draw(st.tuples(*[st.integers(0, n)] * 2))) for n in shape]
        box = Box(*zip(*ends, strict=True))
        np.testing.assert_array_equal(read_box(reading, box), read_box(source, box))


def test_missing_chunks_of_a_huge_array_are_not_looked_up():
    source = array(HUGE, (1, 2), {"5.0": 1, "900000.0": 2})
    slabs = read_variable(Variable(name="v", type=Atomic.INT, data=source), HUGE)
    first, second = next(slabs), next(slabs)
    assert set(np.flatnonzero(first != 7)) == {10, 11}
    assert set(np.flatnonzero(second != 7)) == {2 * 900_000 - (1 << 20) + n for n in (0, 1)}
    third = next(slabs)
    assert distinct(third).tolist() == [7]
    assert third.size == 1 << 20
    assert asked(source) < 100


def test_shards_that_are_missing_are_not_looked_up():
    shard = Shard(chunks=(1,), order=(0,))
    layout = ChunkLayout(shape=(1 << 20,), chunks=(1 << 4,), order=(0,), shard=shard)
    encoding = encoding_for(Atomic.INT, endianness="little", string_length=0, char=">S1")
    index = np.full((16, 2), 2**64 - 1, "<u8")
    index[3] = 0, 4
    data = np.array([5], "<i4").tobytes() + index.tobytes()
    zmap = Counting({"v/1000": data}, "memory://test")
    source = sparse(ZarrArray(zmap, "v", layout, encoding, 7))
    values = read_all(source)
    assert np.flatnonzero(values != 7).tolist() == [16003]
    assert values[16003] == 5
    assert zmap.asked < 100


def test_a_store_without_a_listing_gets_a_request_for_each_chunk():
    source = array((1 << 15,), (1,), {"9": 3}, Unlisted)
    assert sparse(source) is source
    assert np.flatnonzero(read_all(source) != 7).tolist() == [9]
    assert asked(source) == 1 << 15


def test_a_complete_array_is_not_listed(monkeypatch):
    source = array((1 << 14,), (1,), {str(n): n for n in range(1 << 14)})
    monkeypatch.setattr(MemoryZmap, "walk", None)
    assert read_all(sparse(source)).tolist() == list(range(1 << 14))


def test_a_small_box_of_a_huge_array_is_not_listed(monkeypatch):
    source = array(HUGE, (1, 2), {"5.0": 1})
    monkeypatch.setattr(MemoryZmap, "walk", None)
    assert read_box(sparse(source), Box((4, 0), (6, 2))).tolist() == [[7, 7], [1, 1]]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    "along", [range(0, 1 << 16, 3), np.array([60_000, *range(1 << 15), 5])], ids=["range", "list"]
)
def test_reads_from_python_look_up_few_chunks(threads, along):
    source = array((1 << 16,), (1,), {"5": 1, "60000": 2})
    expected = np.full(1 << 16, 7)
    expected[5], expected[60_000] = 1, 2
    found = read_positions(source, (along,), threads)
    np.testing.assert_array_equal(found, expected[np.asarray(along)])
    assert asked(source) < 2000  # threads are ahead of the known chunks


@pytest.mark.parametrize("raw", [True, False])
def test_comparisons_look_up_few_chunks(raw):
    shape = (1 << 16,)
    ours = array(shape, (1,), {"5": 1, "600": 2})
    theirs = array(shape, (1,), {"5": 1}) if raw else array(shape, (2,), {"2": 7})
    one, other = (Variable(name="v", type=Atomic.INT, data=data) for data in (ours, theirs))
    with ThreadPool(1 << 24, 1) as pool:
        found = list(value_differences(one, other, "/v", shape, pool, ValueComparison(raw=raw)))
    assert [each.index for each in found] == ([(600,)] if raw else [(5,), (600,)])
    assert asked(ours) + asked(theirs) < 20


def test_targets_of_values_are_filled_together():
    boxes = []

    class Store:
        url = "memory://target"

        def put_fill(self, box):
            boxes.append(box)

        def put_values(self, box, values):
            boxes.append(values.tolist())

    assert write_boxes(Store(), array((1 << 16,), (2,), {"5": 1}), (1 << 16,)) == 1
    assert boxes[0] == whole((1 << 16,))
    assert [1, 1] in boxes
    assert len(boxes) < 100


def test_other_sources_are_read_unchanged():
    source = MemoryArray(np.zeros(1 << 15, "i4"), Atomic.INT, chunks=(1,))
    assert sparse(source) is source


def test_the_chunks_of_a_large_array_that_exist():
    source = array((1 << 16,), (2,), {"5": 1, "6000": 2})
    assert [values.tolist() for values in chunks_of(source)] == [[1, 1], [2, 2]]
    assert asked(source) < 50
