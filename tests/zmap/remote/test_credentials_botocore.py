"""The order of sources, compared with botocore's own session."""

from __future__ import annotations

import os

import pytest

from ncz.errors import UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.remote.credentials import find_settings

botocore_session = pytest.importorskip("botocore.session", reason="botocore is not installed")

CONFIG = """
[default]
region = eu-west-2
[profile lab]
region = eu-north-1
[profile served]
region = eu-north-1
endpoint_url = https://served.example.org
[profile in-config]
aws_access_key_id = CONFIGKEY
aws_secret_access_key = CONFIGSECRET
[profile services]
region = eu-west-1
services = mine
endpoint_url = https://all.example.org
aws_access_key_id = SKEY
aws_secret_access_key = SSECRET
[services mine]
s3 =
  endpoint_url = https://s3.example.org
"""
CREDENTIALS = """
[default]
aws_access_key_id = DEFAULTKEY
aws_secret_access_key = DEFAULTSECRET
[lab]
aws_access_key_id = LABKEY
aws_secret_access_key = LABSECRET
aws_session_token = LABTOKEN
[served]
aws_access_key_id = SERVEDKEY
aws_secret_access_key = SERVEDSECRET
"""
KEYS = {"AWS_ACCESS_KEY_ID": "ENVKEY", "AWS_SECRET_ACCESS_KEY": "ENVSECRET"}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("AWS_", "NCZ", "NCRC", "S3_NC", "XDG")):
            monkeypatch.delenv(name)
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/config").write_text(CONFIG)
    (tmp_path / ".aws/credentials").write_text(CREDENTIALS)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.chdir(tmp_path)


def set_environment(monkeypatch, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def of_botocore(profile):
    session = botocore_session.Session(profile=profile)
    found = session.get_credentials()
    keys = (found.access_key, found.secret_key, found.token) if found else (None, None, None)
    return keys, session.get_config_variable("region") or "us-east-1"


def settings(profile):
    fragment = f"#aws.profile={profile}" if profile else ""
    return find_settings(parse_location(f"s3://b/k{fragment}"))


def of_ncz(profile):
    found = settings(profile)
    return (found.access_key, found.secret_key, found.session_token), found.region


@pytest.mark.parametrize("profile", [None, "default", "lab", "in-config"])
@pytest.mark.parametrize("variable", [{}, {"AWS_PROFILE": "lab"}, {"AWS_DEFAULT_PROFILE": "lab"}])
@pytest.mark.parametrize(
    "environment",
    [
        {},
        KEYS,
        KEYS | {"AWS_SESSION_TOKEN": "ENVTOKEN"},
        KEYS | {"AWS_SESSION_TOKEN": "ENVTOKEN", "AWS_SECURITY_TOKEN": "OLDTOKEN"},
        {"AWS_DEFAULT_REGION": "sa-east-1"},
    ],
    ids=["nothing", "keys", "token", "tokens", "region"],
)
def test_keys_and_region(monkeypatch, profile, variable, environment):
    set_environment(monkeypatch, variable | environment)
    assert of_ncz(profile) == of_botocore(profile)


@pytest.mark.parametrize(
    ("profile", "environment"),
    [
        ("nobody", {}),
        (None, {"AWS_PROFILE": "nobody"}),
        (None, {"AWS_DEFAULT_PROFILE": "nobody", "AWS_PROFILE": "lab"}),
        (None, KEYS | {"AWS_PROFILE": "nobody"}),
    ],
)
def test_a_mistyped_profile_is_an_error_in_both(monkeypatch, profile, environment):
    set_environment(monkeypatch, environment)
    with pytest.raises(Exception, match="nobody") as caught:
        botocore_session.Session(profile=profile).get_scoped_config()
    assert type(caught.value).__name__ == "ProfileNotFound"
    with pytest.raises(UrlError, match="the profile 'nobody' does not exist; available: default,"):
        of_ncz(profile)


def test_half_a_pair_of_keys_is_an_error_in_both(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "HALF")
    with pytest.raises(ZmapError, match="is not; set both, or neither") as caught:
        of_ncz(None)
    assert "HALF" not in str(caught.value)
    with pytest.raises(Exception, match="Partial credentials"):
        of_botocore(None)


@pytest.mark.parametrize(
    ("profile", "environment"),
    [
        (None, {}),
        ("served", {}),
        ("services", {}),
        ("services", {"AWS_ENDPOINT_URL": "https://env.example.org"}),
        ("served", {"AWS_ENDPOINT_URL": "https://e.org", "AWS_ENDPOINT_URL_S3": "https://s.org"}),
        ("served", {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}),
        (None, {"AWS_PROFILE": "served"}),
        ("default", {"AWS_DEFAULT_REGION": "cn-north-1"}),
        ("default", {"AWS_DEFAULT_REGION": "us-gov-west-1"}),
    ],
)
def test_the_server(monkeypatch, profile, environment):
    set_environment(monkeypatch, environment)
    client = botocore_session.Session(profile=profile).create_client("s3")
    assert settings(profile).endpoint == client.meta.endpoint_url


def test_a_profiles_server_gets_no_other_keys_where_botocore_sends_them(monkeypatch):
    set_environment(monkeypatch, KEYS | {"AWS_PROFILE": "served"})
    session = botocore_session.Session()
    assert session.create_client("s3").meta.endpoint_url == "https://served.example.org"
    assert session.get_credentials().access_key == "ENVKEY"
    with pytest.raises(
        ZmapError,
        match=r"https://served\.example\.org: the profile served names a server that would receive"
        r" the credentials of the environment; give the server with #aws\.endpoint_url=URL or",
    ):
        of_ncz(None)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://served.example.org")
    assert of_ncz(None)[0] == ("ENVKEY", "ENVSECRET", None)
