"""``ncz config``, and the budgets of S3netCDF4's configuration file."""

from __future__ import annotations

import json

import pytest

from ncz.errors import ZmapError
from ncz.zmap.settings.s3nc import parse_size, read_budgets

SECRET = "do-not-show-this"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder with configuration files, and an environment without other settings."""
    import os

    for name in os.environ:
        if name.startswith(("AWS_", "NCZ_", "NCRCENV_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("S3_NC_CONFIG", raising=False)
    document = {
        "version": "9",
        "hosts": {
            "s3://tenancy-0": {
                "alias": "tenancy-0",
                "url": "http://tenancy-0.example.org",
                "credentials": {"accessKey": SECRET, "secretKey": SECRET},
            }
        },
        "resource_allocation": {"memory": "1GB", "filehandles": 20},
    }
    (tmp_path / ".s3nc.json").write_text(json.dumps(document))
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
    (home / ".ncrc").write_text(f"AWS.PROFILE=me\nAWS.SECRET_ACCESS_KEY={SECRET}\n")
    found = settings_of(run)
    path = str(home / ".s3nc.json")
    assert found["alias tenancy-0"] == ("http://tenancy-0.example.org", path)
    assert found["open pieces of an aggregation"] == ("20", f"{path}: resource_allocation")
    assert found["AWS_REGION"] == ("eu-west-2", "environment")
    assert found["AWS_SECRET_ACCESS_KEY"] == ("***", "environment")
    assert found["AWS.PROFILE"] == ("me", ".ncrc or .dodsrc of the home folder")
    assert found["AWS.SECRET_ACCESS_KEY"][0] == "***"


def test_a_url_shows_its_server_and_the_source_of_its_credentials(run, home):
    found = settings_of(run, "s3://tenancy-0/bucket/key.zarr")
    assert found["server"][0] == "http://tenancy-0.example.org"
    assert found["bucket"][0] == "bucket"
    assert found["credentials"][0] == "***"
    assert "tenancy-0" in found["credentials"][1]
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


@pytest.mark.parametrize(
    ("text", "size"), [("50MB", 50_000_000), ("1 kB", 1000), ("2YB", 2 * 10**24), ("7", 7)]
)
def test_sizes_have_units(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("budget", [{"memory": "1XB"}, {"filehandles": 0}, {"filehandles": "many"}])
def test_budgets_that_are_not_valid_are_errors(home, budget):
    (home / ".s3nc.json").write_text(json.dumps({"resource_allocation": budget}))
    with pytest.raises(ZmapError, match="resource_allocation is not valid"):
        read_budgets({"HOME": str(home)})
