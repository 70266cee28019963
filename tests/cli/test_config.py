"""``ncz config``, and the budgets of S3netCDF4's configuration file."""

from __future__ import annotations

import json
import os

import pytest

from ncz.errors import ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import policy_of

SECRET = "do-not-show-this"


S3NC = """{
 "version": "9",
 "hosts": {
  "s3://tenancy-0": {
   "alias": "tenancy-0",
   "url": "http://tenancy-0.example.org",
   "credentials": {
    "accessKey": "do-not-show-this",
    "secretKey": "do-not-show-this"
   },
   "backend": "s3aioFileObject",
   "api": "S3v4"
  }
 },
 "backends": {
  "s3FileObject": {"maximum_parts": 4},
  "s3aioFileObject": {
   "maximum_part_size": "50MB",
   "maximum_parts": 8,
   "enable_multipart_download": true,
   "connect_timeout": 20.0,
   "read_timeout": 31
  }
 },
 "cache_location": "/large/cache",
 "resource_allocation": {
  "memory": "300MB",
  "filehandles": 20
 }
}
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder with configuration files, and an environment without other settings."""
    for name in os.environ:
        if name.startswith(("AWS_", "NCZ_", "NCRCENV_", "XDG_", "TMPDIR")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("S3_NC_CONFIG", raising=False)
    (tmp_path / ".s3nc.json").write_text(S3NC)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return tmp_path


def settings_of(run, *arguments):
    done = run("config", "--json", *arguments)
    assert done.code == 0, done.stderr
    assert SECRET not in done.text + run("config", *arguments).text
    return {each["name"]: (each["value"], each["source"]) for each in json.loads(done.text)}


def test_every_source_is_named_and_no_secret(run, home, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "eu-west-2")
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{SECRET}@proxy.example.org")
    rc = home / ".ncrc"
    rc.write_text(
        f"# mine\nAWS.PROFILE=me\nAWS.SECRET_ACCESS_KEY={SECRET}\n"
        f"HTTP.CREDENTIALS.USERPASSWORD={SECRET}\n"
    )
    (home / "work/.ncrc").write_text("AWS.REGION=here\n\nAWS.PROFILE=other\n")
    found = settings_of(run)
    path = home / ".s3nc.json"
    assert found["alias tenancy-0"] == ("http://tenancy-0.example.org", str(path))
    assert found["alias tenancy-0, access_key"] == ("***", str(path))
    assert found["open pieces of an aggregation"] == ("20", str(path))
    assert found["memory for data"] == ("300000000 bytes", str(path))
    assert found["folder for temporary files"] == ("/large/cache", str(path))
    assert found["AWS_REGION"] == ("eu-west-2", "environment")
    assert found["AWS_SECRET_ACCESS_KEY"] == ("***", "environment")
    assert found["HTTPS_PROXY"] == ("http://***@proxy.example.org", "environment")
    assert found["AWS.SECRET_ACCESS_KEY"] == ("***", str(rc))
    assert found["HTTP.CREDENTIALS.USERPASSWORD"] == ("*** (no effect in ncz)", str(rc))
    here = home / "work/.ncrc"
    assert found["AWS.REGION"] == ("here", str(here))
    assert found["AWS.PROFILE"] == ("ignored", f"{here}, which is not trusted")


def test_without_settings_the_defaults_are_shown(run, home, monkeypatch):
    (home / ".s3nc.json").unlink()
    monkeypatch.setenv("TMPDIR", "/tmp")
    monkeypatch.setattr("ncz.parallel.memory.free_memory", lambda: 4_000_000_000)
    found = settings_of(run)
    assert found["open pieces of an aggregation"] == ("32", "default")
    assert found["memory for data"] == ("1000000000 bytes", "default")
    assert found["folder for temporary files"][1] == "TMPDIR"
    assert found["file of S3netCDF4"][0] == f"{home}/.s3nc.json (does not exist)"


def test_options_and_the_fragment_are_distinguished(run, home, monkeypatch):
    monkeypatch.setenv("AWS_REGION", "of-environment")
    found = settings_of(run, "s3://b/k")
    assert found["region"] == ("of-environment", "AWS_REGION")
    found = settings_of(run, "s3://b/k", "--region", "of-option", "--anon")
    assert found["region"] == ("of-option", "option --region")
    assert found["credentials"] == (
        "anonymous", "no credentials, as aws.anon requests (option --anon)"
    )  # fmt: skip
    found = settings_of(run, "s3://b/k#aws.region=of-url", "--region", "of-option")
    assert found["region"] == ("of-url", "#aws.region of the URL")
    keys = f"aws.access_key_id={SECRET}&aws.secret_access_key={SECRET}"
    found = settings_of(run, f"s3://b/k#{keys}")
    assert found["#aws.access_key_id"] == ("***", "fragment of the URL")
    assert found["credentials"] == ("***", "the keys of the URL (#aws.access_key_id of the URL)")


def test_profiles_have_files(run, home):
    (home / ".aws").mkdir()
    file = home / ".aws/credentials"
    file.write_text(
        f"[default]\n\naws_access_key_id = {SECRET}\naws_secret_access_key = {SECRET}\n"
    )
    config = home / ".aws/config"
    config.write_text("[default]\noutput = json\nregion = eu-west-2\n")
    found = settings_of(run, "s3://b/k")
    assert found["credentials"] == ("***", f"the profile default ({file})")
    assert found["region"] == ("eu-west-2", str(config))


def test_a_name_without_alias_is_a_bucket(run, home):
    (home / ".ncrc").write_text("")
    source = settings_of(run, "s3://tenancy-1/bucket/key")["alias"][1]
    assert source.startswith("'tenancy-1' was taken for a bucket, because none of these files")
    for name in (".config/ncz/config.toml", ".s3nc.json", ".ncrc", "work/.ncrc"):
        assert str(home / name) in source


def test_a_url_shows_its_server_and_the_source_of_its_credentials(run, home):
    found = settings_of(run, "s3://tenancy-0/bucket/key.zarr")
    assert found["server"][0] == "http://tenancy-0.example.org"
    assert found["bucket"][0] == "bucket"
    assert found["credentials"][0] == "***"
    path = home / ".s3nc.json"
    assert found["credentials"][1] == f"the alias tenancy-0 ({path})"
    assert found["read timeout"] == ("31 s", str(path))
    assert found["requests"] == ("8 at a time", str(path))
    assert run("config", "x.zarr").code == 1


def test_an_alias_of_ncz_replaces_one_of_s3netcdf4(run, home):
    (home / ".config" / "ncz").mkdir(parents=True)
    ours = home / ".config" / "ncz" / "config.toml"
    ours.write_text('[alias.tenancy-0]\nendpoint = "https://new.example.org"\n')
    text = run("config").text
    assert "https://new.example.org" in text
    assert "http://tenancy-0.example.org (replaced)" in text


def test_the_file_can_be_elsewhere(run, home, monkeypatch):
    (home / "other.json").write_text('{"resource_allocation": {"file_handles": 7}}')
    monkeypatch.setenv("S3_NC_CONFIG", str(home / "other.json"))
    assert settings_of(run)["open pieces of an aggregation"][0] == "7"


def test_backends_limit_the_requests_to_their_hosts(home):
    policy = policy_of(parse_location("s3://tenancy-0/bucket/key"))
    assert (policy.connect, policy.read, policy.parallel) == (20, 31, 8)
    assert policy.ahead == 300_000_000  # 8 parts of 50 MB are more than the budget
    assert policy.timeout == 62
    late = policy_of(parse_location("s3://tenancy-0/bucket/key#timeout=8"))
    assert (late.timeout, late.connect, late.parallel) == (8, 1, 8)
    assert policy_of(parse_location("s3://bucket/key")).parallel == 32


def test_an_alias_of_ncz_limits_requests_too(home):
    (home / ".config" / "ncz").mkdir(parents=True)
    ours = home / ".config" / "ncz" / "config.toml"
    alias = '[alias.lab]\nendpoint = "https://lab.example.org"\n'
    ours.write_text(f"{alias}connect_timeout = 3\nread_timeout = 1.5\nrequests = 2\nahead = 9\n")
    policy = policy_of(parse_location("s3://lab/bucket/key"))
    assert (policy.connect, policy.read, policy.timeout) == (3, 1.5, 60)
    assert [policy.parallel, policy.ahead] == [2, 9]
    ours.write_text(f"{alias}requests = 0\n")
    with pytest.raises(ZmapError, match="requests must be a whole number"):
        policy_of(parse_location("s3://lab/bucket/key"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"maximum_parts": 0},
        {"read_timeout": "30"},
        {"maximum_part_size": "1XB"},
        {"connect_timeout": True},
        {"maximum_parts": "SECRET"},
        {"read_timeout": "SECRET"},
        {"maximum_part_size": "SECRET"},
    ],
)
def test_a_backend_that_is_not_valid_is_an_error(home, wrong):
    document = json.loads(S3NC)
    document["backends"]["s3aioFileObject"] |= wrong
    (home / ".s3nc.json").write_text(json.dumps(document))
    with pytest.raises(ZmapError, match=next(iter(wrong))) as raised:
        policy_of(parse_location("s3://tenancy-0/bucket/key"))
    assert "SECRET" not in str(raised.value)


def test_the_budget_of_memory_matches_a_copy(run, home, tmp_path):
    source = tmp_path / "a.cdl"
    source.write_text(
        "netcdf a { dimensions: x = 4000000 ; variables: double v(x) ; v:_ChunkSizes = 4000000 ;"
        " data: v = 1 ; }"
    )
    (home / ".s3nc.json").write_text('{"resource_allocation": {"memory": "1MB"}}')
    assert run("gen", source, "-o", "a.zarr").code == 0
    done = run("copy", "a.zarr", "b.zarr", "-d", "1")
    assert "--memory" in done.stderr
    assert run("copy", "a.zarr", "b.zarr", "-d", "1", "--memory", "1GB").code == 0


def test_an_error_says_where_an_alias_was_looked_for(run, home, web, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", web.endpoint)
    web.always, web.code = "404", "NoSuchBucket"
    done = run("dump", "s3://tenancy-1/bucket/x.zarr")
    assert done.code == 1
    assert "the bucket tenancy-1 does not exist" in done.stderr
    assert "'tenancy-1' was taken for a bucket, because none of these files" in done.stderr
    assert str(home / ".s3nc.json") in done.stderr
    assert done.stderr.endswith(" more\n")
