"""Fixtures of the zmap tests."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.servers.fixtures import moto, rclone, s3, strict_s3, web

__all__ = ["moto", "rclone", "s3", "strict_s3", "web"]


@pytest.fixture
def closing():
    """Takes a zmap, gives it back, and closes it when the test is over."""
    with ExitStack() as stack:

        def keep(zmap):
            stack.callback(getattr(zmap, "discard", zmap.close))
            return zmap

        yield keep
