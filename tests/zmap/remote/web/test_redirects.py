"""A web server redirects only to itself, unless the user permits more."""

from __future__ import annotations

import pytest

from ncz.errors import ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.servers.threads import serving

pytest.importorskip("aiohttp", reason="aiohttp is not installed")

WAYS = ["", "simplecache::", "fsspec+"]
"""Ways to read a web server: by ncz, through a cache of fsspec, and through fsspec."""


@pytest.fixture
def other():
    with serving() as served:
        served.objects = {"x.zarr/secret": b"of another server"}
        yield served


@pytest.fixture
def store(web, other, monkeypatch, tmp_path):
    """A store on a web server that redirects one key to another server."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NCZ_ALLOW_TARGETS", raising=False)
    web.objects = {"x.zarr/.zgroup": b"{}", "x.zarr/moved": b"moved"}
    web.redirects["x.zarr/secret"] = f"{other.endpoint}/x.zarr/secret?signature=1"
    return f"{web.endpoint}/x.zarr"


@pytest.mark.parametrize("way", WAYS)
def test_a_redirect_to_another_server_is_refused(store, other, way, closing):
    zmap = closing(open_zmap(parse_location(way + store)))
    with pytest.raises(ZmapError) as caught:
        zmap.get("secret")
    told = str(caught.value)
    assert f"the web server redirects to another server, {other.endpoint}/x.zarr/secret" in told
    assert f"if you trust the server, add --allow-target {other.endpoint}/" in told
    assert store in told
    assert "signature" not in told
    assert other.requests == []


@pytest.mark.parametrize("way", WAYS)
def test_the_user_permits_a_server(store, other, way, closing):
    allowed = {"reference.allow_target": f"{other.endpoint}/x.zarr"}
    zmap = closing(open_zmap(parse_location(way + store, options=allowed)))
    assert zmap.get("secret") == b"of another server"


def test_a_prefix_permits_no_other_path(store, other, closing):
    allowed = {"reference.allow_target": f"{other.endpoint}/x"}
    zmap = closing(open_zmap(parse_location(store, options=allowed)))
    with pytest.raises(ZmapError, match="redirects to another server"):
        zmap.get("secret")


def test_a_permitted_server_redirects_no_further(store, web, other, closing):
    with serving() as third:
        other.redirects["x.zarr/secret"] = f"{third.endpoint}/x"
        allowed = {"reference.allow_target": f"{other.endpoint}/"}
        zmap = closing(open_zmap(parse_location(store, options=allowed)))
        with pytest.raises(ZmapError, match=f"another server, {third.endpoint}/x"):
            zmap.get("secret")
        assert third.requests == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("to", ["/x.zarr/moved", "moved", "{}/x.zarr/moved"])
def test_a_redirect_within_the_server_is_followed(store, web, way, to, closing):
    web.redirects["x.zarr/v"] = to.format(web.endpoint)
    zmap = closing(open_zmap(parse_location(way + store)))
    assert zmap.get("v") == b"moved"


@pytest.mark.parametrize("to", ["file:///etc/passwd", "//[::1]:9/x", "ftp://127.0.0.1/x"])
def test_other_places_are_refused(store, web, to, closing):
    web.redirects["x.zarr/v"] = to
    zmap = closing(open_zmap(parse_location(store)))
    with pytest.raises(ZmapError, match="redirects to"):
        zmap.get("v")
