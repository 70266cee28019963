"""An S3 server that redirects to another one gets neither keys nor tokens there."""

from __future__ import annotations

import pytest

from ncz.errors import ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.obstore_limits import LIBRARY
from ncz.zmap.remote.s3_redirects import redirect_of
from tests.servers.threads import serving

pytest.importorskip("s3fs", reason="s3fs is not installed")


@pytest.mark.parametrize(
    ("library", "token"), [("s3fs", None), ("s3fs", "of a session"), ("obstore", "of a session")]
)
def test_redirects_are_not_followed(library, token, web, monkeypatch, tmp_path, closing):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    if token:
        monkeypatch.setenv("AWS_SESSION_TOKEN", token)
    monkeypatch.setenv(LIBRARY, library)
    web.objects = {"b/x.zarr/.zgroup": b"{}"}
    with serving() as other:
        other.objects = {"b/x.zarr/secret": b"of another server"}
        web.redirects["b/x.zarr/secret"] = f"{other.endpoint}/b/x.zarr/secret?signature=1"
        zmap = closing(open_zmap(parse_location(f"{web.endpoint}/b/x.zarr#mode=s3")))
        with pytest.raises(ZmapError) as caught:
            zmap.get("secret")
        told = str(caught.value)
        assert f"{web.endpoint}/b/x.zarr: /secret: cannot read: {web.endpoint} redirects" in told
        assert f"to {other.endpoint};" in told
        assert "signature" not in told
        assert other.requests == []


@pytest.mark.parametrize(
    ("location", "server"),
    [
        ("http://user:secret@other:81/x?y#z", "http://other:81"),
        ("HTTPS://[::1]:9/x", "HTTPS://[::1]:9"),
        ("/x", None),
        ("http://\x1b[31m", None),
        ("", None),
    ],
)
def test_only_the_server_is_named(location, server):
    assert redirect_of({"location": location}) == server
