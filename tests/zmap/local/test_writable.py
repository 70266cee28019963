"""Directories that are written."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from ncz.errors import ZmapError
from ncz.zmap.local import writable
from ncz.zmap.local.writable import WritableDirectoryZmap
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap
from ncz.zmap.opening import create_zmap, open_zmap
from tests.zmap.contract import WritableZmapContract
from tests.zmap.local.test_claims import create
from tests.zmap.local.test_directory import fill
from tests.zmap.local.test_directory import places as places


class TestBuilding(WritableZmapContract):
    @pytest.fixture
    def store(self, places):
        def make(objects):
            zmap = WritableDirectoryZmap(str(fill(places(), {})), building=True)
            for key, value in objects.items():
                zmap.put(key, value)
            return zmap

        return make

    @pytest.fixture
    def empty(self, places):
        return WritableDirectoryZmap(str(fill(places(), {})), building=True)


def test_nothing_is_written_or_deleted_through_a_link(tmp_path):
    outside = fill(tmp_path / "elsewhere", {"v/.zarray": b"{}", "v/0": b"data"})
    store = fill(tmp_path / "store", {".zgroup": b"{}"})
    (store / "v").symlink_to(outside / "v")
    (store / ".zattrs").symlink_to(outside / "v" / "0")
    zmap = WritableDirectoryZmap(str(store))
    with pytest.raises(ZmapError, match="symbolic link"):
        zmap.put("v/1", b"")
    with pytest.raises(ZmapError, match="symbolic link"):
        zmap.delete("v/0")
    zmap.put(".zattrs", b"{}")  # takes the link's place
    assert (outside / "v" / "0").read_bytes() == b"data"
    assert sorted(path.name for path in (outside / "v").iterdir()) == [".zarray", "0"]


@pytest.mark.parametrize("few", [2, 1 << 16])
def test_objects_removed_while_a_store_was_written_are_counted(tmp_path, monkeypatch, few):
    monkeypatch.setattr(writable, "_BATCH", few)
    zmap = WritableDirectoryZmap(str(tmp_path), building=True)
    for key in ("v/0", "v/1", "v/2", "v/1", "w", "x"):
        zmap.put(key, b"")
    zmap.delete("w")
    zmap.check_complete()
    zmap.delete("x")
    zmap.put("x", b"")
    (tmp_path / "other").touch()
    zmap.check_complete()
    for key in ("v/1", "x"):
        (tmp_path / key).unlink()
    with pytest.raises(ZmapError, match="something removed 2 of 4 objects"):
        zmap.check_complete()


def test_a_failed_replacement_leaves_the_old_object(tmp_path, monkeypatch):
    zmap = WritableDirectoryZmap(str(fill(tmp_path, {".zattrs": b"old"})), "x.zarr")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ZmapError, match="cannot write: No space left on device"):
        zmap.put(".zattrs", b"new")
    assert list(zmap.walk()) == [".zattrs"]
    assert zmap.get(".zattrs") == b"old"


def test_a_check_refuses_an_object_that_does_not_come_from_a_file(tmp_path):
    def refuse(data: object) -> None:
        raise ZmapError(f"damaged: {data!r}")

    source = MemoryZmap({"v/0": b"data"})
    (tmp_path / "copy").mkdir()
    target = WritableDirectoryZmap(str(tmp_path / "copy"))
    with pytest.raises(ZmapError, match="damaged: b'data'"):
        target.put_from("v/0", source, "v/0", check=refuse)
    assert target.get("v/0") is None
    assert target.put_from("v/0", source, "v/0") == 4


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("suffix", "bits"), [(".zarr", 0o700), (".zarr", 0o2750), (".zip", 0o600)])
def test_a_replaced_store_keeps_its_permissions(tmp_path, suffix, bits):
    target = tmp_path / f"x{suffix}"
    create(target, {".zgroup": b"{}"})
    target.chmod(bits)
    create(target, {".zgroup": b"{}", "v/0": b"1"}, overwrite=True)
    assert mode(target) == bits
    zmap = open_zmap(parse_location(str(target)))
    assert zmap.get("v/0") == b"1"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_replaced_store_keeps_its_owner(tmp_path):
    target = tmp_path / "x.zip"
    create(target, {".zgroup": b"{}"})
    os.chown(target, 12345, 23456)
    create(target, {".zgroup": b"{}"}, overwrite=True)
    assert (target.stat().st_uid, target.stat().st_gid) == (12345, 23456)


def test_a_replaced_object_keeps_its_permissions_and_its_owner(tmp_path):
    target = tmp_path / "x.zarr"
    create(target, {".zgroup": b"{}", ".zattrs": b"{}"})
    (target / ".zattrs").chmod(0o640)
    if os.geteuid() == 0:
        os.chown(target / ".zattrs", 12345, 23456)
    before = (target / ".zattrs").stat()
    zmap = open_zmap(parse_location(str(target)), write=True)
    zmap.put(".zattrs", b'{"a": 1}')
    after = (target / ".zattrs").stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode, before.st_uid, before.st_gid
    )  # fmt: skip
    assert after.st_ino != before.st_ino


def test_an_object_that_disappears_while_the_store_is_written(tmp_path):
    target = tmp_path / "x.zarr"

    def interrupted():
        with create_zmap(parse_location(str(target))) as zmap:
            zmap.put(".zgroup", b"{}")
            zmap.put("v/0", b"1")
            (partial,) = tmp_path.glob(".ncz-*.partial")
            (partial / "v" / "0").unlink()

    with pytest.raises(
        ZmapError, match="something removed 1 of 2 objects while the store was written"
    ):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_objects_that_are_deleted_and_put_again_are_complete(tmp_path):
    target = tmp_path / "x.zarr"
    with create_zmap(parse_location(str(target))) as zmap:
        for key in ("a", "b", "c"):
            zmap.put(key, b"1")
        zmap.delete("a")
        zmap.delete("b")
        zmap.put("b", b"2")
    assert sorted(path.name for path in target.iterdir()) == ["b", "c"]
