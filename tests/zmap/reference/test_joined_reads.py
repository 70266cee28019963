"""Ranges of a file that are read together."""

from __future__ import annotations

from ncz.zmap.byte_range import ByteRange
from ncz.zmap.reference.joined_reads import GAP, LARGEST, AnnouncedKey, neighbours


def wanted(*ranges):
    return [
        AnnouncedKey(f"{url}{first}", ByteRange(url, first, count)) for url, first, count in ranges
    ]


def grouped(*ranges):
    return [[w.place.offset for w in group] for group in neighbours(wanted(*ranges))]


def test_which_ranges_are_neighbours():
    assert grouped(("a", 0, 10), ("a", 10, 10), ("a", 20, 10)) == [[0, 10, 20]]
    assert grouped(("a", 20, 10), ("a", 0, 10)) == [[0, 20]]
    assert grouped(("a", 0, 10), ("b", 10, 10)) == []
    assert grouped(("a", 0, 10), ("a", 10 + GAP, 10)) == [[0, 10 + GAP]]
    assert grouped(("a", 0, 10), ("a", 11 + GAP, 10)) == []
    half = LARGEST // 2
    assert grouped(*(("a", n * half, half) for n in range(4))) == [[0, half], [2 * half, 3 * half]]
    assert grouped(("a", 0, 1000), ("a", 10, 10), ("a", 1000, 10)) == [[0, 10, 1000]]
