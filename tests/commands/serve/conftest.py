"""Fixtures of the tests of a server."""

import pytest


@pytest.fixture
def every_request_checks(monkeypatch):
    """Let each request check the source, however long the check before it took."""
    monkeypatch.setattr("ncz.commands.serve.site._CHECKS", 0)
