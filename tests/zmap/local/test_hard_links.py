"""Objects of a new directory that are the files of an old one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.hard_links import link_object
from ncz.zmap.local.writable import WritableDirectoryZmap
from ncz.zmap.memory import MemoryZmap


@pytest.fixture
def source(tmp_path: Path) -> DirectoryZmap:
    (tmp_path / "old" / "v").mkdir(parents=True)
    (tmp_path / "old" / "v" / "0").write_bytes(b"chunk")
    return DirectoryZmap(str(tmp_path / "old"))


@pytest.fixture
def target(tmp_path: Path) -> WritableDirectoryZmap:
    (tmp_path / "new").mkdir()
    return WritableDirectoryZmap(str(tmp_path / "new"))


def test_a_file_gets_a_second_name(tmp_path: Path, source, target):
    link_object(source, "v/0", target, "w/0")
    assert os.path.samefile(tmp_path / "old" / "v" / "0", tmp_path / "new" / "w" / "0")


def test_an_object_is_copied_where_no_link_is_possible(tmp_path: Path, source, target, monkeypatch):
    memory = MemoryZmap()
    link_object(source, "v/0", memory, "w/0")
    assert memory.get("w/0") == b"chunk"

    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "not permitted")

    monkeypatch.setattr(os, "link", refuse)
    link_object(source, "v/0", target, "w/0")
    assert (tmp_path / "new" / "w" / "0").read_bytes() == b"chunk"
    assert not os.path.samefile(tmp_path / "old" / "v" / "0", tmp_path / "new" / "w" / "0")


def test_objects_in_memory_have_no_file(target):
    link_object(MemoryZmap({"v/0": b"chunk"}), "v/0", target, "w/0")
    assert target.get("w/0") == b"chunk"
    link_object(MemoryZmap(), "v/0", target, "w/1")
    assert target.get("w/1") is None
