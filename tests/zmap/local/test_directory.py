"""The zmap over a directory: links, strange files, and a disk that refuses."""

from __future__ import annotations

import errno
import os
import sys
import tracemalloc

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.writable import WritableDirectoryZmap
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.zmap.contract import TREE, WritableZmapContract


def fill(root, objects):
    root.mkdir(parents=True, exist_ok=True)
    for key, value in objects.items():
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value)
    return root


@pytest.fixture
def places(tmp_path):
    """A new folder at each call."""
    numbers = iter(range(1_000_000))
    return lambda: tmp_path / f"store{next(numbers)}"


class TestDirectory(WritableZmapContract):
    @pytest.fixture
    def store(self, places):
        return lambda objects: DirectoryZmap(str(fill(places(), objects)))

    @pytest.fixture
    def empty(self, places):
        return WritableDirectoryZmap(str(fill(places(), {})))


class TestByPath(TestDirectory):
    """A system that cannot open a file from the descriptor of its folder."""

    @pytest.fixture(autouse=True)
    def by_path(self, monkeypatch):
        monkeypatch.setattr("ncz.zmap.local.tree.IS_AVAILABLE", False)


def test_empty_folders_lead_to_nothing(tmp_path):
    fill(tmp_path, {".zgroup": b"", "g/v/.zarray": b""})
    (tmp_path / "hollow" / "deep").mkdir(parents=True)
    zmap = DirectoryZmap(str(tmp_path))
    assert zmap.search("") == [".zgroup", "g"]
    assert list(zmap.walk("hollow")) == []


def test_names_that_are_not_utf8(tmp_path):
    if sys.platform == "darwin":
        pytest.skip("this system's names are always UTF-8")
    fill(tmp_path, {".zgroup": b""})
    with open(os.path.join(os.fsencode(tmp_path), b"gr\xfcn"), "wb") as file:
        file.write(b"latin")
    zmap = DirectoryZmap(str(tmp_path))
    assert zmap.search("") == [".zgroup", "gr\udcfcn"]
    assert zmap.get("gr\udcfcn") == b"latin"


def test_control_characters_on_disk_can_be_listed_and_read(tmp_path):
    fill(tmp_path, {"a\x1b[2Jb": b"clear"})
    zmap = DirectoryZmap(str(tmp_path))
    assert zmap.search("") == ["a\x1b[2Jb"]
    assert zmap.get("a\x1b[2Jb") == b"clear"


def test_links_are_followed_in_reading(tmp_path):
    outside = fill(tmp_path / "elsewhere", {"v/.zarray": b"{}", "v/0": b"data"})
    store = fill(tmp_path / "store", {".zgroup": b"{}"})
    (store / "v").symlink_to(outside / "v")
    (store / ".zattrs").symlink_to(outside / "v" / "0")
    zmap = open_zmap(parse_location(f"{store}#mode=follow-links"))
    assert list(zmap.walk()) == [".zattrs", ".zgroup", "v/.zarray", "v/0"]
    assert zmap.search("") == [".zattrs", ".zgroup", "v"]
    assert zmap.get("v/0") == zmap.get(".zattrs") == b"data"


@pytest.mark.parametrize("at", ["v", "v/0", ".zattrs"])
def test_links_that_lead_out_are_refused(tmp_path, at):
    outside = fill(tmp_path / "store-of-others", {"v/.zarray": b"{}", "v/0": b"secret", "0": b"k"})
    store = fill(tmp_path / "store", {".zgroup": b"{}", "w/0": b"mine"})
    (store / at).parent.mkdir(exist_ok=True)
    (store / at).symlink_to(outside / "v" if at == "v" else outside / "0")
    zmap = open_zmap(parse_location(str(store)))
    key = "v/0" if at == "v" else at
    for read in (
        zmap.get,
        zmap.size,
        lambda key: zmap.get_range(key, 0, 1),
        lambda key: WritableDirectoryZmap(str(tmp_path / "copy")).put_from(key, zmap, key),
    ):
        with pytest.raises(ZmapError, match="leads out of the store; add #mode=follow-links"):
            read(key)
    assert not (tmp_path / "copy").exists()
    assert zmap.get("w/0") == b"mine"
    if at == "v":
        with pytest.raises(ZmapError, match="leads out of the store"):
            list(zmap.walk())


def test_links_within_the_store_are_followed(tmp_path):
    store = fill(tmp_path / "store", {".zgroup": b"{}", "v/0": b"data"})
    (store / "w").symlink_to("v")
    (store / "v" / "1").symlink_to(store / "v" / "0")
    (tmp_path / "link").symlink_to(store)
    zmap = DirectoryZmap(str(tmp_path / "link"))
    assert zmap.get("w/0") == zmap.get("w/1") == zmap.get("v/1") == b"data"
    assert zmap.size("w/1") == 4
    assert list(zmap.walk()) == [".zgroup", "v/0", "v/1", "w/0", "w/1"]
    assert sorted(zmap.walk_unsorted()) == list(zmap.walk())


@pytest.mark.parametrize("target", [".", "..", "/", "../b", "self"])
def test_a_circle_of_links_ends(tmp_path, target):
    store = fill(tmp_path / "store", {".zgroup": b"{}", "a/0": b"", "b/1": b""})
    (store / "a" / "self").symlink_to(target)
    (store / "b" / "round").symlink_to("../a")
    zmap = DirectoryZmap(str(store))
    keys = []
    for key in zmap.walk_unsorted():
        keys.append(key)
        assert len(keys) < 20
    assert sorted(keys) == sorted(zmap.walk())
    assert {".zgroup", "a/0", "b/1", "b/round/0"} <= set(keys)
    assert zmap.search("") == [".zgroup", "a", "b"]
    assert "0" in zmap.search("a")


def test_a_walk_of_many_files_keeps_few_of_their_names(tmp_path):
    """A chunk is a file of one folder, which may have millions of them."""
    store = fill(tmp_path, {f"v/{n}": b"" for n in range(5000)})
    zmap = DirectoryZmap(str(store))
    assert sum(1 for _ in zmap.walk_unsorted("v")) == 5000  # imports, and fills caches
    tracemalloc.start()
    try:
        for _ in zmap.walk_unsorted("v"):
            pass
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100_000  # a name takes 50 bytes and more


def test_a_link_to_nowhere_is_no_object(tmp_path):
    store = fill(tmp_path, {".zgroup": b"{}"})
    (store / "v").symlink_to("gone")
    zmap = DirectoryZmap(str(store))
    assert zmap.search("") == [".zgroup"]
    assert zmap.get("v") is None
    assert zmap.size("v") is None


def test_a_pipe_is_no_object_and_is_not_waited_for(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe")
    zmap = DirectoryZmap(str(tmp_path))
    assert zmap.get("pipe") is None
    assert zmap.size("pipe") is None
    assert zmap.search("") == []


@pytest.fixture
def deep(tmp_path):
    """A folder 1500 folders deep, with one file at its end; too deep for rmtree."""
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
        with open("0", "w"):
            pass
        yield str(tmp_path)
        os.unlink("0")
        for _ in range(1500):
            os.chdir("..")
            os.rmdir("d")
    finally:
        os.chdir(here)


def test_a_tree_deeper_than_pythons_stack(deep):
    zmap = DirectoryZmap(deep)
    assert [key.count("/") for key in zmap.walk()] == [1500]
    assert zmap.search("") == ["d"]


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    store = fill(tmp_path, TREE)

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ZmapError, match="cannot list: Permission denied; check the permissions"):
        DirectoryZmap(str(store)).search("")


def test_an_object_that_cannot_be_read_is_an_error_that_names_it(tmp_path, monkeypatch):
    store = fill(tmp_path, TREE)

    def refuse(*_, **__):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ZmapError, match="/g/v/0: cannot read: Input/output error"):
        DirectoryZmap(str(store), "x.zarr").get("g/v/0")


@pytest.mark.parametrize("size", [100, 1 << 17])
@pytest.mark.parametrize("part", [0, -1, slice(2), slice(None)], ids=str)
def test_a_file_that_becomes_shorter_before_a_check_reads_it(tmp_path, size, part):
    path = tmp_path / "0"
    path.write_bytes(bytes(size))

    def read() -> None:
        with DirectoryZmap(str(tmp_path)).open_object("0") as content:
            assert content is not None
            path.write_bytes(b"")
            content[part]

    with pytest.raises(ZmapError, match=r"cannot read: it changed while it was read"):
        read()


def test_only_documents_may_not_change_after_they_were_read(tmp_path):
    root = fill(tmp_path / "store", {".zgroup": b"{}", "v/0": b"data"})
    zmap = DirectoryZmap(str(root))
    assert (zmap.get(".zgroup"), zmap.get("v/0")) == (b"{}", b"data")
    (root / "v/0").write_bytes(b"other data")
    zmap.check_unchanged()
    (root / ".zgroup").write_bytes(b"{ }")
    with pytest.raises(ZmapError, match=r"/\.zgroup: it changed while it was read"):
        zmap.check_unchanged()
    zmap.close()
