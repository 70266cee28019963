"""Fixtures of the tests of commands."""

from __future__ import annotations

from tests.servers.fixtures import web

__all__ = ["web"]
