"""Server, region and keys: from the URL, files and the environment."""

from __future__ import annotations

import os

import pytest

from ncz.errors import NczError, UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.remote.credentials import find_settings

CONFIG = """
[default]
region = eu-west-2
[profile lab]
region = eu-north-1
endpoint_url = https://lab.example.org
[profile login]
sso_session = work
[profile bare]
region = ap-south-1
[sso-session work]
sso_region = us-east-1
"""

CREDENTIALS = """
[default]
aws_access_key_id = DEFAULTKEY
aws_secret_access_key = DEFAULTSECRET
[lab]
aws_access_key_id = LABKEY
aws_secret_access_key = LAB%SECRET
aws_session_token = LABTOKEN
"""


IN_ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "ENVKEY", "AWS_SECRET_ACCESS_KEY": "ENVSECRET"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder with files of every kind; the current folder is another."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "NCZ", "NCRC", "S3_NC", "XDG")):
            monkeypatch.delenv(name)
    (tmp_path / "home/.aws").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "home"


@pytest.fixture
def aws(home):
    (home / ".aws/config").write_text(CONFIG)
    (home / ".aws/credentials").write_text(CREDENTIALS)
    return home


def settings(text, **environment):
    return find_settings(parse_location(text), {"HOME": os.environ["HOME"], **environment})


def keys(found):
    return found.access_key, found.secret_key, found.session_token


@pytest.mark.parametrize(
    ("text", "endpoint", "bucket", "prefix"),
    [
        ("s3://b/k/x.zarr", "https://s3.us-east-1.amazonaws.com", "b", "k/x.zarr"),
        ("s3://b", "https://s3.us-east-1.amazonaws.com", "b", ""),
        ("s3://b/k/", "https://s3.us-east-1.amazonaws.com", "b", "k"),
        ("s3://b/k#aws.region=eu-west-3", "https://s3.eu-west-3.amazonaws.com", "b", "k"),
        ("https://b.s3.eu-west-1.amazonaws.com/k", "https://s3.eu-west-1.amazonaws.com", "b", "k"),
        ("https://minio.local:9000/b/k#mode=s3", "https://minio.local:9000", "b", "k"),
        ("http://127.0.0.1:9000/b/k#s3", "http://127.0.0.1:9000", "b", "k"),
        ("gs3://b/k", "https://storage.googleapis.com", "b", "k"),
        ("s3://b/a%20b/%23", "https://s3.us-east-1.amazonaws.com", "b", "a%20b/%23"),
        (
            "https://s3.us-east-1.amazonaws.com/b/%23",
            "https://s3.us-east-1.amazonaws.com",
            "b",
            "#",
        ),
        (
            "https://b.s3.eu-west-1.amazonaws.com/a%20b/%2523",
            "https://s3.eu-west-1.amazonaws.com",
            "b",
            "a b/%23",
        ),
        ("s3://b/100%", "https://s3.us-east-1.amazonaws.com", "b", "100%"),
    ],
)
def test_the_place(home, text, endpoint, bucket, prefix):
    found = settings(text)
    assert (found.endpoint, found.bucket, found.prefix) == (endpoint, bucket, prefix)


def test_with_nothing_said_it_is_anonymous(home):
    found = settings("s3://b/k")
    assert found.anonymous
    assert keys(found) == (None, None, None)
    assert found.region == "us-east-1"
    assert found.path_style


def test_the_default_profile(aws):
    found = settings("s3://b/k")
    assert keys(found) == ("DEFAULTKEY", "DEFAULTSECRET", None)
    assert (found.region, found.source) == ("eu-west-2", "the profile default")
    assert found.endpoint == "https://s3.eu-west-2.amazonaws.com"
    assert not found.anonymous


@pytest.mark.parametrize(
    ("fragment", "environment", "key"),
    [
        ("", {}, "DEFAULTKEY"),
        ("", IN_ENVIRONMENT, "ENVKEY"),
        ("", IN_ENVIRONMENT | {"AWS_PROFILE": "bare"}, "ENVKEY"),
        ("#aws.profile=default", IN_ENVIRONMENT, "DEFAULTKEY"),
        ("", {"AWS_PROFILE": "lab"}, "LABKEY"),
        ("#aws.profile=lab", {"AWS_PROFILE": "default"}, "LABKEY"),
        ("#AWS.PROFILE=lab", {}, "LABKEY"),
        ("#aws.profile=bare", IN_ENVIRONMENT, None),  # botocore ignores the environment here
        ("#aws.anon=true", IN_ENVIRONMENT, None),
        ("#aws.profile=bare", {}, None),
        ("#aws.profile=no", IN_ENVIRONMENT, None),
        ("#aws.access_key_id=URLKEY&aws.secret_access_key=URLSECRET", IN_ENVIRONMENT, "URLKEY"),
        ("#aws.access_key_id=URLKEY", {}, "DEFAULTKEY"),  # half of a pair is not enough
    ],
)
def test_whose_keys(aws, fragment, environment, key):
    found = settings(f"s3://b/k{fragment}", **environment)
    assert found.access_key == key
    assert found.anonymous == (key is None)


def test_keys_of_the_environment(home):
    found = settings("s3://b/k", **IN_ENVIRONMENT, AWS_SESSION_TOKEN="ENVTOKEN")
    assert keys(found) == ("ENVKEY", "ENVSECRET", "ENVTOKEN")
    assert found.source == "the environment"


def test_a_percent_sign_in_a_secret_is_itself(aws):
    assert keys(settings("s3://b/k#aws.profile=lab")) == ("LABKEY", "LAB%SECRET", "LABTOKEN")


def test_a_profile_that_is_not_there(aws):
    with pytest.raises(
        UrlError, match="the profile 'labb' does not exist; available: bare, default, lab, login"
    ):
        settings("s3://b/k#aws.profile=labb")
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE"):
        with pytest.raises(UrlError, match=f"{name}: the profile 'labb' does not exist; available"):
            settings("s3://b/k", **IN_ENVIRONMENT, **{name: "labb"})


def test_half_a_pair_of_keys_in_the_environment(home):
    with pytest.raises(ZmapError, match="AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is"):
        settings("s3://b/k", AWS_ACCESS_KEY_ID="ENVKEY")


def test_sources_that_only_botocore_has(aws):
    found = settings("s3://b/k#aws.profile=login")
    assert found.profile == "login"
    assert not found.anonymous
    assert keys(found) == (None, None, None)
    found = settings("s3://b/k", AWS_PROFILE="bare", AWS_WEB_IDENTITY_TOKEN_FILE="/token")
    assert not found.anonymous
    assert found.profile is None  # with a profile, botocore would not look at the environment


@pytest.mark.parametrize(
    ("text", "environment", "region"),
    [
        ("https://s3.eu-west-1.amazonaws.com/b#aws.region=x&aws.profile=lab", {}, "eu-west-1"),
        ("s3://b#aws.region=sa-east-1&aws.profile=lab", {}, "sa-east-1"),
        ("s3://b#aws.profile=lab", {"AWS_REGION": "af-south-1"}, "af-south-1"),
        ("https://h/b#s3&aws.profile=lab", {}, "eu-north-1"),
        (
            "https://h/b#s3&aws.profile=no",
            {"AWS_REGION": "one", "AWS_DEFAULT_REGION": "two"},
            "one",
        ),
        ("https://h/b#s3&aws.profile=no", {"AWS_DEFAULT_REGION": "two"}, "two"),
        ("https://h/b#s3&aws.profile=no", {}, "us-east-1"),
    ],
)
def test_which_region(aws, text, environment, region):
    assert settings(text, **environment).region == region


@pytest.mark.parametrize(
    ("text", "environment", "endpoint"),
    [
        ("s3://b/k", {"AWS_ENDPOINT_URL": "http://one/"}, "http://one"),
        (
            "s3://b/k",
            {"AWS_ENDPOINT_URL": "http://1", "AWS_ENDPOINT_URL_S3": "http://2"},
            "http://2",
        ),
        ("s3://b/k#aws.profile=lab", {}, "https://lab.example.org"),
        ("gs3://b/k", {"AWS_ENDPOINT_URL": "http://one"}, "https://storage.googleapis.com"),
        # a host that the user wrote is never changed
        ("https://mine/b/k#s3&aws.profile=lab", {"AWS_ENDPOINT_URL": "http://one"}, "https://mine"),
        (
            "https://s3.eu-west-1.amazonaws.com/b/k",
            {"AWS_ENDPOINT_URL": "http://one"},
            "https://s3.eu-west-1.amazonaws.com",
        ),
    ],
)
def test_which_server(aws, text, environment, endpoint):
    assert settings(text, **environment).endpoint == endpoint


def test_other_places_for_the_files(aws, tmp_path):
    other = tmp_path / "other"
    other.write_text("[default]\naws_access_key_id=O\naws_secret_access_key=S\n")
    found = settings("s3://b/k", AWS_SHARED_CREDENTIALS_FILE=str(other))
    assert found.access_key == "O"
    found = settings("s3://b/k", AWS_CONFIG_FILE="/none", AWS_SHARED_CREDENTIALS_FILE=str(other))
    assert found.region == "us-east-1"
    assert settings(f"s3://b/k#aws.config_file={other}").access_key == "DEFAULTKEY"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(aws):
    (aws / ".aws/credentials").chmod(0)
    with pytest.raises(NczError, match="cannot read"):
        settings("s3://b/k")
