"""Files on servers that are not stores: each is named by its first bytes."""

from __future__ import annotations

import contextlib

import pytest

from ncz.errors import ForeignFile
from ncz.zmap.file.foreign import SIGNATURES
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.requests.objects import RetryPolicy


def check_named(url: str, title: str, hint: str) -> None:
    with pytest.raises(ForeignFile) as caught:
        open_zmap(parse_location(url))
    assert caught.value.message == f"this is {title}, not a Zarr store"
    assert caught.value.hint == hint


def test_on_a_web_server(web):
    for magic, title, hint in SIGNATURES:
        web.objects = {"data": magic + bytes(100)}
        check_named(f"{web.endpoint}/data", title, hint)


ON_S3 = (b"GRIB", b"\x0e\x03\x13\x01", b"II*\0", b"PAR1", b"\x89PNG\r\n\x1a\n", b"\x1f\x8b")
"""Some of the formats: a store on S3 is looked for with many requests."""


@pytest.mark.parametrize("s3_library", ["obstore"], indirect=True)
def test_on_s3(s3, s3_library):
    url = f"{s3}/data#mode=s3"
    objects, path, _ = connect(parse_location(url), RetryPolicy())
    with contextlib.closing(objects):
        for magic, title, hint in (known for known in SIGNATURES if known[0] in ON_S3):
            objects.put(path, magic + bytes(100))
            check_named(url, title, hint)
