"""Sources whose values are changed when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ncz.model.data import ChunkSource
from ncz.model.grid import ChunkGrid, Index
from ncz.model.mapped_source import MappedSource
from ncz.model.quantization import Quantization
from ncz.model.rounding import quantized_source, round_floats
from ncz.model.types import Atomic
from ncz.record import record


@record
class Chunks(ChunkSource):
    """An array of numbers in chunks; the first is missing."""

    values: np.ndarray
    grid: ChunkGrid
    type: Atomic = Atomic.FLOAT
    fill: float = -1.0

    def values_of(self, indices: Sequence[Index]) -> list[Any]:
        return [self._values(index) for index in indices]

    def _values(self, index: Index) -> np.ndarray | None:
        """Return the values of a chunk."""
        return self.values[self.grid.box(index).slices] if any(index) else None


@pytest.fixture
def chunks() -> Chunks:
    """An array with odd and even lengths."""
    values = np.linspace(1, 2, 3 * 4 * 5, dtype="f4").reshape(3, 4, 5)
    return Chunks(values, ChunkGrid((3, 4, 5), (2, 3, 2)))


def test_stored_chunks_are_changed_and_missing_ones_stay_missing(chunks):
    source = MappedSource(chunks, lambda values, box: values + box.start[2])
    assert source.chunk((0, 0, 0)) is None
    found = source.chunk((0, 0, 1))
    assert found is not None
    assert np.array_equal(found, chunks.values[:2, :3, 2:4] + 2)
    assert (source.grid, source.type, source.fill) == (chunks.grid, Atomic.FLOAT, -1.0)


def test_bitgroom_takes_turns_over_the_whole_array(chunks):
    """The rounding of an element does not depend on the chunks."""
    source = quantized_source(chunks, Quantization(algorithm="BitGroom", digits=2))
    odd = np.arange(60).reshape(3, 4, 5) % 2 == 1
    whole = round_floats(chunks.values, "BitGroom", 2, -1.0, odd)
    for index in source.grid.indices():
        found = source.chunk(index)
        assert found is None or np.array_equal(found, whole[chunks.grid.box(index).slices])
