"""How rechunking uses its threads, how often it decodes, and how it finds the chunks that exist."""

from __future__ import annotations

import collections
import threading

import pytest

from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.plan import ArrayPlan
from ncz.model.chunks import ChunkLayout, Presence
from ncz.model.data import read_all
from ncz.model.filters import make_filter
from ncz.model.grid import Index
from ncz.parallel.threads import ThreadPool
from ncz.transfer.move import Moved, transfer_for
from ncz.transfer.rechunk import plan_rechunk, rechunk_chunks
from ncz.zmap.memory import MemoryZmap

from .test_move import FILL, encoding, planned, stored

SIDE = 1024  # smaller chunks are processed in batches
MEMORY = (SIDE // 4) ** 2 * 4 * 14
"""Fourteen target chunks: four of a block, and two that are encoded with three times their size."""


@pytest.mark.parametrize("missing", [set(), {(3, 0)}], ids=["complete", "one missing"])
def test_two_chunks_are_decoded_and_encoded_at_once(missing):
    """Two threads wait for each other, so that one alone cannot go on."""
    met: collections.Counter[str] = collections.Counter()
    decoding, encoding_ = (threading.Barrier(2, timeout=10) for _ in range(2))

    class Source(ZarrArray):
        def elements(self, index):
            met["decoded"] += 1
            decoding.wait()
            return super().elements(index)

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


def test_no_more_chunks_are_processed_at_once_than_fit():
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
            assert list(pool.each(call, range(50), 2 << 20, kept=0)) == list(range(50))
        assert most <= threads


class Counted(int):
    """An integer that counts the operations on it and on what follows from it."""

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
    for block in wanted:  # each has two chunks in its first target chunk, one of which is missing
        row = -(-blocks.box(block).start[0] // 64)
        listed += [(row, 0), (row, 1)]
        zmap.put(source.keys.key("v", (row, 0)), bytes(64 * 64 * 4))
    below = blocks.box((80, 0)).start[0] // 64
    listed += [(below + n, n) for n in range(others)]

    start = Counted.operations
    Presence(layout.grid, source.present())
    once = Counted.operations - start
    moved: list[Moved] = []
    with ThreadPool(MEMORY, 1) as pool:
        rechunk_chunks(transfer, target, pool, moved.append, None, only=wanted)
    assert len(moved) >= len(wanted)
    return Counted.operations - start - 2 * once


def test_a_block_looks_only_at_the_chunks_that_touch_it():
    few, many = looked_at(100), looked_at(6400)
    # To sort them again, or to look at every chunk for a block, would be 40 times as much.
    assert 0 < few < many < 2 * few
