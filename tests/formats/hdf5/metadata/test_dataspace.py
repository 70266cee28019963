"""Dataspaces of HDF5."""

from __future__ import annotations

import struct

import pytest

from ncz.formats.hdf5.metadata.dataspace import parse_dataspace
from ncz.formats.hdf5.metadata.faults import DamageError, UnsupportedError
from ncz.formats.hdf5.metadata.superblock import Sizes

SIZES = Sizes(8, 8)
NO_LIMIT = (1 << 64) - 1


def message(version: int, flags: int, kind: int, *lengths: int, rank: int = 2) -> bytes:
    head = bytes([version, rank, flags, kind]) + (bytes(4) if version == 1 else b"")
    return head + struct.pack(f"<{len(lengths)}Q", *lengths)


@pytest.mark.parametrize("version", [1, 2])
def test_shapes_and_largest_lengths(version):
    plain = parse_dataspace(message(version, 0, 1, 2, 3), SIZES)
    assert (plain.shape, plain.largest, plain.count) == ((2, 3), (2, 3), 6)
    growing = parse_dataspace(message(version, 1, 1, 2, 3, NO_LIMIT, 3), SIZES)
    assert (growing.shape, growing.largest, growing.count) == ((2, 3), (None, 3), 6)
    scalar = parse_dataspace(message(version, 0, 0, rank=0), SIZES)
    assert (scalar.shape, scalar.count, scalar.is_null) == ((), 1, False)


def test_a_null_dataspace_has_no_elements():
    null = parse_dataspace(message(2, 0, 2, rank=0), SIZES)
    assert (null.shape, null.count, null.is_null) == ((), 0, True)


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (message(3, 0, 1, 2, 3), UnsupportedError, "version 3"),
        (message(2, 4, 1, 2, 3), UnsupportedError, "flags 0x4"),
        (message(2, 0, 1, rank=33), DamageError, "too many dimensions"),
    ],
)
def test_other_dataspaces_are_refused(data, error, words):
    with pytest.raises(error, match=words):
        parse_dataspace(data, SIZES)
