"""Bytes that contradict the checksum that a server states are an error, not data."""

from __future__ import annotations

import base64
import hashlib

import google_crc32c
import pytest

from ncz.errors import UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.remote.checksums import WrongBytesError, check_headers, check_s3
from ncz.zmap.remote.opening import open_remote, open_remote_to_write
from ncz.zmap.remote.retry_policy import RetryPolicy

pytest.importorskip("s3fs", reason="s3fs is not installed")

QUICK = RetryPolicy(attempts=2, first_wait=0, parallel=4)
BODY = b"some bytes"


@pytest.mark.parametrize("s3_library", ["s3fs", "obstore"], indirect=True)
def test_a_download_that_contradicts_its_etag(web, faulty, closing):
    web.states_md5 = True
    zmap = closing(open_remote(parse_location(f"{faulty}#mode=s3"), retry_policy=QUICK))
    assert zmap.get("v/0") == b"0123456789" * 100
    web.damaged = {"b/k/v/0"}
    with pytest.raises(ZmapError, match=r"/v/0: cannot read: the bytes do not match the ETag"):
        zmap.get("v/0")
    location = parse_location(f"{faulty}#mode=s3&checksums=off")
    other = closing(open_remote(location, retry_policy=QUICK))
    assert other.get("v/0") == b"0123456789" * 99 + b"012345678?"


def test_uploads_carry_a_checksum(web, faulty, closing):
    web.states_md5 = True
    location = parse_location(f"{faulty}#mode=s3")
    zmap = closing(open_remote_to_write(location, retry_policy=QUICK))
    zmap.put("v/1", BODY)
    (sent,) = [headers for headers in web.headers if "Content-MD5" in headers]
    assert sent["Content-MD5"] == base64.b64encode(hashlib.md5(BODY).digest()).decode()


def write_while_one_is_lost(web, url):
    with create_zmap(parse_location(f"{url}#mode=s3")) as zmap:
        zmap.put("v/.zarray", b"{}")
        zmap.put("v/0", b"1")
        assert zmap.get("v/0") == b"1"
        del web.objects["b/k/new/v/0"]
        zmap.put(".zgroup", b"{}")


def test_an_object_that_was_not_kept_is_noticed(web, faulty):
    with pytest.raises(ZmapError, match="the server lacks 1 of 2 objects that were sent"):
        write_while_one_is_lost(web, f"{faulty}/new")
    assert not [key for key in web.objects if key.startswith("b/k/new")]


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({"content-md5": base64.b64encode(bytes(16)).decode()}, "content-md5"),
        ({"x-amz-checksum-crc32": "AAAAAA=="}, "x-amz-checksum-crc32"),
        ({"x-amz-checksum-crc32c": "AAAAAA=="}, "x-amz-checksum-crc32c"),
        ({"x-goog-hash": "md5=x,crc32c=AAAAAA=="}, "x-goog-hash"),
    ],
)
def test_wrong_checksums_in_headers(headers, name):
    with pytest.raises(WrongBytesError, match=name):
        check_headers(BODY, headers)


def test_right_checksums_in_headers():
    crc32c = base64.b64encode(google_crc32c.value(BODY).to_bytes(4, "big")).decode()
    check_headers(BODY, {"x-amz-checksum-crc32c": crc32c, "x-goog-hash": f"crc32c={crc32c}"})
    check_headers(BODY, {"x-amz-checksum-crc32c": "of-parts-12", "content-type": "x"})


@pytest.mark.parametrize(
    ("headers", "bucket"),
    [
        ({"etag": '"0123456789abcdef0123456789abcdef-2"'}, "b"),
        ({"etag": "0" * 32, "x-amz-server-side-encryption": "aws:kms"}, "b"),
        ({"etag": "0" * 32, "x-amz-server-side-encryption-customer-algorithm": "AES256"}, "b"),
        ({"etag": "0" * 32}, "b--use1-az4--x-s3"),
        (
            {
                "etag": f'"{hashlib.md5(BODY).hexdigest()}"',
                "x-amz-server-side-encryption": "AES256",
            },
            "b",
        ),
        ({}, "b"),
    ],
)
def test_etags_that_are_no_md5_are_not_compared(headers, bucket):
    check_s3(BODY, headers, bucket)


def test_an_etag_that_is_an_md5_is_compared():
    with pytest.raises(WrongBytesError, match="ETag"):
        check_s3(BODY, {"etag": '"' + "0" * 32 + '"'}, "b")


def test_only_on_and_off():
    with pytest.raises(UrlError, match="neither on nor off"):
        parse_location("s3://b/k#checksums=maybe")


def test_on_a_web_server(web, closing, monkeypatch):
    """A checksum in the header of a plain response."""
    web.objects = {"b/k/.zgroup": b"{}"}
    zmap = closing(open_zmap(parse_location(f"{web.endpoint}/b/k")))
    assert zmap.get(".zgroup") == b"{}"
