"""The proxies and passwords that the environment names."""

from __future__ import annotations

import base64
import os
import sys
from urllib.parse import urlsplit

import pytest

from ncz.errors import ZmapError
from ncz.zmap.remote.proxies import Proxy, authorization, find_proxy


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.fixture
def environment(monkeypatch, tmp_path):
    for name in [*os.environ]:
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("url", "proxy", "shown"),
    [
        ("http://proxy:3128", Proxy("proxy", 3128, None), "http://proxy:3128"),
        ("proxy", Proxy("proxy", 80, None), "http://proxy:80"),
        ("http://me:a%40b@proxy", Proxy("proxy", 80, basic("me:a@b")), "http://proxy:80"),
        ("http://[::1]:8080", Proxy("::1", 8080, None), "http://[::1]:8080"),
    ],
)
def test_a_proxy_of_the_environment(environment, url, proxy, shown):
    environment.setenv("https_proxy", url)
    found = find_proxy("https", "example.org")
    assert found is not None
    assert found == proxy
    assert found.url == shown
    headers = {"Proxy-Authorization": proxy.authorization} if proxy.authorization else {}
    assert found.headers == headers


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="the system names proxies, too")
def test_a_server_without_a_proxy(environment):
    assert find_proxy("https", "example.org") is None
    environment.setenv("https_proxy", "http://proxy:3128")
    environment.setenv("no_proxy", "example.org")
    assert find_proxy("https", "example.org") is None
    assert find_proxy("http", "example.com") is None


@pytest.mark.parametrize("url", ["socks5://me:secret@proxy:1", "http://", "http://proxy:port"])
def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(environment, url):
    environment.setenv("https_proxy", url)
    with pytest.raises(ZmapError, match="proxy for https: cannot be used") as caught:
        find_proxy("https", "example.org")
    assert "HTTPS_PROXY" in str(caught.value.hint)
    assert "secret" not in f"{caught.value.location}{caught.value.hint}"


def test_the_password_of_a_url_goes_before_the_one_of_the_netrc_file(environment, tmp_path):
    netrc = tmp_path / "passwords"
    netrc.write_text("machine example.org login you password there\n")
    netrc.chmod(0o600)
    environment.setenv("NETRC", str(netrc))
    assert authorization(urlsplit("https://me:a%3Ab@example.org/x")) == basic("me:a:b")
    assert authorization(urlsplit("https://example.org/x")) == basic("you:there")
    assert authorization(urlsplit("https://example.com/x")) is None
    netrc.write_text("machine\n")
    assert authorization(urlsplit("https://example.org/x")) is None
