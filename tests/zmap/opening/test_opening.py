"""Opening existing stores."""

from __future__ import annotations

import contextlib
import os
import zipfile

import pytest

from ncz.errors import StoreExists, StoreMissing, UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from tests.zmap.local.test_directory import fill

OBJECTS = {"v/0": b"1", "v/.zarray": b"{}", ".zgroup": b"{}"}


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


def test_a_linked_store_does_not_belong_to_its_folder(here):
    fill(here / "x.zarr", OBJECTS)
    (here / "d").mkdir()
    (here / "d/x.zarr").symlink_to(here / "x.zarr")
    with pytest.raises(ZmapError, match="a symbolic link leads out of the store"):
        read("d")


def test_the_kind_does_not_depend_on_the_name(here):
    create("a#mode=zip")
    create("b")
    os.rename("a", "a.zarr")
    os.rename("b", "b.zip")
    assert read("a.zarr") == read("b.zip") == OBJECTS
    assert read("a.zarr#mode=zip") == read("b.zip#mode=file") == OBJECTS


@pytest.mark.parametrize("text", ["gone", "gone/far/x.zarr", "file:///gone/far/x#mode=zip"])
def test_a_missing_store(text):
    with pytest.raises(StoreMissing, match="no file or store exists at this path; check the path"):
        open_zmap(parse_location(text))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("gone/x.zarr", "the folder 'gone' does not exist"),
        ("days/june_2020", "did you mean 'days/june_2020.nc'"),
        ("days/jnue_2020.nc", "did you mean 'days/june_2020.nc'"),
        ("days/ju*.nc4", "no file matches this pattern"),
        ("days/JUNE_2020.NC", "did you mean 'days/june_2020.nc'"),
        ("days\\june_2020.nc", "did you mean 'days/june_2020.nc'"),
        ("Weather.zarr", "did you mean 'weather.zarr'"),
        ("days/other", "check the path"),
    ],
)
@pytest.mark.skipif(os.sep != "/", reason="names have other separators")
def test_a_missing_store_whose_path_is_like_another(here, text, hint):
    (here / "days").mkdir()
    (here / "days/june_2020.nc").touch()
    (here / "weather.zarr").mkdir()
    with pytest.raises(StoreMissing) as caught:
        open_zmap(parse_location(text))
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\x1f\x8b\x08....", "gzip -dk 'my data'"),
        (b"BZh91AY", "bzip2 -dk 'my data'"),
        (b"II*\0....", "gdal_translate -of Zarr 'my data' OUT.zarr"),
        (b"GRIB\0\0\0\2", "cdo -f nc4 copy 'my data' OUT.nc"),
    ],
)
def test_the_line_for_another_file_has_its_path(here, content, line):
    (here / "my data").write_bytes(content)
    with pytest.raises(ZmapError) as caught:
        open_zmap(parse_location("my data"))
    assert line in str(caught.value)


def test_a_link_to_nowhere(here):
    (here / "x.zarr").symlink_to("gone")
    with pytest.raises(StoreMissing, match=r"x\.zarr: the symbolic link is broken"):
        open_zmap(parse_location("x.zarr"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "this file is empty"),
        (b"netcdf x {}", "CDL text of netCDF, not a Zarr store; make a dataset of it first"),
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


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("notes.txt", "not a dataset that ncz knows; give a netCDF or HDF5 file, a Zarr store"),
        ("x.nc", "the suffix is for a netCDF file, but the file is not one"),
        ("x.h5", "the suffix is for an HDF5 file, but the file is not one"),
        ("x.zip", "the suffix is for a zip file, but the file is not one"),
    ],
)
def test_a_file_that_is_no_dataset(here, name, says):
    (here / name).write_text("a text")
    with pytest.raises(ZmapError, match=says):
        open_zmap(parse_location(name))


def test_a_pattern_that_the_shell_did_not_expand(here):
    for name in ("b1.nc", "b2.nc"):
        (here / name).touch()
    with pytest.raises(StoreMissing, match=r"it matches 2 paths: b1\.nc, b2\.nc; name one"):
        open_zmap(parse_location("b*.nc"))
    with pytest.raises(StoreMissing, match=r"did you mean 'b1\.nc'\?"):
        open_zmap(parse_location("b1*"))
    with pytest.raises(StoreMissing, match="check the path"):
        open_zmap(parse_location("c*.nc"))


def test_a_device_is_no_store():
    with pytest.raises(ZmapError, match="neither a directory nor a file"):
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


def test_an_unfinished_store_is_opened_at_its_root(here):
    """Processes of a cluster write to it while it has the objects of one array alone."""
    fill(here / ".ncz-0.partial", {"v/.zarray": b"{}"})
    with contextlib.closing(open_zmap(parse_location(".ncz-0.partial"), write=True)) as zmap:
        zmap.put("v/0", b"1")
    assert (here / ".ncz-0.partial" / "v" / "0").read_bytes() == b"1"
