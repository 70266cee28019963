"""Opening what is there, and creating whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import zipfile

import pytest

from ncz.errors import NczError, StoreExists, StoreMissing, UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from tests.zmap.local.test_directory import fill

OBJECTS = {"v/0": b"1", "v/.zarray": b"{}", ".zgroup": b"{}"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty current folder, and no memory stores."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("ncz.zmap.memory.STORES", {})
    return tmp_path / "here"


def create(text, objects=OBJECTS, **options):
    with create_zmap(parse_location(text), **options) as zmap:
        for key, value in objects.items():
            zmap.put(key, value)


def read(text):
    zmap = open_zmap(parse_location(text))
    objects = {key: zmap.get(key) for key in zmap.walk()}
    zmap.close()
    return objects


def contents(folder):
    return sorted(os.listdir(folder))


# ---- opening


def test_an_empty_zip_is_an_empty_store(here):
    zipfile.ZipFile("x.anything", "w").close()
    assert read("x.anything") == {}


def test_a_directory_that_is_no_store_is_opened(here):
    fill(here / "d", {"readme": b"hello"})
    assert read("d") == {"readme": b"hello"}


@pytest.mark.parametrize("root", [".zgroup", ".zattrs", ".zarray", ".nczarr", "zarr.json"])
def test_a_directory_with_a_single_store_is_that_store(here, root):
    objects = {root: b"{}", "v/0": b"1"}
    fill(here / "d/x.zarr", objects)
    fill(here / "d", {".DS_Store": b"?"})
    assert read("d") == objects
    assert read("d#mode=file") == objects


@pytest.mark.parametrize("other", ["README", "y.zarr/.zgroup", ".zgroup"])
def test_a_directory_with_a_store_and_something_else_is_itself(here, other):
    objects = {"x.zarr/.zgroup": b"{}", "x.zarr/v/0": b"1", other: b"{}"}
    fill(here / "d", objects)
    assert read("d") == objects


def test_a_linked_store_is_not_that_of_its_folder(here):
    fill(here / "x.zarr", OBJECTS)
    (here / "d").mkdir()
    (here / "d/x.zarr").symlink_to(here / "x.zarr")
    with pytest.raises(ZmapError, match="a symbolic link leads out of the store"):
        read("d")


def test_what_it_is_does_not_depend_on_its_name(here):
    create("a#mode=zip")
    create("b")
    os.rename("a", "a.zarr")
    os.rename("b", "b.zip")
    assert read("a.zarr") == read("b.zip") == OBJECTS
    assert read("a.zarr#mode=zip") == read("b.zip#mode=file") == OBJECTS


@pytest.mark.parametrize("text", ["gone", "gone/x.zarr", "file:///gone/x#mode=zip"])
def test_a_missing_store(text):
    with pytest.raises(StoreMissing, match="no store exists at this path; check the path"):
        open_zmap(parse_location(text))


def test_a_link_to_nowhere(here):
    (here / "x.zarr").symlink_to("gone")
    with pytest.raises(StoreMissing, match=r"x\.zarr: the symbolic link is broken"):
        open_zmap(parse_location("x.zarr"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "this file is empty"),
        (b"netcdf x {}", "neither a directory nor a zip"),
        (
            b"CDF\x01....",
            "a netCDF classic file, not a Zarr store; copy it to Zarr",
        ),
        (b"\x89HDF\r\n\x1a\n", "a netCDF-4 or HDF5 file, not a Zarr store"),
        (b"\x0e\x03\x13\x01....", "this is an HDF4 file, not a Zarr store; convert it"),
        (b"GRIB\0\0\0\2", "this is a GRIB file, not a Zarr store; convert it to netCDF first"),
        (b"BUFR....", "this is a BUFR file"),
        (b"II*\0....", "this is a TIFF file, not a Zarr store; convert it to Zarr with GDAL"),
        (b"MM\0*....", "this is a TIFF file"),
        (b"II+\0....", "this is a BigTIFF file"),
        (b"PAR1....", "this is a Parquet table"),
        (b"\xcd\xf3\0\1....", "this is a file of NASA's CDF"),
        (b"SIMPLE  =   T", "this is a FITS file"),
        (b"\x93NUMPY\1\0", "this is a numpy array"),
        (b"ARROW1\0\0", "this is an Arrow file"),
        (b"\x89PNG\r\n\x1a\n....", "this is a PNG image"),
        (b"\xff\xd8\xff\xe0", "this is a JPEG image"),
        (b"%PDF-1.7", "this is a PDF document"),
        (b"SQLite format 3\0", "this is an SQLite database"),
        (b"\x04\x22\x4d\x18", "compressed with lz4"),
        (b"\x1f\x8b\x08....", "compressed with gzip, not a Zarr store; decompress it first"),
        (b"BZh91AY", "compressed with bzip2"),
        (b"\xfd7zXZ\0\0", "compressed with xz"),
        (b"\x28\xb5\x2f\xfd..", "compressed with zstd"),
        (b"<!DOCTYPE html><html>", "this is a web page, not a Zarr store; check the URL"),
    ],
)
def test_other_files(here, content, says):
    (here / "x").write_bytes(content)
    with pytest.raises(ZmapError, match=says):
        open_zmap(parse_location("x"))


def test_a_device_is_no_store():
    with pytest.raises(ZmapError, match="neither a directory nor a zip"):
        open_zmap(parse_location(os.devnull))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("d#mode=zip", "the URL has mode=zip, but this is a directory; leave out the mode"),
        ("z.zip#mode=file", "the URL has mode=file, but this is a zip file"),
    ],
)
def test_a_mode_that_is_not_so(text, says):
    create("d")
    create("z.zip")
    with pytest.raises(UrlError, match=says):
        open_zmap(parse_location(text))


def test_a_directory_can_be_changed_in_place_and_a_zip_cannot():
    create("d")
    create("z.zip")
    zmap = open_zmap(parse_location("d"), write=True)
    zmap.put(".zmetadata", b"{}")
    assert read("d") == {**OBJECTS, ".zmetadata": b"{}"}
    with pytest.raises(ZmapError, match="a zip file cannot be changed in place"):
        open_zmap(parse_location("z.zip"), write=True)


def test_memory_stores_live_under_their_names():
    create("memory://a")
    assert read("memory://a") == OBJECTS
    with pytest.raises(StoreMissing, match="memory://b: no store with this name"):
        open_zmap(parse_location("memory://b"))
    with pytest.raises(StoreExists, match="use --overwrite"):
        create("memory://a")
    create("memory://a", {".zgroup": b"new"}, overwrite=True)
    assert read("memory://a") == {".zgroup": b"new"}


# ---- creating


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
def test_what_is_there_stays_unless_told_otherwise(here, target):
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
            create("x", {".zattrs": b"old", "w/0": b"old"})
        case "zip":
            create("x#mode=zip", {".zattrs": b"old"})
        case "empty directory":
            os.mkdir("x")
        case "empty file":
            (here / "x").touch()
    create(new, overwrite=True)
    assert contents(here) == ["x"]
    assert read("x") == OBJECTS


def test_overwriting_what_is_not_there(here):
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
def test_what_is_no_store_is_never_overwritten(here, name):
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


def test_a_target_that_comes_while_we_write_is_left_alone(here):
    def race(target):
        with create_zmap(parse_location(target)) as zmap:
            zmap.put(".zgroup", b"ours")
            create(target, {".zgroup": b"theirs"})

    for target in ("x.zarr", "x.zip"):
        with pytest.raises(StoreExists):
            race(target)
        assert read(target) == {".zgroup": b"theirs"}
    assert contents(here) == ["x.zarr", "x.zip"]


def test_the_old_store_is_put_back_if_the_new_cannot_take_its_place(here, monkeypatch):
    create("x.zarr")
    rename = os.rename

    def fail_for_the_new(source, target):
        if target.endswith("x.zarr") and contents(source) != contents_before:
            raise OSError(errno.EIO, "Input/output error")
        rename(source, target)

    contents_before = contents("x.zarr")
    monkeypatch.setattr(os, "rename", fail_for_the_new)
    with pytest.raises(ZmapError, match=r"x\.zarr: cannot write: Input/output error"):
        create("x.zarr", {".zattrs": b"new"}, overwrite=True)
    assert contents(here) == ["x.zarr"]
    assert read("x.zarr") == OBJECTS


def test_an_old_store_that_cannot_be_removed_is_told(here, monkeypatch):
    create("x.zarr")

    def refuse(path):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(ZmapError, match="the new store is in place, but the old one could not"):
        create("x.zarr", {".zgroup": b"new"}, overwrite=True)
    assert read("x.zarr") == {".zgroup": b"new"}


# ---- a disk that refuses


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

    monkeypatch.setattr("zipfile.ZipFile.writestr", full)
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


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_short_write_is_no_success(here):
    from ncz.zmap.local.content import write_all

    full = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(OSError, match="No space left"):
        write_all(full, b"x" * 100)
    os.close(full)


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


def test_an_unfinished_store_is_opened_at_its_root(here):
    """Processes of a cluster write to it while it has the objects of one array alone."""
    fill(here / ".ncz-0.partial", {"v/.zarray": b"{}"})
    with contextlib.closing(open_zmap(parse_location(".ncz-0.partial"), write=True)) as zmap:
        zmap.put("v/0", b"1")
    assert (here / ".ncz-0.partial" / "v" / "0").read_bytes() == b"1"
