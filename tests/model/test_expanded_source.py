"""Arrays with one more axis, of length 1."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.formats.linear_array import LinearArray
from ncz.model.chunks import ChunkLayout, Shard
from ncz.model.data import MemoryArray, read_all
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.expanded_source import ExpandedChunks, ExpandedValues, expanded_source, with_axis
from ncz.model.grid import Box, IrregularGrid
from ncz.model.types import Atomic
from ncz.record import replace

VALUES = np.arange(12, dtype="<i2").reshape(3, 4)


def linear(**changes) -> LinearArray:
    """An array of a file in memory, in chunks of two rows."""
    data = VALUES.tobytes()
    layout = ChunkLayout(shape=(3, 4), chunks=(2, 4), order=(0, 1))
    return LinearArray(
        layout=replace(layout, **changes), type=Atomic.SHORT, stored_dtype="<i2", item_size=2,
        fill=None, read=lambda start, count: data[start : start + count], where="f: /v",
    )  # fmt: skip


def test_one_more_member():
    assert [with_axis((1, 2), axis, 0) for axis in range(3)] == [(0, 1, 2), (1, 0, 2), (1, 2, 0)]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("source", [linear(), MemoryArray(VALUES, Atomic.SHORT, (2, 3))])
def test_values_have_the_axis(axis, source):
    found = expanded_source(source, axis)
    assert found.grid.shape == with_axis((3, 4), axis, 1)
    assert found.grid.chunks == with_axis(source.grid.chunks, axis, 1)
    np.testing.assert_array_equal(read_all(found), np.expand_dims(VALUES, axis))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_stored_chunks_are_the_same_bytes(axis):
    source = linear()
    found = expanded_source(source, axis)
    assert isinstance(found, ExpandedChunks)
    assert isinstance(found, EncodedSource)
    layout = found.layout
    assert sorted(layout.order) == [0, 1, 2]
    assert layout.chunks == with_axis((2, 4), axis, 1)
    for index in source.grid.indices():
        other = with_axis(index, axis, 0)
        assert found.encoded_chunk(other) == source.encoded_chunk(index)
        assert found.stored_size(other) == source.stored_size(index)
        assert found.locate(other) == source.locate(index)
        elements = found.chunk_elements(other)
        assert elements is not None
        assert elements.shape == layout.chunks
        np.testing.assert_array_equal(
            found.values(elements, other), np.expand_dims(source.elements([index])[0], axis)
        )
    assert list(found.present()) == [with_axis(index, axis, 0) for index in source.present()]


def test_shards_are_not_stored_chunks_of_the_other_array():
    shard = Shard(chunks=(1, 4), order=(0, 1))
    assert isinstance(expanded_source(linear(shard=shard), 0), ExpandedValues)


def test_other_chunks_match_the_source():
    found = expanded_source(MemoryArray(VALUES, Atomic.SHORT), 1)
    assert found.is_divisible
    assert found.rechunk((1, 1, 2)).grid.chunks == (1, 1, 2)
    assert found.within(Box((0, 0, 0), (3, 1, 4))) is found
    assert found.referable() is found
    assert found.unshard() is found


def test_chunks_of_unequal_lengths():
    found = expanded_source(linear(lengths=((1, 2), (4,)), chunks=(2, 4)), 0)
    assert found.grid == IrregularGrid(((0, 1), (0, 1, 3), (0, 4)))
    np.testing.assert_array_equal(read_all(found), VALUES[np.newaxis])
