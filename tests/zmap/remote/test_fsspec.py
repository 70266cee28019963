"""Stores that fsspec serves."""

from __future__ import annotations

import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.fsspec import FilesystemObjects
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.retry_policy import RetryPolicy
from tests.zmap.remote.test_store import fill

pytest.importorskip("s3fs", reason="s3fs is not installed")
pytest.importorskip("obstore", reason="obstore is not installed")


def test_options_of_an_fsspec_file_system(tmp_path, monkeypatch):
    seen = {}
    real = FilesystemObjects.__init__

    def spy(self, url, options, *rest):
        seen.update(options)
        real(self, url, {}, *rest)

    monkeypatch.setattr(FilesystemObjects, "__init__", spy)
    fill("fsspec+memory://options/x", {".zgroup": b"{}"})
    open_zmap(parse_location("fsspec+memory://options/x#fsspec.token=anon&fsspec.quick=true"))
    assert seen == {"token": "anon", "quick": True}


@pytest.mark.parametrize("url", ["gs://bucket/x#fsspec.token=anon", "fsspec+gs://bucket/x"])
def test_fsspec_serves_urls_that_name_it(url, monkeypatch):
    monkeypatch.setattr(FilesystemObjects, "__init__", lambda self, *_: setattr(self, "root", "r"))
    objects, root, _ = connect(parse_location(url), RetryPolicy())
    assert (type(objects), root) == (FilesystemObjects, "r")
