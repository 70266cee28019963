"""Chained URLs, groups within zip files, and stores at the root of a server, opened."""

from __future__ import annotations

import zipfile
from typing import Any

import pytest

from ncz.errors import StoreMissing, UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.memory import STORES
from ncz.zmap.opening import create_zmap, open_zmap

STORE = {".zgroup": b"{}", "g/.zgroup": b'{"g": 1}', "g/h/.zgroup": b'{"h": 1}', "g/h/v/0": b"01"}


@pytest.fixture(params=["root", "folder"])
def archive(request, tmp_path):
    """A zip file with the store at its root, or below a folder as netcdf-c writes it."""
    path = tmp_path / "a.zip"
    folder = "" if request.param == "root" else "nczarr/"
    with zipfile.ZipFile(path, "w") as file:
        for key, value in STORE.items():
            file.writestr(folder + key, value)
    return path


def content(text):
    zmap = open_zmap(parse_location(text))
    found = {key: zmap.get(key) for key in zmap.walk()}
    zmap.close()
    return found


def below(folder):
    length = len(folder)
    return {key[length:]: value for key, value in STORE.items() if key.startswith(folder)}


@pytest.mark.parametrize(
    ("form", "folder"),
    [
        ("{0}/g", "g/"),
        ("{0}/g/", "g/"),
        ("{0}/g/h", "g/h/"),
        ("{0}/g/./h#mode=zip", "g/h/"),
        ("file://{0}/g", "g/"),
        ("zip://g::file://{0}", "g/"),
        ("zip://g/h::{0}", "g/h/"),
        ("zip://::file://{0}", ""),
    ],
)
def test_a_group_within_a_zip_file(archive, form, folder):
    assert content(form.format(archive)) == below(folder)


def test_a_folder_of_the_zip_file_that_contains_the_store(tmp_path):
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as file:
        for store in ("a.zarr", "b.zarr"):
            file.writestr(f"{store}/.zgroup", store)
    assert content(f"zip://b.zarr::file://{path}") == {".zgroup": b"b.zarr"}
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("nczarr/.zgroup", b"{}")
    assert content(f"zip://nczarr::file://{path}") == {".zgroup": b"{}"}


def test_a_group_that_is_not_there(archive):
    with pytest.raises(StoreMissing, match="the zip file has no group gg; list it with 'ncz ls'"):
        open_zmap(parse_location(f"{archive}/gg"))
    with pytest.raises(StoreMissing, match="no file or store exists at this path"):
        open_zmap(parse_location(f"{archive.parent}/b.zip/g"))
    (archive.parent / "text").write_bytes(b"no zip file")
    with pytest.raises(StoreMissing, match="no file or store exists at this path"):
        open_zmap(parse_location(f"{archive.parent}/text/g"))


def test_a_group_in_a_zip_file_cannot_be_created(tmp_path):
    location = parse_location(f"zip://g::file://{tmp_path}/new.zip")
    with pytest.raises(ZmapError, match="cannot be created"), create_zmap(location):
        pass
    assert not list(tmp_path.iterdir())
    with create_zmap(parse_location(f"zip://::file://{tmp_path}/new.zip")) as zmap:
        zmap.put(".zgroup", b"{}")
    assert content(str(tmp_path / "new.zip")) == {".zgroup": b"{}"}


def test_a_dataset_is_dumped_from_a_group_as_from_a_directory(run, tmp_path):
    cdl = b"netcdf x { group: g { dimensions: d = 2 ; variables: int v(d) ; data: v = 1, 2 ; } }"
    for name in ("a.zarr", "a.zip"):
        assert run("gen", "-", "-o", tmp_path / name, stdin=cdl).code == 0
    dumps = [run("dump", tmp_path / name / "g") for name in ("a.zarr", "a.zip")]
    assert dumps[0].code == dumps[1].code == 0
    assert dumps[0].text == dumps[1].text
    assert dumps[0].text.startswith("netcdf g {")
    assert "v = 1, 2 ;" in dumps[0].text


def test_the_store_of_memory_without_a_name(run):
    assert run("gen", "-", "-o", "memory://", stdin=b"netcdf x { :a = 1 ; }").code == 0
    try:
        assert run("dump", "memory://").text.startswith("netcdf memory {")
    finally:
        del STORES[""]


class TestServers:
    """On a web server, and on S3."""

    @pytest.fixture(autouse=True)
    def needed(self):
        pytest.importorskip("aiohttp", reason="aiohttp is not installed")

    def test_a_store_at_the_root_of_a_web_server(self, web, run):
        group = b'{"zarr_format": 2}'
        listed = b'{"zarr_consolidated_format": 1, "metadata": {".zgroup": ' + group + b"}}"
        web.objects = {".zgroup": group, ".zmetadata": listed}
        done = run("dump", web.endpoint)
        assert done.code == 0, done.stderr
        assert done.text.startswith("netcdf \\127.0.0.1 {")

    def test_a_store_at_the_root_of_a_bucket(self, web, run, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))
        web.objects = {"bucket/.zgroup": b'{"zarr_format": 2}'}
        done = run("dump", "s3://bucket", "--endpoint-url", web.endpoint, "--anon")
        assert done.code == 0, done.stderr
        assert done.text.startswith("netcdf bucket {")

    def test_a_group_within_a_zip_file_of_a_server(self, web, archive):
        web.objects = {"data/a.zip": archive.read_bytes()}
        for form in ("{0}/data/a.zip/g", "zip://g::{0}/data/a.zip"):
            assert content(form.format(web.endpoint)) == below("g/")

    def test_a_zip_file_whose_name_does_not_say_so(self, web, archive):
        web.objects = {"data/archive": archive.read_bytes()}
        assert content(f"{web.endpoint}/data/archive") == STORE
        assert content(f"zip://g::{web.endpoint}/data/archive") == below("g/")

    @pytest.mark.parametrize("ranges", [True, False])
    @pytest.mark.parametrize(
        ("first", "says"),
        [
            (b"CDF\1", "this is a netCDF classic file, not a Zarr store"),
            (b"\x89HDF\r\n\x1a\n", "this is a netCDF-4 or HDF5 file, not a Zarr store"),
            (b"<html>", "this is a web page, not a Zarr store"),
        ],
    )
    def test_the_first_bytes_of_a_file_show_its_format(self, web, ranges, first, says):
        web.objects = {"x.nc": first + b"\0" * 100}
        web.ranges = ranges
        with pytest.raises(ZmapError, match=says):
            open_zmap(parse_location(f"{web.endpoint}/x.nc"))

    @pytest.mark.parametrize("cache", ["simplecache", "filecache"])
    def test_a_store_through_a_cache_of_fsspec(self, web, monkeypatch, tmp_path, cache):
        monkeypatch.setenv("HOME", str(tmp_path))
        web.objects = {f"bucket/x.zarr/{key}": value for key, value in STORE.items()}
        text = f"{cache}::s3://bucket/x.zarr#aws.anon=true&aws.endpoint_url={web.endpoint}"
        zmap = open_zmap(parse_location(text))
        assert {key: zmap.get(key) for key in STORE} == STORE
        assert zmap.get("gone") is None
        assert zmap.url == f"{cache}::s3://bucket/x.zarr"
        zmap.close()


def test_a_password_in_an_error_of_fsspec_is_not_shown(monkeypatch, tmp_path):
    fsspec: Any = pytest.importorskip("fsspec", reason="fsspec is not installed")

    class Telling(fsspec.AbstractFileSystem):  # type: ignore[misc]
        protocol = "telling"

        def __init__(self, password, **options):
            super().__init__(**options)
            self.password = password

        def cat_file(self, path, **options):
            raise ValueError(f"wrong password {self.password} for {path}")

    fsspec.register_implementation("telling", Telling, clobber=True)
    with pytest.raises(ZmapError, match="cannot read: ValueError") as caught:
        open_zmap(parse_location("telling://h/x#fsspec.password=hidden"))
    assert "hidden" not in str(caught.value)
    with pytest.raises(UrlError, match="contradicts"):
        parse_location("telling://h/x#fsspec.password=hidden&mode=file,zip")
