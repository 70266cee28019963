"""Large variables are formatted by the requested number of processes, and print the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.model.data import MemoryArray
from ncz.model.grid import Box
from ncz.model.tree import Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.parallel.processes import can_fork

pytestmark = pytest.mark.skipif(not can_fork(), reason="processes are not forked on this system")

ROWS, COLUMNS = 1 << 17, 16


def dataset_of(values: MemoryArray) -> Dataset:
    variable = Variable(name="v", type=Atomic.DOUBLE, dimensions=("/x", "/y"), data=values)
    rows, columns = values.values.shape
    dimensions = Dimension(name="x", size=rows), Dimension(name="y", size=columns)
    return Dataset(name="d", root=Group(dimensions=dimensions, variables=(variable,)))


def test_two_jobs_are_two_processes(monkeypatch):
    forks: list[int] = []
    fork = os.fork

    def counted() -> int:
        forks.append(fork())
        return forks[-1]

    monkeypatch.setattr(os, "fork", counted)
    chunks = (ROWS // 2, COLUMNS)
    values = MemoryArray(np.zeros((ROWS, COLUMNS)), Atomic.DOUBLE, chunks)
    dataset = dataset_of(values)
    texts: list[bytes] = []
    for jobs, processes in ((1, 0), (2, 2)):
        pieces: list[bytes] = []
        forks.clear()
        print_cdl(dataset, CdlOptions(jobs=jobs), pieces.append)
        assert len(forks) == processes
        texts.append(b"".join(pieces))
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("rows", "most", "slabs"),
    [
        (300, 300, 4),  # whole chunks: none is decoded twice
        (300, 299, 8),  # each process has half of the limit of one
        (1200, 1200, 2),  # one slab is not enough for two processes
    ],
)
def test_slabs_are_of_whole_chunks_if_all_processes_have_one(monkeypatch, rows, most, slabs):
    taken: list[int] = []

    def counted(items: list[Box], *_: object) -> Iterator[bytes]:
        taken.append(len(items))
        return iter(())

    monkeypatch.setattr("ncz.parallel.processes.in_order", counted)
    monkeypatch.setattr("ncz.cdl.print_data._MIN_VALUES", 0)
    monkeypatch.setattr("ncz.cdl.print_data.MAX_SLAB_BYTES", most * COLUMNS * 8)
    monkeypatch.setattr("ncz.model.slabs.SLAB", COLUMNS)
    values = MemoryArray(np.zeros((1200, COLUMNS)), Atomic.DOUBLE, (rows, COLUMNS // 2))
    with suppress(ValueError):  # no text comes back
        print_cdl(dataset_of(values), CdlOptions(jobs=2), lambda _: None)
    assert taken == [slabs]
