"""Files that are read by ranges."""

from __future__ import annotations

import os

import pytest

from ncz.zmap.local.offset_reads import UnchangedFile
from ncz.zmap.range_file import PositionedFile
from tests.zmap.local.test_offset_reads import path as path


def test_a_separate_position(path, closing):
    source = UnchangedFile(path)
    file = closing(PositionedFile(source.size, source.read, source.close))
    assert (file.readable(), file.seekable()) == (True, True)
    assert file.read(3) == b"012"
    assert file.seek(2, os.SEEK_CUR) == 5
    assert file.read(1) == b"5"
    assert file.seek(-3, os.SEEK_END) == 7
    assert file.read() == b"789"
    assert file.seek(1) == 1
    with pytest.raises(OSError, match="before the start"):
        file.seek(-11, os.SEEK_END)
    assert file.part(8, 5) == b"89"
    assert file.read(1) == b"1"


def test_closing_frees_the_descriptor_once(path):
    source = UnchangedFile(path)
    file = PositionedFile(source.size, source.read, source.close)
    number = source.number
    assert os.fstat(number).st_size == 10
    file.close()
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(number)
    other = os.open(path, os.O_RDONLY)  # which may have the same number
    file.close()
    assert os.fstat(other).st_size == 10
    os.close(other)
