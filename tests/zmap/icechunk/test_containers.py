"""Prefixes of the URLs of virtual chunks."""

from __future__ import annotations

import pytest

from ncz.zmap.icechunk.containers import Container, absolute_url, container_of, new_prefixes, url_of


@pytest.mark.parametrize(
    ("container", "location"),
    [
        (Container("s3://b/d/"), "s3://b/d/f.nc"),
        (Container("s3://b/d/", "data"), "vcc://data/f.nc"),
    ],
)
def test_locations_of_files(container, location):
    assert container.location("s3://b/d/f.nc") == location
    assert absolute_url(location, {container.name: container.prefix}) == "s3://b/d/f.nc"


def test_a_container_that_is_not_known():
    assert absolute_url("vcc://other/f.nc", {"data": "s3://b/"}) == "vcc://other/f.nc"


@pytest.mark.parametrize(
    ("target", "url"),
    [
        ("/d/f.nc", "file:///d/f.nc"),
        ("/d/a b%#?.nc", "file:///d/a b%25%23%3F.nc"),
        ("file:///d/f.nc", "file:///d/f.nc"),
        ("s3://b/f.nc", "s3://b/f.nc"),
        ("https://h/f.nc?x=1", "https://h/f.nc?x=1"),
    ],
)
def test_urls_of_targets(target, url):
    assert url_of(target) == url


def test_the_longest_prefix():
    known = [Container("s3://b/"), Container("s3://b/d/"), Container("file:///")]
    assert container_of("s3://b/d/f", known) is known[1]
    assert container_of("s3://b/f", known) is known[0]
    assert container_of("gs://b/f", known) is None


@pytest.mark.parametrize(
    ("urls", "prefixes"),
    [
        (["s3://b/d/1.nc", "s3://b/d/2.nc"], ["s3://b/d/"]),
        (["s3://b/d/1.nc", "s3://b/e/2.nc", "s3://c/1.nc"], ["s3://b/", "s3://c/"]),
        (["file:///d/x/1.nc", "file:///d/y/2.nc"], ["file:///d/"]),
        (["file:///d/1.nc", "file:///e/2.nc"], ["file:///d/", "file:///e/"]),
        (["file:///1.nc"], ["file:///"]),
        ([], []),
    ],
)
def test_prefixes_of_new_containers(urls, prefixes):
    assert new_prefixes(urls) == prefixes
