"""Chunks that are built from the values of other arrays."""

from __future__ import annotations

import numpy as np

from ncz.model.data import ChunkSource, MemoryArray, read_all
from ncz.model.grid import Box, IrregularGrid
from ncz.model.mapped_source import MappedSource
from ncz.model.types import Atomic
from ncz.transfer.made_chunks import MadeChunks, in_chunks

VALUES = np.arange(12, dtype="i4").reshape(3, 4)


def source() -> ChunkSource:
    return MappedSource(MemoryArray(VALUES, Atomic.INT, (2, 4)), lambda values, _: values + 1)


def test_all_chunks_are_made_and_none_is_stored():
    made = in_chunks(source(), "f: /v")
    assert isinstance(made, MadeChunks)
    np.testing.assert_array_equal(read_all(made), VALUES + 1)
    indices = list(made.present())
    assert indices == list(made.grid.indices())
    assert made.layout.chunks == (2, 4)
    assert (made.stores_all, made.kept_share, made.item_size) == (False, 0, 4)
    assert made.encoded_chunks(indices) == made.elements(indices) == [None, None]
    assert not any(map(made.is_stored, indices))
    assert made.locate((0, 0)) == "f: /v"
    np.testing.assert_array_equal(made.stored_values((1, 0)), VALUES[2:] + 1)


def test_a_source_that_has_chunks_is_itself():
    made = in_chunks(source(), "f: /v")
    assert made is not None
    assert in_chunks(made, "other") is made


def test_other_chunks():
    made = MadeChunks.of(MemoryArray(VALUES, Atomic.INT), "f: /v")
    assert made.rechunk((1, 2)).layout.chunks == (1, 2)
    assert made.within(Box((0, 0), (1, 1))) is made.made
    assert made.referable() is made
    referred = MemoryArray(VALUES, Atomic.INT, (1, 1))
    assert MadeChunks(made.made, made.layout, "v", lambda: referred).referable() is referred


def test_lengths_of_irregular_chunks():
    class Irregular(MemoryArray):
        @property
        def grid(self):
            return IrregularGrid(((0, 1, 3), (0, 4)))

    layout = MadeChunks.of(Irregular(VALUES, Atomic.INT), "v").layout
    assert layout.lengths == ((1, 2), (4,))
    assert layout.chunks == (2, 4)
