"""Threads of rechunking, the number of chunks that it decodes, and the chunks that exist."""

from __future__ import annotations

import collections
import itertools
import threading
from collections.abc import Collection
from typing import Any

import pytest

from ncz.errors import ZmapError
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.model.chunks import ChunkLayout
from ncz.model.data import read_all
from ncz.model.filters import make_filter
from ncz.model.grid import ChunkGrid, Index, IrregularGrid
from ncz.model.presence import Presence
from ncz.parallel.threads import ThreadPool
from ncz.transfer.blocks import MOST_READS, Pieces, blocks_for
from ncz.transfer.move import MoveResult, transfer_for
from ncz.transfer.rechunk import plan_rechunk, rechunk_chunks
from ncz.transfer.spill import Spill
from ncz.zmap.memory import MemoryZmap

from .test_move import FILL, encoding, planned, stored

SIDE = 1024  # smaller chunks are processed in batches
MEMORY = (SIDE // 4) ** 2 * 4 * 14
"""Fourteen target chunks: four of a block, and two that are encoded with three times their size."""


@pytest.mark.parametrize("missing", [set(), {(3, 0)}], ids=["complete", "one missing"])
def test_two_chunks_are_decoded_and_encoded_in_parallel(missing):
    """Two threads wait for each other, so that one alone cannot continue."""
    met: collections.Counter[str] = collections.Counter()
    decoding, encoding_ = (threading.Barrier(2, timeout=60) for _ in range(2))

    class Source(ZarrArray):
        def elements(self, indices):
            met["decoded"] += len(indices)
            decoding.wait()
            return super().elements(indices)

    class Target(ArrayPlan):
        def encode(self, elements, location):
            met["encoded"] += 1
            encoding_.wait()
            return super().encode(elements, location)

    codecs = (make_filter("shuffle", elementsize=4), make_filter("zlib", level=1))
    held = stored((SIDE, SIDE), (SIDE // 16, SIDE), "C", (), missing=missing)
    plan = planned(held, (SIDE // 4, SIDE // 4), codecs=codecs)
    source = Source(held.zmap, held.key, held.layout, held.encoding, FILL, held.keys)
    target = Target(
        fqn=plan.fqn, variable=plan.variable, layout=plan.layout, encoding=plan.encoding,
        fill=FILL, keys=plan.keys,
    )  # fmt: skip
    zmap = MemoryZmap({})
    with ThreadPool(MEMORY, 2) as pool:
        rechunk_chunks(transfer_for(source, target), zmap, pool, lambda _: None, None)
    assert met == {"decoded": 16, "encoded": 16}
    found = ZarrArray(zmap, target.key, target.layout, encoding(), FILL, target.keys)
    assert (read_all(found) == read_all(held)).all()


def test_no_more_chunks_are_processed_in_parallel_than_fit():
    lock, now, most = threading.Lock(), 0, 0

    def call(item):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        with lock:
            now -= 1
        return item

    for memory, threads in ((5 << 20, 2), (2 << 20, 1)):
        most = 0
        with ThreadPool(memory, 4) as pool:
            assert list(pool.each(call, range(50), 2 << 20, result_cost=0)) == list(range(50))
        assert most <= threads


def rechunk(memory: int, spill_folder: str | None = None, missing: Collection[Index] = ()):
    """Rechunk from planes to columns; return the decodings of each chunk, and the plan."""
    decoded: collections.Counter[Index] = collections.Counter()

    class Source(ZarrArray):
        def elements(self, indices):
            chunks = super().elements(indices)
            for index, each in zip(indices, chunks, strict=True):
                decoded[index] += each is not None
            return chunks

    held = stored((40, 30, 20), (3, 30, 20), "C", (), missing=set(missing))
    target = planned(held, (40, 4, 5))
    source = Source(held.zmap, held.key, held.layout, held.encoding, FILL, held.keys)
    transfer, zmap = transfer_for(source, target), MemoryZmap({})
    with ThreadPool(memory, 2) as pool:
        rechunk_chunks(transfer, zmap, pool, lambda _: None, None, spill_folder)
    found = ZarrArray(zmap, target.key, target.layout, encoding(), FILL, target.keys)
    assert (read_all(found) == read_all(held)).all()
    return decoded, plan_rechunk(transfer, memory)


@pytest.mark.parametrize("memory", [4_000, 20_000, 60_000, 120_000, 1 << 20])
@pytest.mark.parametrize("missing", [(), {(2, 0, 0), (7, 0, 0)}], ids=["complete", "two missing"])
def test_every_source_chunk_is_decoded_once(memory, missing, monkeypatch):
    written: list[int] = []
    write = Spill.write

    def counted(self: Spill, offset: int, values: Any) -> None:
        written.append(values.nbytes)
        write(self, offset, values)

    monkeypatch.setattr(Spill, "write", counted)
    decoded, plan = rechunk(memory, missing=missing)
    assert decoded == {(n, 0, 0): (n, 0, 0) not in missing for n in range(14)}
    assert plan.reads == 1
    blocks = plan.blocks.grid.size
    assert (blocks == 1) == (memory == 1 << 20) == (not plan.spills)
    assert sum(written) <= plan.spill_size
    if not missing:
        assert sum(written) == plan.spill_size
        # Every chunk is decoded for the first block, which does not go through the file.
        assert plan.spill_size == 40 * 30 * 20 * 4 - plan.blocks.grid.box((0, 0, 0)).size * 4


def test_without_room_for_the_file_a_chunk_may_be_decoded_a_few_times(tmp_path):
    decoded, plan = rechunk(60_000, str(tmp_path / "absent"))
    assert plan.spills
    assert 1 < plan.blocks.reads <= MOST_READS
    assert set(decoded.values()) == {plan.blocks.reads}
    with pytest.raises(ZmapError, match="cannot write a temporary file"):
        rechunk(20_000, str(tmp_path / "absent"))


def test_chunks_of_an_irregular_grid_are_decoded_once():
    lengths = ((7, 1, 12, 3, 17), (11, 9))
    source = IrregularGrid(tuple((0, *itertools.accumulate(each)) for each in lengths))
    for limit in (10, 50, 100, 400, 800):
        blocks = blocks_for(source, ChunkGrid(source.shape, (5, 3)), limit)
        touched = [len(list(Pieces(blocks).of_chunk(chunk))) for chunk in source.indices()]
        assert max(touched) <= blocks.reads
        assert (max(touched) == 1) == (blocks.reads == 1)
        later = sum(
            box.size
            for chunk in source.indices()
            for _, box in list(Pieces(blocks).of_chunk(chunk))[1:]
        )
        assert blocks.spilled_count == later


def test_one_batch_is_processed_by_the_thread_that_asks():
    here = threading.get_ident()
    with ThreadPool(1 << 20, 2) as pool:
        few = pool.each(lambda _: threading.get_ident(), range(3), 10)
        one = pool.each(lambda _: threading.get_ident(), range(1), 1 << 19)
        two = pool.each(lambda _: threading.get_ident(), range(2), 1 << 19)
        assert {*few, *one} == {here}
        assert here not in two


class Counted(int):
    """An integer that counts the operations on it and on its results."""

    operations = 0


def _counting(name):
    operation = getattr(int, name)

    def call(self, other):
        Counted.operations += 1
        value = operation(self, other)
        return Counted(value) if type(value) is int else value

    return call


for _name in ("add", "radd", "mul", "rmul", "mod", "floordiv", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Counted, f"__{_name}__", _counting(f"__{_name}__"))
Counted.__hash__ = int.__hash__  # type: ignore[method-assign]


def looked_at(others: int) -> int:
    """Rechunk some blocks of a grid so large that chunks are noted as integers of Python.

    Returns the number of operations on those integers after the chunks were listed and sorted once.
    `others` is the number of chunks that exist and touch none of these blocks.
    """
    layout = ChunkLayout(shape=(1 << 46, 1 << 46), chunks=(64, 64), order=(0, 1), codecs=())
    listed: list[Index] = []

    class Source(ZarrArray):
        def present(self):
            return (tuple(map(Counted, index)) for index in listed)

    zmap, target = MemoryZmap({}), MemoryZmap({})
    source = Source(zmap, "v", layout, encoding(), FILL)
    transfer = transfer_for(source, planned(source, (96, 128)))
    blocks = plan_rechunk(transfer, MEMORY).blocks.grid
    wanted = [(2 * n, 0) for n in range(40)]
    for block in wanted:  # each has two chunks in its first target chunk, and one is missing
        row = -(-blocks.box(block).start[0] // 64)
        listed += [(row, 0), (row, 1)]
        zmap.put(source.keys.key("v", (row, 0)), bytes(64 * 64 * 4))
    below = blocks.box((80, 0)).start[0] // 64
    listed += [(below + n, n) for n in range(others)]

    start = Counted.operations
    Presence(layout.grid, source.present())
    once = Counted.operations - start
    moved: list[MoveResult] = []
    with ThreadPool(MEMORY, 1) as pool:
        rechunk_chunks(transfer, target, pool, moved.append, None, only=wanted)
    assert len(moved) >= len(wanted)
    return Counted.operations - start - 2 * once


def test_a_block_looks_only_at_the_chunks_that_touch_it():
    few, many = looked_at(100), looked_at(6400)
    # To sort them again, or to look at every chunk for a block, would be 40 times as much.
    assert 0 < few < many < 2 * few
