"""Temporary copies of files."""

from __future__ import annotations

import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local.temporary_copy import TemporaryFolder, temporary_copy

Usage = namedtuple("Usage", "total used free")


def test_a_copy_exists_until_the_context_ends():
    with temporary_copy([b"ab", b"", b"c"], "a.nc", "https://h/a.nc.gz") as path:
        assert os.path.basename(path) == "a.nc"
        assert Path(path).read_bytes() == b"abc"
    assert not os.path.exists(os.path.dirname(path))


def test_a_copy_is_removed_after_an_error():
    with pytest.raises(ValueError, match="stop"), temporary_copy([b"ab"], "a.nc", "u") as path:
        raise ValueError("stop")
    assert not os.path.exists(path)


def test_a_folder_has_files_in_folders_and_none_twice():
    with TemporaryFolder("u") as folder:
        assert Path(folder.write("g/v/0", [b"x"])).read_bytes() == b"x"
        with pytest.raises(FileExistsError):
            folder.write("g/v/0", [b"y"])


def test_the_disk_keeps_room_for_others(monkeypatch: pytest.MonkeyPatch):
    free = (256 << 20) + 10
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, free))
    with TemporaryFolder("u.zip", "unpack it") as folder:
        folder.write("a", [b"x" * 6, b"x" * 4])
        with pytest.raises(ZmapError) as error:
            folder.write("b", [b"x"])
    assert str(error.value) == (
        "u.zip: the temporary copy of its contents needs more than the 0 MiB that are free;"
        " unpack it"
    )


def test_a_full_disk_has_no_room_at_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, 5))
    with (
        pytest.raises(ZmapError, match="set TMPDIR"),
        temporary_copy([b"x"], "a", "u"),
    ):
        pass
