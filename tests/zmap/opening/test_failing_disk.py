"""A disk that refuses to write."""

from __future__ import annotations

import errno
import os

import pytest

from ncz.errors import NczError, ZmapError
from tests.zmap.opening.test_opening import contents, create


def test_a_full_disk_leaves_no_directory(here, monkeypatch):
    write = os.write

    def full(number, data):
        write(number, data[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ZmapError) as caught:
        create("x.zarr")
    assert str(caught.value) == (
        "x.zarr: /v/0: cannot write: No space left on device; "
        "free some space, or write to another place"
    )
    assert contents(here) == []


def test_a_full_disk_leaves_no_zip(here, monkeypatch):
    def full(self, entry, value):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ncz.zmap.local.zip_writer.ZipWriter._append_at_once", full)
    with pytest.raises(ZmapError, match="cannot write: No space left on device; free some space"):
        create("x.zip")
    assert contents(here) == []


def test_a_disk_that_is_full_at_the_end_leaves_no_zip(here, monkeypatch):
    def full(self):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("zipfile.ZipFile._write_end_record", full)
    with pytest.raises(ZmapError, match=r"x\.zip: cannot write: No space left on device"):
        create("x.zip")
    assert contents(here) == []


@pytest.mark.parametrize("target", ["x.zarr", "x.zip"])
def test_a_read_only_place_is_one_line(here, monkeypatch, target):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "mkdir", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(NczError) as caught:
        create(target)
    monkeypatch.undo()
    assert str(caught.value) == (
        f"{target}: cannot write: Read-only file system; "
        "the file system is mounted read-only: write to another place"
    )


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(here):
    os.mkdir("locked", 0o555)
    with pytest.raises(ZmapError, match="cannot write: Permission denied; check the permissions"):
        create("locked/x.zarr")


def test_a_name_that_is_too_long(here):
    with pytest.raises(NczError, match="name too long"):
        create("x" * 300)
    assert contents(here) == []
