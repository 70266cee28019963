"""Large variables are formatted by as many processes as asked for, and print the same."""

from __future__ import annotations

import os

import numpy as np
import pytest

from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.model.data import MemoryArray
from ncz.model.tree import Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.parallel.processes import can_fork

pytestmark = pytest.mark.skipif(not can_fork(), reason="processes are not forked on this system")

ROWS, COLUMNS = 1 << 17, 16


def test_two_jobs_are_two_processes(monkeypatch):
    forks: list[int] = []
    fork = os.fork

    def counted() -> int:
        forks.append(fork())
        return forks[-1]

    monkeypatch.setattr(os, "fork", counted)
    chunks = (ROWS // 2, COLUMNS)
    values = MemoryArray(np.zeros((ROWS, COLUMNS)), Atomic.DOUBLE, chunks)
    variable = Variable(name="v", type=Atomic.DOUBLE, dimensions=("/x", "/y"), data=values)
    dimensions = Dimension(name="x", size=ROWS), Dimension(name="y", size=COLUMNS)
    dataset = Dataset(name="d", root=Group(dimensions=dimensions, variables=(variable,)))
    texts: list[bytes] = []
    for jobs, processes in ((1, 0), (2, 2)):
        pieces: list[bytes] = []
        forks.clear()
        print_cdl(dataset, CdlOptions(jobs=jobs), pieces.append)
        assert len(forks) == processes
        texts.append(b"".join(pieces))
    assert texts[0] == texts[1]
