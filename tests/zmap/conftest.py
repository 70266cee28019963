"""Fixtures of the zmap tests."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from ncz.zmap.objects_obstore import LIBRARY
from tests.servers.fixtures import moto, rclone, s3, strict_s3, web

__all__ = ["moto", "rclone", "s3", "strict_s3", "web"]


@pytest.fixture(autouse=True)
def s3_library(request, monkeypatch):
    """Which library S3 is spoken to with; s3fs unless a test says otherwise."""
    library = getattr(request, "param", "s3fs")
    monkeypatch.setenv(LIBRARY, library)
    return library


@pytest.fixture
def closing():
    """Takes a zmap, gives it back, and closes it when the test is over."""
    with ExitStack() as stack:

        def keep(zmap):
            stack.callback(getattr(zmap, "discard", zmap.close))
            return zmap

        yield keep
