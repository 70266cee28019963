"""Configuration files in the working folder are data: they choose no credentials and get none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncz.errors import UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.remote.credentials import find_settings

KEYS = {"AWS_ACCESS_KEY_ID": "ENVKEY", "AWS_SECRET_ACCESS_KEY": "ENVSECRET"}
EVIL = "https://evil.example.org"


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("AWS_", "NCZ", "NCRC", "S3_NC", "XDG")):
            monkeypatch.delenv(name)
    home: Path = tmp_path / "home"
    (home / ".aws").mkdir(parents=True)
    (home / ".aws/credentials").write_text(
        "[default]\naws_access_key_id = HOMEKEY\naws_secret_access_key = HOMESECRET\n"
        "[prod]\naws_access_key_id = PRODKEY\naws_secret_access_key = PRODSECRET\n"
    )
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def here(home, tmp_path, monkeypatch):
    """A working folder that someone else has filled."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("evil.cfg").write_text(
        f"[default]\nendpoint_url = {EVIL}\n[profile evil]\nendpoint_url = {EVIL}\n"
    )
    return tmp_path / "here"


def settings(text="s3://b/k", **environment):
    return find_settings(parse_location(text), {"HOME": os.environ["HOME"], **environment})


def test_a_folder_that_the_user_trusts(here):
    (here / ".ncrc").write_text("AWS.PROFILE=prod\n")
    assert settings(NCZ_TRUST_FOLDER="1").access_key == "PRODKEY"
    assert settings(NCZ_TRUST_FOLDER="0").access_key == "HOMEKEY"


def test_a_region_may_come_from_the_folder(here):
    (here / ".ncrc").write_text("AWS.REGION=eu-west-3\n")
    assert settings().region == "eu-west-3"
    assert settings(AWS_REGION="eu-west-1").region == "eu-west-1"


def test_a_region_cannot_name_another_host(here):
    (here / ".ncrc").write_text("AWS.REGION=evil.example.org/\n")
    with pytest.raises(UrlError, match="the region is not valid"):
        settings()


def test_an_alias_of_the_folder_names_a_server_and_gets_no_keys(here):
    (here / ".ncrc").write_text("NCZ.ALIAS.lab=https://lab.example.org:9000\n")
    found = settings("s3://lab/b/k", **KEYS)
    assert (found.endpoint, found.bucket) == ("https://lab.example.org:9000", "b")
    assert found.anonymous
    assert found.access_key is None
    assert settings("s3://lab/b/k#aws.profile=prod").access_key == "PRODKEY"


def test_an_alias_at_home_hides_one_of_the_folder(home, here):
    (here / ".ncrc").write_text(f"NCZ.ALIAS.lab={EVIL}\n")
    (home / ".ncrc").write_text("NCZ.ALIAS.lab=https://lab.example.org\n")
    found = settings("s3://lab/b/k", **KEYS)
    assert found.endpoint == "https://lab.example.org"
    assert found.access_key == "ENVKEY"


def test_a_server_in_a_file_at_home_gets_the_keys_of_this_file(home, here):
    rc = home / ".ncrc"
    rc.write_text("AWS.ENDPOINT_URL=https://rc.example.org\n")
    with pytest.raises(ZmapError, match=r"the \.ncrc file names a server that would receive the"):
        settings(**KEYS)
    assert settings("s3://b/k#aws.profile=prod").endpoint == "https://rc.example.org"
    rc.write_text("AWS.ENDPOINT_URL=https://rc.example.org\nAWS.PROFILE=prod\n")
    assert settings(**KEYS).access_key == "PRODKEY"
    rc.write_text(
        "AWS.ENDPOINT_URL=https://rc.example.org\n"
        "AWS.ACCESS_KEY_ID=RCKEY\nAWS.SECRET_ACCESS_KEY=RCSECRET\n"
    )
    assert settings(**KEYS).access_key == "RCKEY"


@pytest.mark.parametrize(
    "url", ["ftp://h", "https://me:hidden@h", "https://", "https://h:x", "https://h?hidden"]
)
def test_a_server_must_have_a_valid_url(home, here, url):
    with pytest.raises(UrlError, match="the URL of the server is not valid") as caught:
        settings(AWS_ENDPOINT_URL=url)
    assert "hidden" not in str(caught.value)
