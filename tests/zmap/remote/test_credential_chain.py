"""The order of the sources of S3 credentials."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.errors import UrlError, ZmapError
from ncz.zmap.alias import Alias
from ncz.zmap.remote.credential_chain import Sources, find_credentials, profile_of


def sources(**given: Any) -> Sources:
    members: dict[str, Any] = {
        "explicit": {}, "rc": {}, "alias": None, "alias_name": "", "profiles": {}, "env": {},
    }  # fmt: skip
    return Sources(**{**members, **given})


def pair(prefix: str, name: str) -> dict[str, str]:
    return {f"{prefix}access_key_id": name, f"{prefix}secret_access_key": "s"}


URL, RC = pair("aws.", "url"), pair("aws.", "rc")
ENV = {"AWS_ACCESS_KEY_ID": "env", "AWS_SECRET_ACCESS_KEY": "s"}
PROFILES = {"p": pair("aws_", "p"), "default": pair("aws_", "default")}
ALIAS = Alias("http://h", access_key="alias", secret_key="s")


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({}, None),
        ({"explicit": URL, "alias": ALIAS, "rc": RC, "env": ENV, "profiles": PROFILES}, "url"),
        ({"alias": ALIAS, "rc": RC, "env": ENV, "profiles": PROFILES}, "alias"),
        ({"rc": RC, "env": ENV, "profiles": PROFILES}, "rc"),
        ({"env": ENV, "profiles": PROFILES}, "env"),
        ({"profiles": PROFILES}, "default"),
        ({"explicit": {"aws.profile": "p"}, "alias": ALIAS, "rc": RC, "env": ENV,
          "profiles": PROFILES}, "p"),
        ({"env": {**ENV, "AWS_PROFILE": "p"}, "profiles": PROFILES}, "env"),
        ({"env": {"AWS_PROFILE": "p"}, "profiles": PROFILES}, "p"),
        ({"rc": {"aws.profile": "p"}, "env": ENV, "profiles": PROFILES}, "p"),
        ({"explicit": {"aws.anon": "true", **URL}, "env": ENV}, None),
        ({"explicit": {"aws.profile": "no"}, "env": ENV}, None),
        ({"alias": Alias("http://h", anonymous=True), "env": ENV}, None),
        ({"explicit": {"aws.access_key_id": "half"}, "env": ENV}, "env"),
    ],
)  # fmt: skip
def test_the_first_source_that_has_keys(given, key):
    assert find_credentials(sources(**given)).access_key == key


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"profiles": {"default": {"role_arn": "r"}}}, ""),
        ({"env": {"AWS_WEB_IDENTITY_TOKEN_FILE": "f"}}, "AWS_WEB_IDENTITY_TOKEN_FILE"),
        ({"env": {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "u"}},
         "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
        ({"alias": Alias("http://h", anonymous=False, file="a.toml")}, "a.toml"),
    ],
)  # fmt: skip
def test_the_sources_of_botocore(given, place):
    found = find_credentials(sources(**given))
    assert found.ask_botocore
    assert (found.access_key, found.place) == (None, place)


def test_profiles():
    assert profile_of(sources()) == ("default", "")
    named = sources(explicit={"aws.profile": "p"}, profiles=PROFILES)
    assert profile_of(named) == ("p", "the URL")
    with pytest.raises(UrlError, match="the profile 'q' does not exist; available: default, p"):
        profile_of(sources(env={"AWS_PROFILE": "q"}, profiles=PROFILES))


def test_half_of_a_pair():
    with pytest.raises(ZmapError, match="AWS_ACCESS_KEY_ID is set, but"):
        find_credentials(sources(env={"AWS_ACCESS_KEY_ID": "x"}))


def test_secrets_are_not_shown():
    assert "url" not in repr(sources(explicit=URL))
    assert "'s'" not in repr(find_credentials(sources(explicit=URL)))
