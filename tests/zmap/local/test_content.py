"""The bytes of a file."""

from __future__ import annotations

import os

import pytest

import ncz
from ncz.zmap.local.content import FileContent, write_all


def test_an_error_of_reading_is_reported_as_one(tmp_path):
    folder = os.open(tmp_path, os.O_RDONLY)  # reading a folder fails
    try:
        with pytest.raises(ncz.ZmapError, match=r"^/v/0: cannot read: Is a directory"):
            FileContent(folder, 10).copy_to(-1, "/v/0")
    finally:
        os.close(folder)


def test_a_file_that_became_shorter_is_not_copied(tmp_path):
    (tmp_path / "chunk").write_bytes(bytes(10))
    with (tmp_path / "chunk").open("r+b") as file, (tmp_path / "copy").open("wb") as target:
        content = FileContent(file.fileno(), 10)
        file.truncate(4)
        with pytest.raises(ncz.ZmapError, match="/v/0: the file became shorter while it was read"):
            content.copy_to(target.fileno(), "/v/0")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_short_write_is_no_success():
    full = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(OSError, match="No space left"):
        write_all(full, b"x" * 100)
    os.close(full)
