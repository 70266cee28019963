"""Files that are copied from one directory to another, one by one and many at a time."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ncz.errors import ZmapError
from ncz.zmap.content import Content
from ncz.zmap.local import tree
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.reliability.disk import Disk, failing


class Folders:
    """A source with the objects `v/0` to `v/3`, and an empty target."""

    def __init__(self, folder: Path) -> None:
        self.source, self.target = folder / "source", folder / "target"
        (self.source / "v").mkdir(parents=True)
        self.target.mkdir()
        for number in range(4):
            (self.source / f"v/{number}").write_bytes(b"x" * (100 + number))

    def copy(self, *keys: str, accept=lambda content: True, building=True) -> list[int | None]:
        zmap = WritableDirectoryZmap(str(self.target), building=building)
        source = DirectoryZmap(str(self.source))
        sizes = list(zmap.put_many_from(keys, source, keys, accept))
        zmap.check_complete()
        copied = [key for key, size in zip(keys, sizes, strict=True) if size is not None]
        assert sorted(copied) == sorted(zmap.walk())
        for key in copied:
            assert (self.target / key).read_bytes() == (self.source / key).read_bytes()
        return sizes


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def test_files_are_copied_and_their_sizes_are_returned(folders):
    assert folders.copy("v/0", "v/3", "v/1") == [100, 103, 101]


def test_special_files_are_left_out(folders):
    (folders.source / "v/link").symlink_to("0")
    (folders.source / "v/folder").mkdir()
    os.mkfifo(folders.source / "v/pipe")
    (folders.source / "linked").symlink_to("v")
    keys = ("v/0", "v/link", "v/folder", "v/pipe", "v/missing", "linked/1", "w/0", "v/1")
    assert folders.copy(*keys) == [100, *[None] * 6, 101]


def test_values_that_are_not_accepted_are_left_out(folders):
    assert folders.copy("v/0", "v/1", "v/2", accept=lambda content: len(content) != 101) == [
        100, None, 102
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["../v/1", "v//1", "/v/1", "v/.", "", "v/\n", "v/" + "1" * 1023])
def test_nothing_is_copied_if_one_key_is_illegal(folders, key):
    assert folders.copy("v/0", key, "v/1") == [None] * 3
    assert folders.copy(key) == [None]


def test_an_existing_file_is_not_replaced(folders):
    (folders.target / "v").mkdir()
    (folders.target / "v/1").write_bytes(b"old")
    zmap = WritableDirectoryZmap(str(folders.target), building=True)
    keys = ("v/0", "v/1")
    sizes = zmap.put_many_from(keys, DirectoryZmap(str(folders.source)), keys, lambda _: True)
    assert list(sizes) == [100, None]
    assert (folders.target / "v/1").read_bytes() == b"old"


def test_a_store_that_others_see_is_written_one_by_one(folders):
    assert folders.copy("v/0", "v/1", building=False) == [None, None]


@pytest.mark.parametrize("together", [False, True])
def test_a_copy_of_a_file_that_changed_meanwhile_is_removed(folders, together):
    zmap = WritableDirectoryZmap(str(folders.target), building=True, resumable=True)
    source = DirectoryZmap(str(folders.source))

    def rewrite(_: Content) -> None:
        path = folders.source / "v/1"
        before = path.stat().st_mtime_ns
        path.write_bytes(b"y" * 101)
        os.utime(path, ns=(before, before + 1_000_000_000))

    def accept(content: Content) -> bool:
        rewrite(content)
        return True

    def copy() -> None:
        if together:
            list(zmap.put_many_from(["v/1"], source, ["v/1"], accept))
        else:
            zmap.put_from("v/1", source, "v/1", check=rewrite)

    with pytest.raises(ZmapError, match=r"source: /v/1: it changed while it was read"):
        copy()
    assert not zmap.keep("v/1", 101)
    assert list(zmap.walk()) == []


@pytest.mark.parametrize(
    ("fault", "message"), [("full", "No space left on device"), ("error", "Input/output error")]
)
@pytest.mark.parametrize("operation", ["create", "write"])
def test_an_error_of_the_target_names_the_object(folders, monkeypatch, fault, message, operation):
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    # Both runs have the same operations if no folder of an earlier test is closed in one of them.
    monkeypatch.setattr(tree, "_open", {})

    def copy(at: int) -> list[str]:
        disk = Disk(str(folders.target), at, fault)
        with failing(disk):
            folders.copy("v/0")
        return disk.operations

    at = copy(0).index(operation) + 1
    shutil.rmtree(folders.target / "v")
    with pytest.raises(ZmapError, match=rf"target: /v/0: cannot write: {message}"):
        copy(at)
    assert list((folders.target / "v").iterdir()) == []


def test_a_link_in_place_of_a_folder_is_not_written_through(folders, tmp_path):
    (tmp_path / "outside").mkdir()
    (folders.target / "v").symlink_to(tmp_path / "outside")
    with pytest.raises(ZmapError, match="/v is a symbolic link"):
        folders.copy("v/0")
    assert list((tmp_path / "outside").iterdir()) == []
