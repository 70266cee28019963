"""Links that someone plants while a directory is read or written, and stores that are replaced."""

from __future__ import annotations

import os

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.tree import IS_AVAILABLE
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.zmap.local.test_directory import fill


@pytest.fixture(params=[True, False], ids=["anchored", "by path"])
def tree_kind(request, monkeypatch):
    """Both ways to open files; a system has one or the other."""
    monkeypatch.setattr("ncz.zmap.local.tree.IS_AVAILABLE", request.param)


@pytest.mark.parametrize("building", [True, False])
def test_nothing_is_written_through_a_link_in_place_of_an_object(tmp_path, tree_kind, building):
    precious = fill(tmp_path / "elsewhere", {"0": b"precious"}) / "0"
    store = fill(tmp_path / "store", {"v/.zarray": b"{}"})
    (store / "v" / "0").symlink_to(precious)
    (store / "v" / "1").hardlink_to(precious)
    zmap = WritableDirectoryZmap(str(store), building=building)
    for key in ("v/0", "v/1"):
        zmap.put(key, b"new")
        assert zmap.get(key) == b"new"
    assert precious.read_bytes() == b"precious"


def test_links_are_treated_alike_by_both_trees(tmp_path, tree_kind):
    fill(tmp_path / "elsewhere", {"0": b"secret"})
    store = fill(tmp_path / "store", {".zgroup": b"{}", "v/0": b"data"})
    (store / "w").symlink_to("v")
    (store / "out").symlink_to(tmp_path / "elsewhere")
    zmap = WritableDirectoryZmap(str(store))
    assert zmap.get("w/0") == b"data"
    assert zmap.size("w/0") == 4
    assert zmap.is_folder("w")
    assert zmap.search("w") == ["0"]
    for use in (zmap.get, zmap.size, zmap.search):
        with pytest.raises(ZmapError, match="leads out of the store"):
            use("out/0")
    for key in ("w/1", "out/1"):
        with pytest.raises(ZmapError, match="does not write through links"):
            zmap.put(key, b"")
        with pytest.raises(ZmapError, match="does not write through links"):
            zmap.delete(key)
    assert os.listdir(tmp_path / "elsewhere") == ["0"]


def swap(folder, elsewhere):
    """Put a link in place of a folder, as another process may do at any moment."""
    folder.rename(folder.with_name("moved"))
    folder.symlink_to(elsewhere)


@pytest.mark.skipif(not IS_AVAILABLE, reason="this system cannot open files below a folder")
def test_a_link_that_takes_the_place_of_a_folder_in_use(tmp_path):
    elsewhere = fill(tmp_path / "elsewhere", {"0": b"secret", "1": b"secret"})
    store = fill(tmp_path / "store", {"v/0": b"mine", "v/1": b"mine", "w/x/0": b"mine"})
    zmap = WritableDirectoryZmap(str(store))
    assert zmap.get("v/0") == zmap.get("w/x/0") == b"mine"
    zmap.put("v/2", b"mine")
    swap(store / "v", elsewhere)
    swap(store / "w" / "x", elsewhere)
    assert zmap.get("v/1") == zmap.get("w/x/0") == b"mine"
    assert zmap.get_range("v/1", 0, 4) == b"mine"
    assert zmap.size("v/1") == 4
    assert zmap.search("v") == ["0", "1", "2"]
    zmap.put("v/3", b"new")
    assert zmap.delete("v/0")
    assert sorted(os.listdir(elsewhere)) == ["0", "1"]
    assert sorted(os.listdir(store / "moved")) == ["1", "2", "3"]


@pytest.mark.skipif(not IS_AVAILABLE, reason="this system cannot open files below a folder")
def test_many_folders_need_few_descriptors(tmp_path):
    count = 200
    store = fill(tmp_path / "store", {f"g{n}/v/0": b"%d" % n for n in range(count)})
    before = len(os.listdir("/dev/fd"))
    zmaps = [DirectoryZmap(str(store)) for _ in range(3)]
    for zmap in zmaps:
        assert [zmap.get(f"g{n}/v/0") for n in range(count)] == [b"%d" % n for n in range(count)]
    assert len(os.listdir("/dev/fd")) < before + 70
    for zmap in zmaps:
        zmap.close()
    assert len(os.listdir("/dev/fd")) <= before


def test_a_folder_that_may_be_passed_but_not_listed(tmp_path):
    if not hasattr(os, "O_PATH") or os.geteuid() == 0:
        pytest.skip("every folder may be listed here")
    store = fill(tmp_path / "store", {"v/0": b"data"})
    (store / "v").chmod(0o111)
    assert DirectoryZmap(str(store)).get("v/0") == b"data"
    (store / "v").chmod(0o755)


def test_a_store_that_is_replaced_has_no_missing_chunks(tmp_path):
    """They would be read as the fill value."""
    store = fill(tmp_path / "store", {".zgroup": b"{}", "v/0": b"old"})
    zmap = DirectoryZmap(str(store))
    assert zmap.get("v/0") == b"old"
    assert zmap.get("v/1") is None
    store.rename(tmp_path / "aside")
    fill(store, {".zgroup": b"{}", "v/0": b"new", "v/1": b"new"})
    with pytest.raises(ZmapError, match="it changed while it was read"):
        zmap.get("v/1")
