"""Files that are copied from one directory to another."""

from __future__ import annotations

import os

import pytest

from ncz.errors import ZmapError
from ncz.zmap.file.content import Content
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.writable import WritableDirectoryZmap


def test_a_copy_of_a_file_that_changed_meanwhile_is_removed(tmp_path):
    path = tmp_path / "source/v/1"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * 101)
    (tmp_path / "target").mkdir()
    zmap = WritableDirectoryZmap(str(tmp_path / "target"), building=True, resumable=True)

    def rewrite(_: Content) -> None:
        before = path.stat().st_mtime_ns
        path.write_bytes(b"y" * 101)
        os.utime(path, ns=(before, before + 1_000_000_000))

    with pytest.raises(ZmapError, match=r"source: /v/1: it changed while it was read"):
        zmap.put_from("v/1", DirectoryZmap(str(tmp_path / "source")), "v/1", rewrite)
    assert not zmap.keep("v/1", 101)
    assert list(zmap.walk()) == []
