"""Fixtures that start servers; `tests/conftest.py` imports them, so that each is started once."""

from __future__ import annotations

import pytest

from tests.servers.processes import moto_server, rclone_server, share_models
from tests.servers.threads import CloudHandler, serving


@pytest.fixture(scope="session")
def moto():
    """moto's S3 server."""
    share_models()
    with moto_server() as server:
        yield server


@pytest.fixture(scope="session")
def rclone(tmp_path_factory):
    """rclone's S3 server."""
    share_models()
    with rclone_server(str(tmp_path_factory.mktemp("rclone"))) as server:
        yield server


@pytest.fixture
def s3(moto, monkeypatch):
    """An empty prefix on moto, as a URL."""
    with moto.place(monkeypatch) as url:
        yield url


@pytest.fixture
def strict_s3(rclone, monkeypatch):
    """An empty prefix on rclone, as a URL."""
    with rclone.place(monkeypatch) as url:
        yield url


@pytest.fixture
def web():
    """A server in a thread that fails on request."""
    share_models()
    with serving() as served:
        yield served


@pytest.fixture
def cloud(monkeypatch):
    """A server that acts as Google and as Azure."""
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "me")
    with serving(CloudHandler) as served:
        monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", served.endpoint)
        monkeypatch.setenv("GOOGLE_BASE_URL", served.endpoint)
        monkeypatch.setenv("GOOGLE_BEARER_TOKEN", "any")
        yield served
