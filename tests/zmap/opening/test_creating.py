"""Creating a store: whole or not at all, and replaced stores."""

from __future__ import annotations

import os
import stat
import zipfile

import pytest

from ncz.errors import StoreExists, StoreMissing, UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from tests.zmap.local.test_directory import fill
from tests.zmap.opening.test_opening import OBJECTS, contents, create, read


@pytest.mark.parametrize(
    ("text", "path", "is_zip"),
    [
        ("x.zarr", "x.zarr", False),
        ("x", "x", False),
        ("x.zip", "x.zip", True),
        ("X.ZIP", "X.ZIP", True),
        ("x.anyext#mode=nczarr,zip", "x.anyext", True),
        ("x.anyext#mode=nczarr,file", "x.anyext", False),
        ("file:x.zip#mode=zarr", "x.zip", True),
        ("x.zarr/", "x.zarr", False),
    ],
)
def test_the_suffix_or_the_mode_decides(here, text, path, is_zip):
    create(text)
    assert contents(here) == [path]
    assert os.path.isfile(path) is is_zip
    assert read(path) == OBJECTS


def test_a_group_of_a_zip_file_cannot_be_created():
    create("x.zip")
    with pytest.raises(ZmapError, match="a group in a zip file cannot be created; create the wh"):
        create("zip://g::file://x.zip")
    assert read("x.zip") == OBJECTS


def test_a_directory_called_zip_is_refused(here):
    with pytest.raises(
        UrlError, match=r"mode=file creates a directory, but the name ends in \.zip"
    ):
        create("x.zip#mode=file")
    assert contents(here) == []


@pytest.mark.parametrize(
    ("text", "prefix"),
    [("x.zip", "nczarr/"), ("x.zip#mode=noxarray", "nczarr/"), ("x.zip#mode=zarr", "")],
)
def test_the_layout_of_a_zip_is_the_one_that_its_readers_need(text, prefix):
    create(text)
    with zipfile.ZipFile("x.zip") as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    assert sorted(names) == sorted(prefix + key for key in OBJECTS)


@pytest.mark.parametrize("target", ["x.zarr", "x.zip"])
def test_permissions_are_the_users(here, target):
    old = os.umask(0o027)
    try:
        create(target)
    finally:
        os.umask(old)
    wanted = 0o640 if target == "x.zip" else 0o750
    assert stat.S_IMODE(os.stat(target).st_mode) == wanted


@pytest.mark.parametrize("target", ["x.zarr", "x.zip"])
def test_nothing_has_the_name_before_it_is_whole(here, target):
    with create_zmap(parse_location(target)) as zmap:
        for key, value in OBJECTS.items():
            zmap.put(key, value)
        assert not os.path.exists(target)
        (partial,) = contents(here)
        assert partial.startswith(".ncz-")
        assert partial.endswith(".partial")
    assert contents(here) == [target]
    with pytest.raises(ZmapError, match="closed"):
        zmap.put("v/2", b"")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("target", ["x.zarr", "x.zip", "memory://x"])
def test_any_exception_leaves_nothing(here, target, error):
    def fail():
        with create_zmap(parse_location(target)) as zmap:
            zmap.put("v/0", b"1")
            raise error

    with pytest.raises(error):
        fail()
    assert contents(here) == []
    with pytest.raises(StoreMissing):
        open_zmap(parse_location(target))


@pytest.mark.parametrize("target", ["x.zarr", "x.zip"])
def test_an_old_store_outlives_a_failure(here, target):
    create(target)

    def fail():
        with create_zmap(parse_location(target), overwrite=True) as zmap:
            zmap.put(".zgroup", b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert contents(here) == [target]
    assert read(target) == OBJECTS


@pytest.mark.parametrize("target", ["x.zarr", "x.zip", "dangling"])
def test_existing_files_stay_by_default(here, target):
    os.symlink("gone", "dangling")
    if target != "dangling":
        create(target)
    with pytest.raises(StoreExists, match="already exists; use --overwrite to replace it"):
        create(target, {".zgroup": b"new"})
    with pytest.raises(FileExistsError):
        create(target)


@pytest.mark.parametrize("old", ["directory", "zip", "empty directory", "empty file"])
@pytest.mark.parametrize("new", ["x#mode=file", "x#mode=zip"])
def test_overwriting(here, old, new):
    match old:
        case "directory":
            create("x", {".zattrs": b"old", "w/.zarray": b"old", "w/0": b"old"})
        case "zip":
            create("x#mode=zip", {".zattrs": b"old"})
        case "empty directory":
            os.mkdir("x")
        case "empty file":
            (here / "x").touch()
    create(new, overwrite=True)
    assert contents(here) == ["x"]
    assert read("x") == OBJECTS


def test_overwriting_a_missing_store(here):
    create("x", overwrite=True)
    assert read("x") == OBJECTS


def test_a_link_is_replaced_and_its_target_left_alone(here):
    create("real.zarr", {".zgroup": b"real"})
    os.symlink("real.zarr", "x.zarr")
    create("x.zarr", overwrite=True)
    assert read("x.zarr") == OBJECTS
    assert not os.path.islink("x.zarr")
    assert read("real.zarr") == {".zgroup": b"real"}


def test_links_within_an_old_store_are_not_followed_when_it_is_removed(here):
    fill(here / "precious", {"data": b"1"})
    create("x.zarr")
    os.symlink("../precious", "x.zarr/linked")
    create("x.zarr", overwrite=True)
    assert (here / "precious" / "data").read_bytes() == b"1"


@pytest.mark.parametrize("name", ["home", "notes.txt", "pipe", "/", "."])
def test_other_files_are_never_overwritten(here, name):
    fill(here / "home", {"letters/a": b"1", ".bashrc": b""})
    (here / "notes.txt").write_text("notes")
    os.mkfifo("pipe")
    before = contents(here)
    with pytest.raises(StoreExists, match="will not be overwritten: it is"):
        create(name, overwrite=True)
    assert contents(here) == before
    assert contents("home") == [".bashrc", "letters"]


def test_the_current_folder_is_not_replaced_even_if_it_is_a_store(here):
    create("x.zarr")
    os.chdir("x.zarr")
    with pytest.raises(StoreExists, match="is, or contains, the current folder"):
        create(str(here / "x.zarr"), overwrite=True)


def test_a_missing_folder_is_named(here):
    with pytest.raises(ZmapError, match=f"the folder {here}/a/b does not exist; create it first"):
        create("a/b/x.zarr")
    (here / "file").touch()
    with pytest.raises(ZmapError, match=f"the folder {here}/file does not exist"):
        create("file/x.zip")
