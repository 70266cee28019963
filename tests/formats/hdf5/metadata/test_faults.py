"""Faults of HDF5 files."""

from __future__ import annotations

import struct

import pytest

from ncz.formats.hdf5.metadata.faults import (
    PARSE_ERRORS,
    DamageError,
    OpenForWritingError,
    TruncationError,
    UnreadableError,
    UnsupportedError,
)


def test_a_file_that_is_too_short_is_damaged_and_one_that_is_written_is_not():
    assert issubclass(TruncationError, DamageError)
    for kind in (OpenForWritingError, UnsupportedError):
        assert issubclass(kind, UnreadableError)
        assert not issubclass(kind, DamageError)


@pytest.mark.parametrize(
    "parse",
    [
        lambda: struct.unpack("<I", b""),
        lambda: b""[0],
        lambda: dict[str, int]()["x"],
        lambda: b"".index(b"\0"),
    ],
)
def test_damaged_bytes_raise_errors_of_parsing(parse):
    with pytest.raises(PARSE_ERRORS):
        parse()
