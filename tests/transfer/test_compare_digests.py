"""Variables that are compared by digests that their stores keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ncz.digests.sums import sums_text
from ncz.digests.variable import variable_sums
from ncz.model.data import ChunkSource, DerivedSource, MemoryArray
from ncz.model.grid import Index
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.transfer.compare_digests import have_equal_digests


@record
class Kept(DerivedSource):
    """A source that counts its reads, and may keep sums."""

    source: ChunkSource
    sums: str | None
    reads: list[int]

    def kept_sums(self) -> str | None:
        return self.sums

    def values_of(self, indices: Sequence[Index]) -> list[Any]:
        self.reads.append(len(indices))
        return self.source.values_of(indices)


class Case:
    """Variables with the same reads, and their comparison."""

    def __init__(self) -> None:
        self.reads: list[int] = []
        self.steps: list[int] = []
        self.pool = ThreadPool(1 << 20, 1)
        self.digest = sums_text(variable_sums(self.variable(), (3,), self.pool))
        self.reads.clear()

    def variable(self, *, sums: str | None = None, last: int = 3) -> Variable:
        values = MemoryArray(np.array([1, 2, last], "i4"), Atomic.INT)
        return Variable(
            name="v", type=Atomic.INT, dimensions=("/x",), data=Kept(values, sums, self.reads)
        )

    def are_equal(self, ours: Variable, theirs: Variable) -> bool:
        return have_equal_digests(ours, theirs, (3,), self.pool, self.steps.append)


@pytest.fixture
def case():
    case = Case()
    with case.pool:
        yield case


def test_two_kept_digests_need_no_values(case: Case):
    kept = case.variable(sums=case.digest)
    assert case.are_equal(kept, kept)
    assert not case.are_equal(kept, case.variable(sums="0" * 32))
    assert (case.reads, case.steps) == ([], [])


def test_the_other_variable_is_read(case: Case):
    kept = case.variable(sums=case.digest)
    assert case.are_equal(kept, case.variable())
    assert not case.are_equal(case.variable(last=4), kept)
    assert len(case.reads) == 2
    assert case.steps == [3, 3]


def test_without_a_kept_digest_nothing_is_known(case: Case):
    assert not case.are_equal(case.variable(), case.variable())
    empty = replace(case.variable(), data=None)
    assert not case.are_equal(empty, empty)
    assert case.reads == []


def test_other_types_are_not_compared(case: Case):
    kept = case.variable(sums=case.digest)
    assert not case.are_equal(kept, replace(kept, type=Atomic.UINT))
