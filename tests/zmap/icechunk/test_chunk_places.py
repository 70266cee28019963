"""The places of virtual chunks, as columns."""

from __future__ import annotations

from ncz.zmap.byte_range import ByteRange
from ncz.zmap.icechunk.chunk_places import ChunkPlaces

VIRTUAL, NATIVE = 2, 1


def test_a_chunk_is_found_by_its_index():
    places = ChunkPlaces()
    coords = [(1, 0), (0, 1), (0, 0)]
    urls = ["file:///b", "", "file:///a"]
    places.add((coords, [VIRTUAL, NATIVE, VIRTUAL], urls, [8, 0, 4], [2, 9, 3], None), VIRTUAL)
    places.add(([(2, 5)], [VIRTUAL], ["file:///b"], [10], [6], None), VIRTUAL)
    places.add(([(3, 3)], [NATIVE], [""], [0], [1], None), VIRTUAL)
    assert places.find((1, 0)) == ByteRange("file:///b", 8, 2)
    assert places.find((0, 0)) == ByteRange("file:///a", 4, 3)
    assert places.find((2, 5)) == ByteRange("file:///b", 10, 6)
    assert [places.find(index) for index in ((0, 1), (3, 3), (2, 4), (9, 9))] == [None] * 4


def test_an_array_without_dimensions_has_one_chunk():
    places = ChunkPlaces()
    places.add(([()], [VIRTUAL], ["file:///a"], [4], [8], None), VIRTUAL)
    assert places.find(()) == ByteRange("file:///a", 4, 8)
    assert ChunkPlaces().find((0,)) is None
