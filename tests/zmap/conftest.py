"""Fixtures of the zmap tests."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from ncz.zmap.remote.obstore_limits import LIBRARY


@pytest.fixture(autouse=True)
def s3_library(request, monkeypatch):
    """The library for S3; s3fs in tests of servers, unless a test says otherwise."""
    library = getattr(request, "param", "s3fs" if "remote" in request.path.parts else "obstore")
    monkeypatch.setenv(LIBRARY, library)
    return library


@pytest.fixture(params=["s3", "strict_s3"])
def server(request):
    """A URL on each of the S3 servers."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def faulty(web, monkeypatch, tmp_path):
    """The URL of a small store on the server that fails on request."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    web.objects = {"b/k/.zgroup": b"{}", "b/k/v/0": b"0123456789" * 100}
    return f"{web.endpoint}/b/k"


@pytest.fixture
def closing():
    """Takes a zmap, gives it back, and closes it when the test is over."""
    with ExitStack() as stack:

        def keep(zmap):
            stack.callback(getattr(zmap, "discard", zmap.close))
            return zmap

        yield keep
