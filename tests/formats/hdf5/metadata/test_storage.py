"""The storage of a dataset of HDF5, from messages."""

from __future__ import annotations

from struct import pack

import pytest

from ncz.formats.hdf5.metadata import storage
from ncz.formats.hdf5.metadata.faults import PARSE_ERRORS, DamageError, UnsupportedError
from ncz.formats.hdf5.metadata.storage import Layout, PipelineFilter
from ncz.formats.hdf5.metadata.superblock import Sizes

SIZES = Sizes(8, 8)
NOWHERE = b"\xff" * 8


def chunked(index: int, rest: bytes, flags: int = 0) -> bytes:
    return bytes([4, 2, flags, 3, 1, 5, 6, 4, index]) + rest


@pytest.mark.parametrize(
    ("data", "layout"),
    [
        (b"\3\0\3\0abc", Layout(kind="compact", data=b"abc")),
        (b"\3\1" + pack("<QQ", 64, 24), Layout(kind="contiguous", address=64, size=24)),
        (b"\3\1" + NOWHERE + pack("<Q", 24), Layout(kind="contiguous", size=24)),
        (b"\3\2\2" + pack("<QII", 64, 5, 4),
         Layout(kind="chunked", address=64, chunks=(5, 4), index="btree1")),
        (b"\1\1\1" + bytes(5) + pack("<QI", 64, 4), Layout(kind="contiguous", address=64)),
        (b"\1\1\0" + bytes(5) + pack("<II", 3, 3) + b"abc", Layout(kind="compact", data=b"abc")),
        (chunked(1, pack("<Q", 64)),
         Layout(kind="chunked", address=64, chunks=(5, 6, 4), index="single")),
        (chunked(1, pack("<QIQ", 99, 1, 64), 2),
         Layout(kind="chunked", address=64, chunks=(5, 6, 4), index="single", single=(99, 1))),
        (chunked(3, b"\x0a" + pack("<Q", 64), 1),
         Layout(kind="chunked", address=64, chunks=(5, 6, 4), index="fixed array",
                leaves_edges=True)),
        (chunked(5, bytes(6) + NOWHERE),
         Layout(kind="chunked", chunks=(5, 6, 4), index="btree2")),
        (b"\4\3" + pack("<QI", 64, 7), Layout(kind="virtual", address=64, number=7)),
    ],
)  # fmt: skip
def test_layouts(data, layout):
    assert storage.parse_layout(data, SIZES) == layout
    for stop in range(len(data)):
        with pytest.raises((*PARSE_ERRORS, DamageError, UnsupportedError)):
            storage.parse_layout(data[:stop], SIZES)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\6\1", UnsupportedError),
        (b"\3\7", UnsupportedError),
        (b"\3\3" + bytes(12), UnsupportedError),
        (b"\3\2\x22" + bytes(200), DamageError),
        (b"\3\2\2" + pack("<QII", 64, 0, 4), DamageError),
        (chunked(9, bytes(20)), UnsupportedError),
        (chunked(1, bytes(20), 64), UnsupportedError),
        (bytes([4, 2, 0, 3, 9]) + bytes(40), DamageError),
    ],
)
def test_layouts_that_are_not_read(data, error):
    with pytest.raises(error):
        storage.parse_layout(data, SIZES)


@pytest.mark.parametrize(
    ("data", "filters"),
    [
        (b"\2\1" + pack("<HHHI", 1, 1, 1, 6), (PipelineFilter(1, True, (6,)),)),
        (b"\2\1" + pack("<HHHH", 32015, 4, 0, 1) + b"zstd" + pack("<I", 3),
         (PipelineFilter(32015, False, (3,)),)),
        (b"\1\1" + bytes(6) + pack("<HHHH", 2, 8, 0, 1) + b"shuffle\0" + pack("<II", 4, 0),
         (PipelineFilter(2, False, (4,)),)),
        (b"\2\0", ()),
    ],
)  # fmt: skip
def test_filters(data, filters):
    assert storage.parse_filters(data) == filters


def test_filters_that_are_not_read():
    with pytest.raises(UnsupportedError):
        storage.parse_filters(b"\3\0")
    with pytest.raises(DamageError, match="too many filters"):
        storage.parse_filters(b"\2\x21")


@pytest.mark.parametrize(
    ("data", "value", "is_defined"),
    [
        (b"\1\0\0\0" + pack("<I", 2) + b"ab", b"ab", True),
        (b"\2\0\0\1" + pack("<I", 0), b"", True),
        (b"\2\0\0\0", b"", False),
        (b"\3\x20" + pack("<I", 2) + b"ab", b"ab", True),
        (b"\3\0", b"", True),
        (b"\3\x10", b"", False),
    ],
)
def test_fill_values(data, value, is_defined):
    found = storage.parse_fill(data)
    assert (found.data, found.is_defined) == (value, is_defined)


def test_old_fill_values():
    assert storage.parse_old_fill(pack("<I", 2) + b"ab").data == b"ab"
    assert storage.parse_old_fill(pack("<I", 0)) == storage.UNDEFINED
    with pytest.raises(DamageError):
        storage.parse_old_fill(pack("<I", 3) + b"ab")
    with pytest.raises(DamageError):
        storage.parse_fill(b"\3\x20" + pack("<I", 3) + b"ab")
    with pytest.raises(UnsupportedError):
        storage.parse_fill(b"\4")
