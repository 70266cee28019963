"""Files that are read at offsets, and must not change during reads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncz.zmap.local.offset_reads import UnchangedFile, read_at
from ncz.zmap.local.zip import ZipZmap


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "f").write_bytes(b"0123456789")
    return str(tmp_path / "f")


def rewrite(path: str) -> None:
    Path(path).write_bytes(b"0123456789, and more")


@pytest.mark.parametrize(
    ("start", "count", "data"),
    [(0, 3, b"012"), (7, 3, b"789"), (7, 9, b"789"), (10, 1, b""), (4, 0, b"")],
)
def test_bytes_at_an_offset(path, start, count, data, closing):
    file = closing(UnchangedFile(path))
    assert file.size == 10
    assert file.read(start, count) == read_at(file.number, start, count) == data
    assert os.lseek(file.number, 0, os.SEEK_CUR) == 0


@pytest.mark.parametrize("most", [1, 4, 5, 100])
def test_bytes_that_take_several_calls(path, most, monkeypatch):
    monkeypatch.setattr("ncz.zmap.local.offset_reads._LARGEST_CALL", most)
    with open(path, "rb") as file:
        assert read_at(file.fileno(), 1, 8) == b"12345678"
        assert read_at(file.fileno(), 4, 100) == b"456789"


def test_a_file_that_changes_is_an_error(path, closing):
    file = closing(UnchangedFile(path))
    file.check()
    file.check_path()
    rewrite(path)
    for act in (file.check, file.check_path, lambda: file.read(0, 1)):
        with pytest.raises(OSError, match="changed"):
            act()


def test_a_file_that_is_replaced_is_known_by_its_path(path, closing):
    file = closing(UnchangedFile(path))
    Path(path).rename(path + ".old")
    Path(path).write_bytes(b"0123456789")
    file.check()
    assert file.read(0, 2) == b"01"
    with pytest.raises(OSError, match="changed"):
        file.check_path()


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(OSError, match=r"^u: cannot read: No such file"):
        ZipZmap(str(tmp_path / "none"), "u")
