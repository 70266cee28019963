"""The order of sources that docs/reference/s3.md lists, compared with ncz and with botocore."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.remote.credentials import S3Settings, find_settings
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "reference" / "s3.md").read_text(encoding="utf-8")


@dataclass
class Source:
    """A source of a setting: its number on the page, words of that line, and its function.

    `value` is the setting that ncz finds if it is the first source, and `origin` its place.
    botocore knows sources that have no alias, no .ncrc, and only a profile in the fragment.
    """

    number: int
    words: str
    value: str
    origin: str
    fragment: str = ""
    alias: str = ""
    rc: str = ""
    folder: str = ""
    env: dict[str, str] = field(default_factory=dict)
    profile: str = ""
    default: str = ""
    host: str = ""

    @property
    def is_of_botocore(self) -> bool:
        """Whether botocore knows the source."""
        mine = self.alias or self.rc or self.folder or self.host or "AWS_REGION" in self.env
        return not mine and self.fragment in ("", "aws.profile=url")


def pair(name: str, access: str, secret: str, between: str = "\n") -> str:
    """Return a pair of keys that are named after their source."""
    return f"{access}={name}{between}{secret}=secret"


SERVICES = "[services mine]\ns3 =\n  endpoint_url = https://s3.org\n"
ENV_KEYS = {"AWS_ACCESS_KEY_ID": "env", "AWS_SECRET_ACCESS_KEY": "secret"}
CREDENTIALS = [
    Source(1, "`#aws.anon=true`", "", "#aws.anon", fragment="aws.anon=true"),
    Source(
        2, "keys in the fragment", "fragment", "#aws.access_key_id",
        fragment=pair("fragment", "aws.access_key_id", "aws.secret_access_key", "&"),
    ),
    Source(3, "profile in the fragment", "of-url", "credentials", fragment="aws.profile=url"),
    Source(
        4, "keys of the alias", "alias", "config.toml",
        alias=pair('"alias"', "access_key", "secret_key").replace("=secret", '="secret"'),
    ),
    Source(4, "its profile", "of-alias", "credentials", alias='profile="alias"'),
    Source(
        5, "keys in `.ncrc`", "rc", ".ncrc",
        rc=pair("rc", "AWS.ACCESS_KEY_ID", "AWS.SECRET_ACCESS_KEY"),
    ),
    Source(5, "or else the profile there", "of-rc", "credentials", rc="AWS.PROFILE=rc"),
    Source(6, "`AWS_ACCESS_KEY_ID`", "env", "AWS_ACCESS_KEY_ID", env=ENV_KEYS),
    Source(
        7, "`AWS_DEFAULT_PROFILE`", "of-env", "credentials", env={"AWS_DEFAULT_PROFILE": "env"}
    ),
    Source(7, "`AWS_PROFILE`", "of-env2", "credentials", env={"AWS_PROFILE": "env2"}),
    Source(7, "`default`", "default", "credentials", default="aws_access_key_id"),
    Source(8, "None", "", ""),
]  # fmt: skip

REGIONS = [
    Source(1, "Amazon host name", "eu-west-9", "the URL", host="s3.eu-west-9.amazonaws.com"),
    Source(2, "`#aws.region=NAME`", "url", "#aws.region", fragment="aws.region=url"),
    Source(3, "home folder", "rc", ".ncrc", rc="AWS.REGION=rc"),
    Source(4, "region of the alias", "alias", "config.toml", alias='region="alias"'),
    Source(5, "`AWS_REGION`", "env", "AWS_REGION", env={"AWS_REGION": "env"}),
    Source(
        5, "`AWS_DEFAULT_REGION`", "env2", "AWS_DEFAULT_REGION", env={"AWS_DEFAULT_REGION": "env2"}
    ),
    Source(6, "region of the profile", "profile", "config", profile="region=profile"),
    Source(7, "working folder", "folder", ".ncrc", folder="AWS.REGION=folder"),
    Source(8, "`us-east-1`", "us-east-1", "default"),
]  # fmt: skip

SERVERS = [
    Source(
        1, "`#aws.endpoint_url=URL`", "https://url.org", "#aws.endpoint_url",
        fragment="aws.endpoint_url=https://url.org",
    ),
    Source(2, "server of the alias", "https://alias.org", "config.toml", alias="#"),
    Source(
        3, "`AWS.ENDPOINT_URL`", "https://rc.org", ".ncrc", rc="AWS.ENDPOINT_URL=https://rc.org"
    ),
    Source(
        4, "`AWS_ENDPOINT_URL_S3`", "https://env.org", "AWS_ENDPOINT_URL_S3",
        env={"AWS_ENDPOINT_URL_S3": "https://env.org"},
    ),
    Source(
        4, "`AWS_ENDPOINT_URL`", "https://env2.org", "AWS_ENDPOINT_URL",
        env={"AWS_ENDPOINT_URL": "https://env2.org"},
    ),
    Source(5, "`services` section", "https://s3.org", "config", profile="services=mine"),
    Source(
        5, "for all services", "https://all.org", "config", profile="endpoint_url=https://all.org"
    ),
    Source(6, "Amazon", "https://s3.us-east-1.amazonaws.com", "default"),
]  # fmt: skip

LISTS = {"credentials": CREDENTIALS, "region": REGIONS, "server": SERVERS}
CASES = [(name, at) for name, sources in LISTS.items() for at in range(len(sources))]


def listed(name: str) -> list[str]:
    """Return the items of a numbered list of the page."""
    text = PAGE[PAGE.index(f"**{name}**") :].partition("\n\n")[2].partition("\n\n")[0]
    return re.findall(r"(?ms)^\d+\. (.*?)(?=^\d+\. |\Z)", text + "\n")


@pytest.mark.parametrize("name", LISTS)
def test_the_page_lists_the_sources_in_this_order(name):
    items = listed(name)
    assert [s.number for s in LISTS[name]] == sorted(s.number for s in LISTS[name])
    assert {s.number for s in LISTS[name]} == set(range(1, len(items) + 1))
    for source in LISTS[name]:
        assert source.words in " ".join(items[source.number - 1].split())


def found_with(sources: list[Source], tmp_path, monkeypatch) -> S3Settings:
    """Return the credentials that ncz finds if only these sources exist."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "NCZ", "NCRC", "S3_NC", "XDG")):
            monkeypatch.delenv(name)
    home, folder = tmp_path / "home", tmp_path / "folder"
    for made in (home / ".aws", home / ".config/ncz", folder):
        made.mkdir(parents=True)
    for variable, value in {"HOME": str(home), "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.chdir(folder)
    has_default = any(source.default for source in sources)
    profiles = ["url", "alias", "rc", "env", "env2"]
    keys = pair("default", "aws_access_key_id", "aws_secret_access_key") if has_default else "#\n#"
    text = f"[default]\n{keys}\n" + "".join(
        f"[{name}]\n{pair(f'of-{name}', 'aws_access_key_id', 'aws_secret_access_key')}\n"
        for name in profiles
    )
    (home / ".aws/credentials").write_text(text)
    lines = [source.profile for source in sources if source.profile]
    (home / ".aws/config").write_text(SERVICES + "\n".join(["[default]", *lines]))
    aliases = "\n".join(source.alias for source in sources if source.alias)
    if aliases:
        text = f'[alias.lab]\nendpoint="https://alias.org"\n{aliases}\n'
        (home / ".config/ncz/config.toml").write_text(text)
    for where, lines in (
        (home, [source.rc for source in sources]),
        (folder, [source.folder for source in sources]),
    ):
        (where / ".ncrc").write_text("\n".join(line for line in lines if line))
    for source in sources:
        for variable, value in source.env.items():
            monkeypatch.setenv(variable, value)
    host = next((source.host for source in sources if source.host), "")
    fragment = "&".join(source.fragment for source in sources if source.fragment)
    url = f"https://{host}/lab/b/k" if host else "s3://lab/b/k"
    return find_settings(parse_location(f"{url}#{fragment}" if fragment else url))


@pytest.mark.parametrize(("name", "at"), CASES)
def test_each_source_comes_before_all_that_follow(name, at, tmp_path, monkeypatch):
    source = LISTS[name][at]
    found = found_with(LISTS[name][at:], tmp_path, monkeypatch)
    value = {
        "credentials": found.access_key or "",
        "region": found.region,
        "server": found.endpoint,
    }[name]
    assert value == source.value
    assert os.path.basename(found.origins[name]) == source.origin


@pytest.mark.parametrize(("name", "at"), [case for case in CASES if case[0] != "server"])
def test_botocore_has_the_same_order(name, at, tmp_path, monkeypatch):
    """Sources that botocore does not know are omitted; a client gives it the server."""
    session = pytest.importorskip("botocore.session", reason="botocore is not installed")
    sources = [source for source in LISTS[name][at:] if source.is_of_botocore]
    ours = found_with(sources, tmp_path, monkeypatch)
    is_named = any(source.fragment for source in sources)
    theirs = session.Session(profile="url" if is_named else None)
    credentials = theirs.get_credentials()
    assert ours.access_key == (credentials.access_key if credentials else None)
    assert ours.region == (theirs.get_config_variable("region") or "us-east-1")
