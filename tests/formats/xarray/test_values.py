"""Values of variables of xarray, in blocks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ncz.model.data import read_all
from ncz.model.types import Atomic

xarray = pytest.importorskip("xarray")
from ncz.formats.xarray.values import XarrayValues  # noqa: E402

VALUES = np.arange(60, dtype="i4").reshape(6, 10)


def source(natural: tuple[int, ...] | None = None, values: Any = VALUES) -> XarrayValues:
    variable = xarray.Variable(("y", "x"), values)
    return XarrayValues(
        variable=variable, encodes=False, type=Atomic.INT, fqn="/v", shape=(6, 10), natural=natural
    )


def test_without_chunks_there_is_one_block():
    found = source()
    assert found.grid.chunks == (6, 10)
    assert read_all(found).tolist() == VALUES.tolist()
    assert source((2, 5)).preferred_chunks() == (2, 5)


@pytest.mark.parametrize("chunks", [(1, 1), (4, 3), (6, 10), (2, 10)])
@pytest.mark.parametrize("natural", [None, (3, 4)])
def test_blocks_are_whole_chunks(chunks: tuple[int, int], natural):
    found = source(natural).rechunk(chunks)
    assert all(block % chunk == 0 for block, chunk in zip(found.grid.chunks, chunks, strict=True))
    assert read_all(found).tolist() == VALUES.tolist()


@pytest.mark.parametrize("most", [4, 40, 10_000])
def test_blocks_have_at_most_so_many_bytes(most: int):
    found = source().split(most)
    assert 4 * math.prod(found.grid.chunks) <= most
    assert read_all(found).tolist() == VALUES.tolist()


@pytest.mark.parametrize("natural", [(3, 4), (3, 7), (4, 10), (6, 10), (5, 1)])
def test_natural_blocks_are_computed_whole(natural: tuple[int, int]):
    assert source(natural).split(4).grid.chunks == natural


def test_the_last_block_is_kept(monkeypatch: pytest.MonkeyPatch):
    computed: list[object] = []
    compute = xarray.Variable.compute

    def counted(variable: Any) -> Any:
        computed.append(variable.shape)
        return compute(variable)

    monkeypatch.setattr(xarray.Variable, "compute", counted)
    found = source()
    for _ in range(3):
        found.values_of([(0, 0)])
    assert computed == [(6, 10)]
