"""Files that are not stores are named, with a hint: on the disk, on web servers and on S3."""

from __future__ import annotations

import contextlib

import pytest

from ncz.errors import ForeignFile, ZmapError
from ncz.zmap.foreign import SIGNATURES
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.retry_policy import RetryPolicy

KINDS = {
    f"{magic!r} at {offset}": (bytes(offset) + magic + bytes(300), title, hint)
    for offset, magic, title, hint in SIGNATURES
}
"""The magic bytes of each format, and its name."""


def check_named(url: str, title: str, hint: str) -> None:
    with pytest.raises(ForeignFile) as caught:
        open_zmap(parse_location(url))
    assert caught.value.message == f"this is {title}, not a Zarr store"
    assert caught.value.hint == hint.replace("{path}", "FILE" if "://" in url else url)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "ustar" not in kind])
def test_on_the_disk(tmp_path, kind):  # a tar archive that is a store
    content, title, hint = KINDS[kind]
    (tmp_path / "data").write_bytes(content)
    check_named(f"{tmp_path}/data", title, hint)


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_web_server(web, kind):
    content, title, hint = KINDS[kind]
    web.objects = {"data": content}
    check_named(f"{web.endpoint}/data", title, hint)


@pytest.mark.parametrize("s3_library", ["obstore"], indirect=True)
def test_on_s3(s3, s3_library):
    url = f"{s3}/data#mode=s3"
    objects, path, _ = connect(parse_location(url), RetryPolicy())
    with contextlib.closing(objects):
        for content, title, hint in {kind[1]: kind for kind in KINDS.values()}.values():
            objects.put(path, content)
            check_named(url, title, hint)


@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html>\n<title>Index of /", b"<?xml version='1.0'?><ListBucketResult/>"]
)
def test_a_page_that_a_server_sends_for_a_folder_is_not_taken_for_the_store(web, page):
    web.objects = {"data": page, "data/.zmetadata": b'{"metadata": {}}'}
    zmap = open_zmap(parse_location(f"{web.endpoint}/data"))
    with contextlib.closing(zmap):
        assert zmap.get(".zmetadata") == b'{"metadata": {}}'


@pytest.mark.parametrize("name", ["stations.csv", "a.TSV"])
def test_a_table_is_named_with_a_program_that_reads_it(tmp_path, name):
    (tmp_path / name).write_text("station,lat\nA,50\n")
    with pytest.raises(ZmapError, match=r"this is a table \(CSV\).*pandas.read_csv"):
        open_zmap(parse_location(str(tmp_path / name)))
