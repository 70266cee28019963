"""Values that differ from the digests that a dataset keeps of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ncz.digests.sums import sums_text
from ncz.digests.variable import variable_sums
from ncz.errors import CodecError
from ncz.formats.digest_findings import check_digests
from ncz.model.data import ChunkSource, DerivedSource, MemoryArray
from ncz.model.grid import Index
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.record import record


@record
class Kept(DerivedSource):
    """A source with kept sums; a source without values is damaged."""

    source: ChunkSource
    sums: str | None
    is_damaged: bool = False

    def kept_sums(self) -> str | None:
        return self.sums

    def values_of(self, indices: Sequence[Index]) -> list[Any]:
        if self.is_damaged:
            raise CodecError("the chunk is damaged")
        return self.source.values_of(indices)


VALUES = MemoryArray(np.arange(6, dtype="i4").reshape(2, 3), Atomic.INT)


def variable(sums: str | None, *, is_damaged: bool = False) -> Variable:
    data = Kept(VALUES, sums, is_damaged)
    return Variable(name="v", type=Atomic.INT, dimensions=("/y", "/x"), data=data)


def digest() -> str:
    with ThreadPool(1 << 20, 1) as pool:
        return sums_text(variable_sums(variable(None), (2, 3), pool))


def test_only_values_with_another_digest_are_findings():
    other = "0" * 32
    found = check_digests(
        {
            "g/good": variable(digest()),
            "g/bad": variable(other),
            "unkept": variable(None),
            "unreadable": variable(other, is_damaged=True),
            "empty": Variable(name="v", type=Atomic.INT),
        }
    )
    assert [(f.code, f.key, f.severity) for f in found] == [("digest-mismatch", "g/bad", "error")]


def test_without_kept_digests_nothing_is_read():
    assert not list(check_digests({"v": variable(None, is_damaged=True)}))
