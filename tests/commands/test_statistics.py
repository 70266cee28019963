"""Moments of arrays and of their parts equal numpy's."""

from __future__ import annotations

import collections
import io
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.moments import Moments, moments_of
from ncz.commands.statistics import statistics
from ncz.formats.opening import open_dataset
from ncz.model.data import MemoryArray
from ncz.model.packing import Packing
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import parse_location
from tests.transfer.test_move import FILL, stored


def test_small_chunks_are_processed_together(monkeypatch):
    """To compute the moments of a chunk of a few values takes longer than to read it."""
    held = stored((10_000,), (4,), "C", (), missing={(7,), (2499,)})
    variable = Variable(name="v", type=Atomic.INT, dimensions=("/x",), data=held)
    sizes: list[int] = []

    def counted(values: np.ndarray, packing: Packing) -> Moments:
        sizes.append(values.size)
        return moments_of(values, packing)

    monkeypatch.setattr("ncz.commands.statistics.moments_of", counted)
    steps: list[tuple[int, int]] = []
    with ThreadPool(16 << 20, 2) as pool:
        found = statistics(variable, (10_000,), pool, lambda *step: steps.append(step))
    expected = np.arange(10_000)
    expected[28:32] = expected[9996:] = FILL
    ends = (int(expected.min()), int(expected.max()))
    assert (found.count, found.minimum, found.maximum) == (10_000, *ends)
    assert (found.mean, found.std) == pytest.approx((expected.mean(), expected.std()))
    assert sizes == [9992, 1]
    assert sum(count for count, _ in steps) >= 2498
    assert sum(size for _, size in steps) == 9992 * 4


def test_a_chunk_takes_five_system_calls(tmp_path, monkeypatch):
    """They open the file, request its status before and after, read it and close it."""
    text = (
        b"netcdf a { dimensions: x = 400; variables: float v(x); v:_ChunkSizes = 4; data: v = 1; }"
    )
    ncz.gen(io.BytesIO(text), tmp_path / "a.zarr", notify=lambda _: None)
    for number in range(100):  # so that each has a file
        (tmp_path / f"a.zarr/v/{number}").write_bytes(bytes(16))
    called: collections.Counter[str] = collections.Counter()

    def counted(name: str) -> Callable[..., Any]:
        function = getattr(os, name)

        def call(*arguments: Any, **named: Any) -> Any:
            called[name] += 1
            return function(*arguments, **named)

        return call

    with open_dataset(parse_location(str(tmp_path / "a.zarr"))) as opened:
        (variable,) = opened.dataset.root.variables
        assert variable.data is not None
        for name in ("open", "fstat", "read", "close", "stat", "lstat", "scandir", "lseek"):
            monkeypatch.setattr(os, name, counted(name))
        with ThreadPool(16 << 20, 1) as pool:
            found = statistics(variable, (400,), pool, lambda *_: None)
    assert (found.count, found.maximum) == (400, 0)
    assert sum(called.values()) <= 5 * 100 + 10


def test_missing_times_are_counted(tmp_path):
    """The least int64 is a time that is missing, for numpy, pandas and xarray."""
    days = Attribute(name="units", type=Atomic.CHAR, values=("days since 2000-01-01",))
    values = np.array([0, -(2**63), 399])
    variable = Variable(
        name="t",
        type=Atomic.INT64,
        dimensions=("/x",),
        attributes=(days,),
        data=MemoryArray(values, Atomic.INT64),
    )
    with ThreadPool(16 << 20, 1) as pool:
        found = statistics(variable, (3,), pool, lambda *_: None)
    assert (found.count, found.missing, found.minimum, found.maximum) == (2, 1, 0, 399)
