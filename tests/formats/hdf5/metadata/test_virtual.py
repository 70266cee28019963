"""The files that a virtual dataset refers to."""

from __future__ import annotations

import struct

import pytest

from ncz.formats.hdf5.metadata.superblock import Sizes
from ncz.formats.hdf5.metadata.virtual import source_names

SIZES = Sizes(8, 8)
ALL = struct.pack("<IIII", 3, 1, 0, 0)
NONE = struct.pack("<IIII", 0, 1, 0, 0)
HYPERSLABS_1 = struct.pack("<IIII", 2, 1, 0, 4) + b"1234"
HYPERSLABS_2 = struct.pack("<IIBI", 2, 2, 0, 5) + b"12345"
REGULAR = struct.pack("<IIBBI", 2, 3, 1, 4, 1) + bytes(16)
BLOCKS = struct.pack("<IIBBI", 2, 3, 0, 4, 1) + struct.pack("<I", 2) + bytes(16)
POINTS_1 = struct.pack("<IIII", 1, 1, 0, 8) + bytes(8)
POINTS_2 = struct.pack("<IIBI", 1, 2, 4, 2) + struct.pack("<I", 3) + bytes(24)


def listed(
    *entries: tuple[bytes, bytes, bytes], count: int | None = None, version: int = 0
) -> bytes:
    head = bytes([version]) + struct.pack("<Q", len(entries) if count is None else count)
    return head + b"".join(name + b"\0data\0" + a + b for name, a, b in entries)


@pytest.mark.parametrize(
    "selection",
    [ALL, NONE, HYPERSLABS_1, HYPERSLABS_2, REGULAR, BLOCKS, POINTS_1, POINTS_2],
)
def test_each_kind_of_selection_has_its_length(selection: bytes):
    data = listed((b"a.h5", selection, ALL), (b"b.h5", ALL, selection), (b"c.h5", ALL, ALL))
    assert source_names(data, SIZES) == [b"a.h5", b"b.h5", b"c.h5"]


def test_a_file_is_named_once():
    assert source_names(listed((b"a.h5", ALL, ALL), (b"a.h5", ALL, ALL)), SIZES) == [b"a.h5"]


@pytest.mark.parametrize("size", range(0, 60, 7))
def test_a_list_that_is_cut_has_the_names_before(size: int):
    data = listed((b"a.h5", ALL, ALL), (b"b.h5", ALL, ALL))
    whole = source_names(data, SIZES)
    found = source_names(data[:size], SIZES)
    assert found == whole[: len(found)]


def test_a_version_that_shares_names_has_no_names():
    assert source_names(listed((b"a.h5", ALL, ALL), version=1), SIZES) == []
    assert source_names(listed((b"a.h5", ALL, ALL), count=2**40), SIZES) == [b"a.h5"]
