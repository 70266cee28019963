"""A file on the disk, read by ranges."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.file import LocalFile, open_file
from ncz.zmap.location import location_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "f.nc").write_bytes(b"0123456789")
    return tmp_path / "f.nc"


def test_ranges(path):
    file = LocalFile(str(path))
    assert (file.size, file.url, file.address) == (10, str(path), os.path.abspath(path))
    assert file.read(2, 3) == b"234"
    assert file.read(10, 0) == b""
    with pytest.raises(ZmapError, match=r"f\.nc"):
        file.read(8, 3)
    file.close()
    file.close()
    with pytest.raises(ZmapError, match="closed"):
        file.read(0, 1)


def test_a_missing_file(tmp_path):
    with pytest.raises(StoreMissing, match="no file exists at this path"):
        LocalFile(str(tmp_path / "absent"))


def test_a_change_is_an_error(path, closing):
    file = closing(LocalFile(str(path)))
    file.check_unchanged()
    path.write_bytes(b"another content")
    with pytest.raises(ZmapError, match="changed"):
        file.check_unchanged()


def test_another_process_opens_the_same_file(path, closing):
    file = closing(LocalFile(str(path)))
    again = closing(pickle.loads(pickle.dumps(file)))
    assert again.read(0, 10) == b"0123456789"
    data = pickle.dumps(file)
    path.write_bytes(b"another content")
    with pytest.raises(ZmapError, match="changed"):
        pickle.loads(data)


def test_a_location_is_opened(path, closing):
    file = closing(open_file(location_of(path)))
    assert file.read(0, 2) == b"01"
    assert file.path == str(path)
