"""Which requests a server on this machine answers."""

from __future__ import annotations

import pytest

from ncz.commands.serve.access import AccessError, access_for, is_loopback


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost", True),
        ("LOCALHOST:8000", True),
        ("localhost.", True),
        ("127.0.0.1:80", True),
        ("127.9.9.9", True),
        ("[::1]:80", True),
        ("evil.example", False),
        ("evil.example:8000", False),
        ("10.0.0.1", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_names_of_the_loopback_address(host, allowed):
    access = access_for(None)
    assert access.token is None
    assert access.allows_host(host) == allowed


def test_a_server_that_others_can_reach():
    access = access_for("Data.Example")
    assert access.is_open
    assert access.allows_host("data.example:80")
    assert access.allows_host("10.0.0.1")
    assert not access.allows_host("evil.example")
    assert access.token is not None
    assert access.allows_token(access.token)
    assert not access.allows_token(access.token[:-1])
    assert not access.allows_token("\u00e9")
    assert access_for(None, has_token=True).token is not None


def test_sites():
    access = access_for(None, ["https://a.example", "null"])
    assert access.allows_origin("https://a.example", "h")
    assert access.allows_origin("null", "h")
    assert access.allows_origin("HTTP://localhost:8", "localhost:8")
    assert not access.allows_origin("https://localhost:8", "localhost:8")
    assert not access.allows_origin("http://a.example", "h")


@pytest.mark.parametrize("origin", ["", "a.example", "https://a.example/", "https://a.example/x"])
def test_texts_that_are_not_an_origin(origin):
    with pytest.raises(AccessError, match="is not an origin"):
        access_for(None, [origin])


@pytest.mark.parametrize(
    ("host", "expected"),
    [("localhost", True), ("127.0.0.1", True), ("::1", True), ("0.0.0.0", False), ("h", False)],
)
def test_loopback(host, expected):
    assert is_loopback(host) == expected
