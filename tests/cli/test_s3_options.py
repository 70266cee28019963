"""The options for S3 URLs, and notices about settings that have no effect."""

from __future__ import annotations

import os
import sys

import pytest

from tests.sampled import paired

CREDENTIALS = "[lab]\naws_access_key_id = LABKEY\naws_secret_access_key = LABSECRET\n"
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("AWS_", "NCZ", "NCRC", "S3_NC", "XDG", "NCTRACING")):
            monkeypatch.delenv(name)
    (tmp_path / "home/.aws").mkdir(parents=True)
    (tmp_path / "home/.aws/credentials").write_text(CREDENTIALS)
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "home"


COMMANDS = [
    ["dump", "s3://b/k"],
    ["ls", "s3://b/k"],
    ["ls", "s3://b/k", "--cat", "/v"],
    ["consolidate", "s3://b/k"],
    ["gen", "-", "-o", "s3://b/k"],
    ["copy", "s3://b/k", "out.zarr"],
    ["copy", "-", "s3://b/k"],
    ["copy", "--mode", "reference", "s3://b/k", "refs.json"],
    ["copy", "--append", "time", "s3://b/k", "s3://b/k"],
    ["info", "s3://b/k"],
    ["diff", "s3://b/k", "s3://b/l"],
    ["check", "s3://b/k"],
    ["edit", "s3://b/k", "--set", "v:a = 1"],
    ["clean", "s3://b/k"],
]


def code_of_trouble(command):
    """Return the exit code of an error, which is 2 for diff."""
    return 2 if command[0] == "diff" else 1


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
class TestEveryCommand:
    """Each option acts in each command as the key of the fragment does."""

    def test_the_profile(self, run, command):
        done = run(*command, "--profile", "labb", stdin=b"netcdf x {}")
        assert done.code == code_of_trouble(command)
        assert "the profile 'labb' does not exist; available: lab" in done.stderr

    def test_the_server(self, run, command):
        done = run(*command, "--endpoint-url", "ftp://x", stdin=b"netcdf x {}")
        assert done.code == code_of_trouble(command)
        assert "s3://b/k: the URL of the server is not valid; write https://HOST" in done.stderr

    def test_the_region(self, run, command):
        done = run(*command, "--region", "not/valid", stdin=b"netcdf x {}")
        assert done.code == code_of_trouble(command)
        assert "s3://b/k: the region is not valid" in done.stderr

    def test_anonymous_access(self, run, command):
        done = run(*command, "--anon", "--profile", "lab", stdin=b"netcdf x {}")
        assert done.code == 2
        assert "--profile and --anon cannot be used together" in done.stderr


def test_the_fragment_comes_before_the_options(run):
    done = run("dump", "s3://b/k#aws.profile=other", "--profile", "lab")
    assert "the profile 'other' does not exist; available: lab" in done.stderr


def test_options_are_for_both_ends_of_a_copy(run, web):
    web.objects = {"b/in.zarr/.zgroup": b'{"zarr_format": 2}'}
    words = ("--endpoint-url", web.endpoint, "--anon", "--region", "eu-west-1")
    done = run("copy", "s3://b/in.zarr", "s3://b/out.zarr", *words)
    assert done.code == 0, done.stderr
    assert "b/out.zarr/.zgroup" in web.objects
    assert not [headers for headers in web.headers if "Authorization" in headers]


PAYER = "x-amz-request-payer"


@pytest.mark.parametrize(
    ("agreed", "by_s3fs"), paired(["option", "fragment", "AWS_REQUEST_PAYER"], [False, True])
)
def test_the_requester_pays_for_every_request(run, web, monkeypatch, agreed, by_s3fs):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    if by_s3fs:
        monkeypatch.setitem(sys.modules, "obstore.store", None)
    web.objects = {"b/in.zarr/.zgroup": b'{"zarr_format": 2}'}
    fragment = "#aws.requester_pays=true" if agreed == "fragment" else ""
    words = ["--requester-pays"] if agreed == "option" else []
    if agreed == "AWS_REQUEST_PAYER":
        monkeypatch.setenv(agreed, "requester")
    ends = (f"s3://b/in.zarr{fragment}", f"s3://b/out.zarr{fragment}")
    done = run("copy", *ends, "--endpoint-url", web.endpoint, *words)
    assert done.code == 0, done.stderr
    assert len(web.headers) > 3
    assert {{k.lower(): v for k, v in each.items()}.get(PAYER) for each in web.headers} == {
        "requester"
    }


def test_a_denied_user_learns_that_the_requester_may_have_to_pay(run, web, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    web.always, web.code = "403", "AccessDenied"
    words = ("info", "s3://b/x.zarr", "--endpoint-url", web.endpoint)
    told = "a bucket whose requester pays needs #aws.requester_pays=true"
    assert told in run(*words).stderr
    assert told not in run(*words, "--requester-pays").stderr


def test_a_local_store_needs_none_of_them(run):
    words = ("--profile", "nobody", "--endpoint-url", "ftp://x", "--region", "a b")
    assert run("gen", "-", "-o", "x.zarr", *words, stdin=b"netcdf x {}").code == 0
    assert run("dump", "x.zarr", *words).code == 0


class TestIgnoredSettings:
    """Settings that netCDF-C reads from the environment and from .ncrc."""

    def test_consolidation(self, run, monkeypatch):
        monkeypatch.setenv("NCZARR_CONSOLIDATED", "1")
        done = run("gen", "-", "-o", "x.zarr", stdin=b"netcdf x {}")
        assert "NCZARR_CONSOLIDATED is ignored: options decide how a store is written; use" in (
            done.stderr
        )
        assert not os.path.exists("x.zarr/.zmetadata")
        assert run("dump", "x.zarr").stderr == ""

    @pytest.mark.parametrize("folder", ["home", "here"])
    def test_the_separator(self, run, home, folder):
        (home.parent / folder / ".ncrc").write_text("ZARR.DIMENSION_SEPARATOR=/\n")
        done = run("gen", "-", "-o", "x.zarr", stdin=b"netcdf x {}")
        assert (
            "ZARR.DIMENSION_SEPARATOR in .ncrc is ignored: options decide how a store is written;"
            " use --separator" in done.stderr
        )
        assert run("dump", "x.zarr").stderr == ""

    def test_a_file_in_the_working_folder(self, run):
        with open(".ncrc", "w") as file:
            file.write("AWS.PROFILE=lab\n")
        done = run("dump", "s3://b/k#aws.endpoint_url=ftp://x")
        assert "AWS.PROFILE of this file are ignored, because it is in the working" in done.stderr
        assert "LABKEY" not in done.stderr
