"""How rechunking uses its threads, and how often it decodes."""

from __future__ import annotations

import collections
import threading

import pytest

from ncz.formats.zarr.array.array import ZarrArray
from ncz.formats.zarr.plan.array import ArrayPlan
from ncz.model.data import read_all
from ncz.model.filters import make_filter
from ncz.parallel.threads import ThreadPool
from ncz.transfer.move import transfer_for
from ncz.transfer.rechunk import rechunk_chunks
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
