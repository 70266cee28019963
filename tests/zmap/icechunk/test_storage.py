"""The place of a repository, as the library gets it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ncz.errors import UrlError, ZmapError
from ncz.record import replace
from ncz.zmap.icechunk import storage
from ncz.zmap.icechunk.storage import has_root, is_repository, storage_of, with_keys
from ncz.zmap.location import parse_location
from ncz.zmap.remote.credentials import find_settings

LIBRARY: Any = SimpleNamespace(
    __version__="2.3.0",
    local_filesystem_storage=lambda path: ("local", path),
    **{
        f"{name}_storage": lambda *given, _name=name, **named: (_name, *given, named)
        for name in ("s3", "http", "gcs", "azure")
    },
)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variables of servers from outside."""
    for name in (
        "GOOGLE_BASE_URL", "GOOGLE_BEARER_TOKEN", "GOOGLE_SERVICE_ACCOUNT",
        "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_APPLICATION_CREDENTIALS",
        "AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ENDPOINT", "AZURE_STORAGE_ACCOUNT_KEY",
        "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_TOKEN",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


def place(url: str) -> Any:
    return storage_of(LIBRARY, parse_location(f"{url}#mode=icechunk"))


def test_a_folder_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert place("repository") == ("local", str(tmp_path / "repository"))


def test_a_bucket_of_google(monkeypatch: pytest.MonkeyPatch):
    kind, named = place("gs://bucket/a/b%20c/")
    assert (kind, named["bucket"], named["prefix"]) == ("gcs", "bucket", "a/b c")
    assert (named["anonymous"], named["from_env"], named["config"]) == (True, None, None)
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", "key.json")
    _, named = place("gs://bucket/a")
    assert (named["anonymous"], named["from_env"]) == (None, True)
    monkeypatch.setenv("GOOGLE_BEARER_TOKEN", "token")
    _, named = place("gs://bucket/a")
    assert (named["anonymous"], named["from_env"], named["bearer_token"]) == (None, None, "token")


def test_a_container_of_azure(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UrlError, match="name of the account"):
        place("az://box/a")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "me")
    kind, named = place("abfs://box@host/a/b")
    assert (kind, named["account"]) == ("azure", "me")
    assert (named["container"], named["prefix"]) == ("box", "a/b")
    assert named["config"] == {"azure_skip_signature": "true"}
    monkeypatch.setenv("AZURE_STORAGE_SAS_TOKEN", "key")
    monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", "http://127.0.0.1:1")
    assert place("az://box/a")[1]["config"] == {
        "azure_storage_endpoint": "http://127.0.0.1:1", "allow_http": "true",
        "azure_skip_signature": "false",
    }  # fmt: skip


def test_a_protocol_that_the_library_lacks():
    with pytest.raises(ZmapError, match="reads from the disk, S3, Google"):
        place("ftp://host/a")


def test_given_keys_are_used_without_a_search(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("botocore.session.Session", None)
    settings = find_settings(parse_location("s3://bucket/a"))
    given = replace(settings, anonymous=False, access_key="a", secret_key="b")
    assert with_keys(given) is given
    anonymous = replace(settings, anonymous=True)
    assert with_keys(anonymous) is anonymous


@pytest.mark.parametrize("keys", [None, ("a", "b", "c")])
def test_keys_of_other_sources_or_none(keys: Any, monkeypatch: pytest.MonkeyPatch):
    frozen = keys and SimpleNamespace(access_key=keys[0], secret_key=keys[1], token=keys[2])
    found = frozen and SimpleNamespace(get_frozen_credentials=lambda: frozen)
    session = SimpleNamespace(get_credentials=lambda: found)
    monkeypatch.setattr("botocore.session.Session", lambda **_: session)
    settings = find_settings(parse_location("s3://bucket/a"))
    result = with_keys(replace(settings, anonymous=False, access_key=None, secret_key=None))
    assert result.anonymous == (keys is None)
    assert keys is None or (result.access_key, result.secret_key, result.session_token) == keys


def test_a_root_on_the_disk_and_on_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    location = parse_location(str(tmp_path))
    assert not has_root(location)
    (tmp_path / "repo").write_bytes(b"")
    assert has_root(location)
    present: set[str] = set()
    monkeypatch.setattr(storage, "has_object", lambda _, key: key in present)
    remote = parse_location("https://example.org/a")
    assert not has_root(remote)
    assert not is_repository(remote)
    present.add("repo")
    assert has_root(remote)
    assert is_repository(remote)
