"""The blocks in which an array is rechunked."""

from __future__ import annotations

import pytest

from ncz.model.grid import ChunkGrid
from ncz.transfer.blocks import blocks_for


@pytest.mark.parametrize(("limit", "length", "reads"), [(40, 40, 1), (39, 20, 2), (10, 10, 3)])
def test_blocks_are_as_long_as_saves_reads_and_the_limit_allows(limit, length, reads):
    blocks = blocks_for(ChunkGrid((40,), (16,)), ChunkGrid((40,), (10,)), limit)
    assert (blocks.shape, blocks.reads) == ((length,), reads)
