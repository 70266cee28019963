"""URLs of S3 in the form of paths."""

from __future__ import annotations

import pytest

from ncz.errors import UrlError
from ncz.zmap.s3_url import names_no_server, path_form


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("s3://b/k/x%20y/", "https://s3.eu-west-1.amazonaws.com/b/k/x%2520y"),
        ("gs3://b/k", "https://storage.googleapis.com/b/k"),
        ("https://b.s3.us-west-2.amazonaws.com/k", "https://s3.us-west-2.amazonaws.com/b/k"),
        ("https://b.storage.googleapis.com/k", "https://storage.googleapis.com/b/k"),
        ("http://localhost:9000/b//k", "http://localhost:9000/b/k"),
        ("https://b.s3.example.org/k", "https://s3.example.org/b/k"),
    ],
)
def test_forms_of_urls(url, expected):
    assert path_form(url, "eu-west-1", url) == expected


@pytest.mark.parametrize(
    ("url", "region", "message"),
    [("http://localhost:9000", None, "has no bucket"), ("s3://b/k", "a/b", "region is not valid")],
)
def test_urls_that_are_refused(url, region, message):
    with pytest.raises(UrlError, match=message):
        path_form(url, region, url)


def test_a_host_is_no_bucket():
    assert names_no_server("s3://b/k")
    assert not names_no_server("s3://s3.amazonaws.com/b/k")
    assert not names_no_server("https://b/k")
