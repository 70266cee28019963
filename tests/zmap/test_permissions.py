"""Permissions of a reference set that an attacker wrote."""

from __future__ import annotations

import os

import pytest

from ncz.errors import UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.permissions import (
    Permissions,
    RemotePlace,
    allowed_prefixes,
    local_path,
    parse_remote,
)
from tests.zmap.reference.sets import open_set, write_set


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for sets, next to a secret file; no configuration."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NCZ_ALLOW_TARGETS", raising=False)
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "sets" / ".ssh").mkdir(parents=True)
    (tmp_path / "sets" / ".ssh" / "id_rsa").write_bytes(b"secret")
    (tmp_path / "sets" / "x.zarr").mkdir()
    (tmp_path / "sets" / "x.zarr" / ".zattrs").write_bytes(b"{}")
    (tmp_path / "sets" / "data.nc").write_bytes(b"0123456789")
    return tmp_path / "sets"


def get(folder, url, **options):
    zmap = open_set(write_set(folder / "refs.json", {"k": [url]}), **options)
    try:
        return zmap.get("k")
    finally:
        zmap.close()


def test_a_name_that_no_file_can_have(folder):
    with pytest.raises(ZmapError, match="leads to a name that is not valid Unicode"):
        get(folder, "\ud800.nc")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "/etc/passwd",
        "file:/etc/passwd",
        "file://localhost/etc/passwd",
        "local:///etc/passwd",
        "../secret",
        "data/../../secret",
        "file:../secret",
        "x.zarr/../../secret",
    ],
)
def test_files_outside_the_folder(folder, url):
    with pytest.raises(ZmapError, match="leads to a file outside the folder of the set"):
        get(folder, url)


def test_a_file_that_was_moved_with_the_set(folder):
    with pytest.raises(ZmapError) as caught:
        get(folder, "../secret")
    assert "edit" not in str(caught.value)
    (folder / "secret").write_bytes(b"moved")
    with pytest.raises(ZmapError) as caught:
        get(folder, "../secret")
    line = f"'ncz edit' with --move-sources {folder.parent}={folder}"
    assert f"if secret was moved with the set, use {line}; " in str(caught.value)


def test_a_link_that_leads_out(folder):
    (folder / "link.nc").symlink_to("../secret")
    (folder / "up").symlink_to("..")
    for url in ("link.nc", "up/secret"):
        with pytest.raises(ZmapError, match="leads to a file outside the folder of the set"):
            get(folder, url)


def test_hidden_files(folder):
    (folder / "link").symlink_to(".ssh/id_rsa")
    for url in (".ssh/id_rsa", "link", "x.zarr/../.ssh/id_rsa"):
        with pytest.raises(ZmapError, match="leads to a hidden file"):
            get(folder, url)
    assert get(folder, "x.zarr/.zattrs") == b"{}"


def test_a_set_in_the_root_folder_may_lead_nowhere():
    permissions = Permissions(None, "/")
    with pytest.raises(ZmapError, match="a file outside the folder"):
        permissions.check_file("/etc/passwd", "/refs.json")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/x",
        "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
        "http://[::1]/x",
        "http://localhost/x",
        "http://2130706433/x",
        "https://example.org/x",
        "s3://bucket/key",
        "gs://bucket/key",
        "memory://x",
    ],
)
def test_servers(folder, url):
    with pytest.raises(ZmapError, match="leads to another server") as error:
        get(folder, url)
    assert "add --allow-target " in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "s3://bucket/k#aws.endpoint_url=http://evil/::x",
        "simplecache::file:///etc/passwd",
        "zip://x::file:///etc/passwd",
        "reference://::file:///etc/passwd",
        "s3://bucket/x::file:///etc/passwd",
        "http://user@host/x",
        "http://user:password@host/x",
        "http://good.example\\@evil.example/x",
        "http:///x",
        "s3:///key",
        "http://host/%2e%2e/x",
        "http://host/a/../x",
        "s3://bucket/../other/key",
        "http://host/\r\nX-Header: 1",
    ],
)
def test_urls_that_are_not_simple(folder, url):
    with pytest.raises(UrlError, match="the URL of a target"):
        get(folder, url, allow_target="s3://bucket/ http://host/ http://good.example/")


def test_a_fragment_in_an_s3_url_chooses_nothing():
    place = parse_remote("s3://bucket/k#aws.endpoint_url=http:evil")
    assert place == RemotePlace("s3", "bucket", "k#aws.endpoint_url=http:evil")


def test_the_permitted_targets_of_the_user(folder, tmp_path, monkeypatch):
    secret = str(tmp_path / "secret")
    assert get(folder, secret, allow_target=str(tmp_path)) == b"secret"
    assert get(folder, "../secret", allow_target=f"file://{tmp_path}/") == b"secret"
    assert get(folder, "../secret", allow_target=f"s3://b {secret}") == b"secret"
    assert get(folder, ".ssh/id_rsa", allow_target=str(folder / ".ssh")) == b"secret"
    with pytest.raises(ZmapError, match="a file outside"):
        get(folder, secret, allow_target=str(tmp_path / "sec"))
    monkeypatch.setenv("NCZ_ALLOW_TARGETS", str(tmp_path))
    assert get(folder, secret) == b"secret"


def test_a_blank_in_a_prefix(folder, tmp_path):
    (tmp_path / "my data").mkdir()
    (tmp_path / "my data" / "x").write_bytes(b"x")
    allowed = str(tmp_path / "my data").replace(" ", "%20")
    assert get(folder, "../my data/x", allow_target=allowed) == b"x"


def test_the_ncrc_of_the_user_permits_and_the_one_of_the_working_folder_does_not(
    folder, tmp_path, monkeypatch
):
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(folder)
    (folder / ".ncrc").write_text(f"NCZ.ALLOW_TARGET={tmp_path}\n")
    with pytest.raises(ZmapError, match="a file outside"):
        get(folder, "../secret")
    (tmp_path / "home" / ".ncrc").write_text(f"NCZ.ALLOW_TARGET={tmp_path}\n")
    assert get(folder, "../secret") == b"secret"


@pytest.mark.parametrize("prefix", ["http://", "s3:", "https:///", "file://"])
def test_a_prefix_must_name_something(prefix):
    with pytest.raises(UrlError, match="must name a folder, a host or a bucket"):
        allowed_prefixes(parse_location("x.json"), {"NCZ_ALLOW_TARGETS": prefix})


@pytest.mark.parametrize(
    ("prefix", "url", "is_allowed"),
    [
        ("s3://bucket", "s3://bucket/k", True),
        ("s3://bucket/", "s3://bucket/k", True),
        ("s3://bucket/a", "s3://bucket/a/k", True),
        ("s3://bucket/a", "s3://bucket/a", True),
        ("s3://bucket/a", "s3://bucket/ab", False),
        ("s3://bucket", "s3://bucket2/k", False),
        ("http://host/", "https://host/k", False),
        ("http://host/", "http://host:8080/k", False),
        ("http://HOST/", "http://Host/k", True),
        ("https://host/a/", "https://host/b", False),
    ],
)
def test_prefixes_of_servers(prefix, url, is_allowed):
    permissions = Permissions(None, "/tmp", (prefix,))
    place = parse_remote(url)
    assert place is not None
    if is_allowed:
        permissions.check_remote(place, "x")
    else:
        with pytest.raises(ZmapError, match="another server"):
            permissions.check_remote(place, "x")


def test_a_set_on_a_server_may_lead_to_its_own_host_only():
    permissions = Permissions(RemotePlace("https", "host:8080", "sets/refs.json"), None)
    permissions.check_redirect("https://host:8080/other/x.nc", "x")
    for url in ("http://host:8080/x", "https://host/x", "https://other:8080/x", "s3://host/x"):
        with pytest.raises(ZmapError, match="another server"):
            permissions.check_redirect(url, "x")
    with pytest.raises(ZmapError, match="a local file"):
        permissions.check_redirect("file:///etc/passwd", "x")
    with pytest.raises(ZmapError, match="a local file"):
        permissions.check_file("/etc/passwd", "x")


def test_local_paths_are_not_decoded():
    assert local_path("file:///a%20b") == "/a%20b"
    assert local_path("c:d") == "c:d"
    with pytest.raises(UrlError, match="'file://': the target has no path"):
        local_path("file://")


def test_nothing_that_is_refused_is_opened(folder, monkeypatch):
    opened = []
    real_open = os.open

    def watch(path, *arguments, **options):
        opened.append(str(path))
        return real_open(path, *arguments, **options)

    monkeypatch.setattr(os, "open", watch)
    with pytest.raises(ZmapError, match="/k: the reference set leads to a file outside the folder"):
        get(folder, "/etc/passwd")
    assert not any("passwd" in path for path in opened)
