"""A store that is a whole bucket: every command on ``s3://BUCKET/``, which is not an object."""

from __future__ import annotations

import uuid
from urllib.request import Request, urlopen

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.key import MARK
from ncz.zmap.remote.credentials import S3Settings
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.s3fs import S3Objects

pytest.importorskip("s3fs", reason="s3fs is not installed")

TEXT = b"""netcdf x {
dimensions:
\tx = UNLIMITED ; // (4 currently)
variables:
\tint v(x) ;
\t\tv:_ChunkSizes = 2 ;
\t\tv:units = "m" ;
data:

 v = 1, 2, 3, 4 ;

group: g {
  variables:
  \tint w ;
  data:

   w = 5 ;
  } // group g
}
"""
KEYS = [
    "/.zattrs", "/.zgroup", "/g/.zattrs", "/g/.zgroup", "/g/w/.zarray", "/g/w/.zattrs", "/g/w/0",
    "/v/.zarray", "/v/.zattrs", "/v/0", "/v/1",
]  # fmt: skip


@pytest.fixture
def bucket(moto, monkeypatch):
    """The objects of an empty bucket."""
    for name, value in moto.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", moto.endpoint)
    name = f"whole-{uuid.uuid4().hex[:8]}"
    urlopen(Request(f"{moto.endpoint}/{name}", method="PUT"), timeout=60).close()
    settings = S3Settings(
        moto.endpoint, name, "", "us-east-1", access_key="any", secret_key="thing"
    )
    objects = S3Objects(settings, RetryPolicy())
    objects.bucket = name  # type: ignore[attr-defined]
    yield objects
    names = objects.page("", deep=True, token=None, most=1000).objects
    if names:
        objects.delete(names)
    objects.close()


@pytest.fixture
def url(bucket):
    return f"s3://{bucket.bucket}/"


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The same store in a directory, and its text."""
    folder = tmp_path_factory.mktemp("bucket")
    (folder / "x.cdl").write_bytes(TEXT)
    ncz.gen(folder / "x.cdl", folder / "x.zarr", notify=ignore_notice)
    return folder


@pytest.mark.parametrize("s3_library", ["obstore"], indirect=True)
def test_every_command(run, bucket, url, local, tmp_path):
    """Each command does the same with a bucket as with a directory."""

    def done(*words, code=0):
        ran = run(*words)
        assert ran.code == code, ran.stderr
        return ran

    def text(place=url):
        return done("dump", "-n", "x", place).text

    for command in (["dump"], ["ls"], ["info"], ["check"], ["edit", "--delete", ":v"]):
        assert "the bucket is empty" in done(*command, url, code=1).stderr
    done("gen", local / "x.cdl", "-o", url)
    assert text() == text(local / "x.zarr")
    assert done("ls", "-r", url).text.split() == KEYS
    assert "0 errors" in done("check", "--data", url).text
    assert done("info", "--json", url).code == 0
    assert "already exists" in done("gen", local / "x.cdl", "-o", url, code=1).stderr
    done("copy", url, tmp_path / "back.zarr", "--verify")
    assert text(tmp_path / "back.zarr") == text(local / "x.zarr")
    done("copy", local / "x.zarr", url, "--overwrite")
    done("copy", "--append", "x", local / "x.zarr", url)
    assert "v = 1, 2, 3, 4, 1, 2, 3, 4 ;" in text()
    done("edit", url, "--rename", "v=z", "--set", 'z:units = "km"')
    assert 'z:units = "km"' in text()
    done("copy", local / "x.zarr", url, "--overwrite")
    assert done("ls", "-r", url).text.split() == KEYS  # nothing of the old store remains
    done("consolidate", url)
    assert "/.zmetadata" in done("ls", url).text
    assert done("diff", url, local / "x.zarr").text == ""
    assert "the target is also a source" in done("copy", url, url, code=1).stderr


def test_the_objects_of_a_killed_command_are_cleaned(run, bucket, url, local):
    bucket.put(MARK, b"")
    bucket.put("v/0", b"1")
    assert run("clean", url).code == 1  # this mark does not name the process
    assert run("clean", url, "--force", "--dry-run").code == 0
    assert bucket.get("v/0", 10) == b"1"
    assert run("clean", url, "--force").code == 0
    assert not bucket.page("", deep=True, token=None, most=10).objects


def test_a_bucket_of_other_things_is_never_overwritten(run, bucket, url, local):
    bucket.put("thesis.tex", b"years")
    ran = run("gen", local / "x.cdl", "-o", url, "--overwrite")
    assert ran.code == 1
    assert "it holds /thesis.tex, which is not part of a store" in ran.stderr
    assert list(bucket.page("", deep=True, token=None, most=10).objects) == ["thesis.tex"]
    assert run("copy", local / "x.zarr", url, "--overwrite").code == 0  # into it, as cp does
    keys = list(bucket.page("", deep=True, token=None, most=1000).objects)
    assert "thesis.tex" in keys
    assert all(key.startswith("x.zarr/") for key in keys if key != "thesis.tex")


def test_a_bucket_that_does_not_exist_is_not_created(run, bucket, local):
    for command in (["dump"], ["ls"], ["clean"], ["gen", local / "x.cdl", "-o"]):
        ran = run(*command, f"s3://{bucket.bucket}-gone/")
        assert ran.code == 1
        assert f"the bucket {bucket.bucket}-gone does not exist" in ran.stderr
        assert ran.stderr.count("\n") == 1
