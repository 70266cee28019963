"""Chunks that are small files, copied many at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import pytest

from ncz.errors import CodecError
from ncz.model.encoded_arrays import EncodedChunks, EncodedTarget
from ncz.model.grid import Index
from ncz.transfer import small_files
from ncz.transfer.small_files import copy_batches
from ncz.zmap.memory import MemoryZmap


class Chunks(EncodedChunks):
    """Chunks of one byte; some are missing, and some damaged."""

    def __init__(self, missing: set[int], damaged: set[int]) -> None:
        self.missing, self.damaged = missing, damaged
        self.batches: list[int] = []

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        return [None if index[0] in self.missing else b"x" for index in indices]

    def copy(
        self, indices: Sequence[Index], zmap: Any, keys: Sequence[str]
    ) -> Iterator[int | None]:
        self.batches.append(len(indices))
        for index in indices:
            if index[0] in self.damaged:
                raise CodecError("damaged")
            yield None if index[0] in self.missing else 1


class Array:
    """An array with a key for each chunk."""

    def chunk_keys(self, indices: Sequence[Index]) -> list[str]:
        return [f"v/{index[0]}" for index in indices]


class Copy:
    """A copy of ten chunks, and its reports."""

    def __init__(self, missing: Sequence[int] = (), damaged: Sequence[int] = ()) -> None:
        self.chunks = Chunks({*missing}, {*damaged})
        self.copied: list[int] = []
        self.left_out: list[int] = []
        self.reports: list[tuple[int, int]] = []

    def run(self, copy: Callable[[Index], None] | None = None) -> None:
        copy_batches(
            self.chunks, ((n,) for n in range(10)), MemoryZmap(),
            cast("EncodedTarget", Array()),
            copy or (lambda index: self.copied.append(index[0])),
            lambda index: self.left_out.append(index[0]),
            lambda count, size: self.reports.append((count, size)),
        )  # fmt: skip


@pytest.fixture(autouse=True)
def batches_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_files, "_LENGTH", 4)


def test_a_report_is_for_many_chunks():
    copy = Copy()
    copy.run()
    assert copy.chunks.batches == [4, 4, 2]
    assert copy.reports == [(4, 4), (4, 4), (2, 2)]


def test_missing_chunks_are_left_out():
    copy = Copy(missing=(0, 5, 8, 9))
    copy.run()
    assert copy.left_out == [0, 5, 8, 9]
    assert copy.reports == [(3, 3), (3, 3)]


def test_the_rest_of_a_batch_is_copied_after_a_damaged_chunk():
    copy = Copy(damaged=(1, 2, 9))
    copy.run()
    assert copy.copied == [1, 2, 9]
    assert sum(count for count, _ in copy.reports) == 7


def test_an_interrupted_copy_reports_its_copied_chunks():
    copy = Copy(damaged=(2,))

    def stop(_: Index) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy.run(stop)
    assert copy.reports == [(2, 2)]
