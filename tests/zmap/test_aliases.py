"""Aliases of servers in settings."""

from __future__ import annotations

import json

import pytest

from ncz.errors import UrlError, ZmapError
from ncz.zmap.aliases import find_aliases
from tests.zmap.remote.test_credentials import IN_ENVIRONMENT, keys, settings
from tests.zmap.remote.test_credentials import aws as aws
from tests.zmap.remote.test_credentials import home as home

ALIASES = """
[alias.jasmin]
endpoint = "http://jasmin.example.org:8080/"
access_key = "JKEY"
secret_key = "JSECRET"
region = "uk"
[alias.open]
endpoint = "https://open.example.org"
anonymous = true
path_style = false
[alias.roles]
endpoint = "https://roles.example.org"
anonymous = false
"""


@pytest.fixture
def aliases(home):
    (home / ".config/ncz").mkdir(parents=True)
    (home / ".config/ncz/config.toml").write_text(ALIASES)
    return home


class TestAliases:
    def test_an_alias_has_server_and_keys(self, aliases):
        found = settings("s3://jasmin/b/k/x", **IN_ENVIRONMENT)
        assert found.endpoint == "http://jasmin.example.org:8080"
        assert (found.bucket, found.prefix, found.region) == ("b", "k/x", "uk")
        assert keys(found) == ("JKEY", "JSECRET", None)
        assert found.source == "the alias jasmin"

    def test_an_alias_may_be_anonymous(self, aliases):
        found = settings("s3://open/b/k", **IN_ENVIRONMENT)
        assert found.anonymous
        assert not found.path_style

    def test_an_alias_may_leave_it_to_botocore(self, aliases):
        assert not settings("s3://roles/b").anonymous

    def test_an_alias_needs_a_bucket(self, aliases):
        with pytest.raises(UrlError, match="the alias jasmin needs a bucket; write s3://jasmin/"):
            settings("s3://jasmin")

    def test_a_bucket_of_that_name_on_a_server_that_was_named(self, aliases):
        found = settings("https://s3.us-east-1.amazonaws.com/jasmin/b/k")
        assert (found.bucket, found.prefix) == ("jasmin", "b/k")
        assert found.endpoint == "https://s3.us-east-1.amazonaws.com"

    def test_other_places_for_the_file(self, home, tmp_path):
        (tmp_path / "x.toml").write_text(ALIASES)
        (tmp_path / "ncz").mkdir()
        (tmp_path / "ncz/config.toml").write_text(ALIASES)
        assert "open" in find_aliases({"HOME": "/none", "NCZ_CONFIG": str(tmp_path / "x.toml")})
        assert "open" in find_aliases({"HOME": "/none", "XDG_CONFIG_HOME": str(tmp_path)})

    def test_s3netcdf4s_file_is_read(self, aliases, tmp_path):
        host = {
            "alias": "tenancy-0",
            "url": "http://tenancy-0.example.org",
            "credentials": {"accessKey": "TKEY", "secretKey": "TSECRET"},
            "backend": "s3aioFileObject",
        }
        ours = {**host, "alias": "jasmin"}
        document = {"version": "9", "hosts": {"s3://tenancy-0": host, "s3://jasmin": ours}}
        (aliases / ".s3nc.json").write_text(json.dumps(document))
        found = settings("s3://tenancy-0/b/k")
        assert (found.endpoint, found.access_key) == ("http://tenancy-0.example.org", "TKEY")
        assert settings("s3://jasmin/b").access_key == "JKEY"  # our own file wins
        other = tmp_path / "other.json"
        other.write_text('{"hosts": {"x": {"alias": "bare", "url": "bare.example.org"}}}')
        found = settings("s3://bare/b/k", S3_NC_CONFIG=str(other))
        assert found.endpoint == "https://bare.example.org"

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("[alias.x]\nendpont = 1", "unknown key 'endpont'; valid keys are endpoint, region"),
            ("[alias.x]\nregion = 'r'", 'needs an endpoint; write endpoint = "https://HOST"'),
            ("[alias.x]\nendpoint = 'ftp://h'", "needs an endpoint"),
            ("[alias.x]\nendpoint = 1", "endpoint must be a string"),
            ("[alias.x]\nendpoint = 'https://h'\nanonymous = 'yes'", "must be true or false"),
            ("[alias.x]\nendpoint = 'https://h'\naccess_key = 'k'", "must be given together"),
            ("alias = 1", "alias is not a table"),
            ("[alias]\nx = 1", "the alias is not a table"),
            ("[alias.x", "the file is not valid TOML"),
            ("x = " + "1" * 5000, "the file is not valid TOML: a number"),
            ("\udcff", "not UTF-8"),
        ],
    )
    def test_a_file_that_is_wrong(self, aliases, text, says):
        path = aliases / ".config/ncz/config.toml"
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(ZmapError, match=says) as caught:
            settings("s3://b/k")
        assert str(path) in str(caught.value)

    @pytest.mark.parametrize(
        "text",
        [
            "", "[]", "{", '{"hosts": 1}', '{"hosts": {"a": {}}}', "9" * 5000, "[" * 100_000,
            '{"hosts": {"a": {"alias": ["b"], "url": "h"}}}',
            '{"hosts": {"a": {"alias": "b", "url": ["h"]}}}',
            '{"hosts": {"a": {"alias": "b\\ud800", "url": "h"}}}',
            '{"hosts": {"a": {"alias": "b", "url": "h", "backend": ["c"]}}}',
            '{"hosts": {"a": {"alias": "b", "url": "h", "credentials": {"accessKey": 1}}}}',
        ],
        ids=range(12),
    )  # fmt: skip
    def test_an_s3nc_file_that_is_wrong(self, home, text):
        (home / ".s3nc.json").write_text(text)
        with pytest.raises(
            ZmapError, match=r"\.s3nc\.json: the file is not a valid S3netCDF4 configuration"
        ):
            settings("s3://b/k")


def test_no_secret_is_in_a_repr(aws, aliases):
    for text in ("s3://b/k#aws.profile=lab", "s3://jasmin/b/k"):
        shown = repr(settings(text))
        assert "SECRET" not in shown
        assert "TOKEN" not in shown
        assert "KEY" not in shown
    assert "JSECRET" not in repr(find_aliases({"HOME": str(aliases)}))
