"""Sums of the values of a variable: chunks, slabs, and missing chunks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.digests.sums import ZERO, add, sums_text
from ncz.digests.variable import part_sums, variable_sums
from ncz.errors import ignore_notice
from ncz.model.data import ChunkSource, MemoryArray, Values
from ncz.model.grid import Box, ChunkGrid, Index
from ncz.model.tree import Variable
from ncz.model.types import Atomic, NcType
from ncz.parallel.threads import ThreadPool
from tests.digests import specified
from tests.digests.test_sums import elements, number_arrays, sums_of
from tests.sampled import share_of


@given(number_arrays(), st.data())
@settings(max_examples=share_of(200), deadline=None)
def test_sums_of_parts_add_up_in_any_order(
    array: tuple[Atomic, Values], data: st.DataObject
) -> None:
    nc_type, values = array
    axes = [data.draw(st.integers(0, n)) for n in values.shape]
    total = ZERO
    cuts = [sorted({(0, at), (at, n)}) for at, n in zip(axes, values.shape, strict=True)]
    boxes = [Box((), ())]
    for spans in cuts:
        boxes = [Box((*b.start, s), (*b.stop, e)) for b in boxes for s, e in spans]
    order = data.draw(st.permutations(boxes))
    source = MemoryArray(values, nc_type)
    with ThreadPool(1 << 26, 1) as pool:
        for box in order:
            total = add(total, part_sums(source, box, pool))
    assert sums_text(total) == specified.sums(elements(values, nc_type), values.shape)


class Sparse(ChunkSource):
    """An array whose only chunk is the last one."""

    def __init__(self, shape: Index, chunks: Index, values: Values, nc_type: NcType) -> None:
        self._grid, self._values, self._type = ChunkGrid(shape, chunks), values, nc_type

    @property
    def grid(self) -> ChunkGrid:
        return self._grid

    @property
    def type(self) -> NcType:
        return self._type

    @property
    def fill(self) -> Any:
        return 7

    def indices_in(self, box: Box) -> Any:
        last = tuple(n - 1 for n in self._grid.counts)
        return iter([last] if last in set(self._grid.indices(box)) else [])

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        return [self._values] * len(indices)


def test_missing_chunks_are_fill_values():
    values = np.arange(12, dtype="i2").reshape(3, 4)
    whole = np.full((6, 12), 7, "i2")
    whole[3:, 8:] = values
    assert sums_of(Sparse((6, 12), (3, 4), values, Atomic.SHORT)) == sums_of(
        MemoryArray(whole, Atomic.SHORT)
    )


def test_elements_beyond_the_data_are_fill():
    values = np.arange(6, dtype="i4").reshape(2, 3)
    data = MemoryArray(values, Atomic.INT, (1, 2), fill=-1)
    whole = np.concatenate([values, np.full((2, 3), -1, "i4")])
    assert sums_of(data, (4, 3)) == sums_of(MemoryArray(whole, Atomic.INT))
    variable = Variable(name="v", type=Atomic.INT)
    default = np.full((4, 3), Atomic.INT.default_fill, "i4")
    with ThreadPool(1 << 26, 1) as pool:
        unwritten = sums_text(variable_sums(variable, (4, 3), pool))
    assert unwritten == sums_of(MemoryArray(default, Atomic.INT))


@pytest.mark.parametrize("options", [{"chunks": "x/2"}, {"codecs": "zstd"}, {"modes": "zarr,v3"}])
def test_shards_chunks_and_codecs_do_not_count(tmp_path: Path, options: dict[str, Any]) -> None:
    text = tmp_path / "s.cdl"
    text.write_text(
        "netcdf s { dimensions: x = 9 ; variables: double v(x) ; data: v = 1, _, 3, NaN, 5, 6 ; }"
    )
    expected = ncz.digest(text).value
    ncz.copy(text, tmp_path / "s.zarr", notify=ignore_notice, **options)
    assert ncz.digest(tmp_path / "s.zarr").value == expected
    sharded = {"modes": "zarr,v3", "chunks": "x/2", "shards": "x/4"}
    ncz.copy(text, tmp_path / "t.zarr", notify=ignore_notice, **sharded)  # type: ignore[arg-type]
    assert ncz.digest(tmp_path / "t.zarr", memory=1, threads=1).value == expected
