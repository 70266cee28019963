"""Aliases of servers, which have secrets."""

from __future__ import annotations

from typing import Any

from ncz.record import replace
from ncz.zmap.alias import Alias


def test_secrets_are_not_shown():
    secrets: dict[str, Any] = {
        "access_key": "s3cr3t-a",
        "secret_key": "s3cr3t-b",
        "session_token": "s3cr3t-c",
    }
    alias = Alias(endpoint="https://example.org", **secrets)
    assert "https://example.org" in repr(alias)
    assert "s3cr3t" not in f"{alias} {alias!r}"


def test_where_an_alias_is_written_makes_no_difference():
    alias = Alias(endpoint="https://example.org", file="/a", unused={"a": "b"})
    assert alias == replace(alias, file="/b", unused={})
    assert alias != replace(alias, trusted=False)
