"""Connections to web servers: kept, broken, through proxies, and with passwords."""

from __future__ import annotations

import socket
import ssl
import threading
from base64 import b64encode

import pytest

from ncz.errors import NczError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote.opening import open_remote
from ncz.zmap.remote.retry_policy import RetryPolicy
from tests.servers.threads import serving
from tests.zmap.remote.web.proxies import ProxyHandler

HELD = {"x.zarr/.zgroup": b"{}", "x.zarr/v/0": b"0123456789"}
ONCE = RetryPolicy(attempts=1, connect=5, read=20)
SECRET = "Basic " + b64encode(b"me:se cret").decode()


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No proxy and no password of the user who runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NETRC"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def store(web):
    web.objects = dict(HELD)
    return f"{web.endpoint}/x.zarr"


@pytest.fixture
def proxy():
    with serving(ProxyHandler) as served:
        served.objects = dict(HELD)
        yield served


@pytest.fixture
def secure(certificate):
    """A server with TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with serving(tls=context) as served:
        served.objects = dict(HELD)
        yield served


def opened(url, closing, policy=ONCE):
    return closing(open_remote(parse_location(url), retry_policy=policy))


def test_one_connection_serves_many_requests(web, store, closing):
    zmap = opened(store, closing)
    web.clients.clear()
    for _ in range(3):
        assert zmap.get("v/0") == b"0123456789"
        assert zmap.get_range("v/0", 2, 3) == b"234"
        assert zmap.get("v/1") is None
    assert len(web.clients) == 1


def test_a_kept_connection_that_the_server_has_closed_is_replaced(web, store, closing):
    again = RetryPolicy(attempts=2, connect=5, read=20)  # the server may close it at this moment
    zmap = opened(store, closing, again)
    web.leaves = True
    web.clients.clear()
    assert [zmap.get("v/0") for _ in range(3)] == [b"0123456789"] * 3
    assert len(web.clients) == 3


def test_closing_the_store_ends_a_request(web, store, closing):
    zmap = opened(store, closing)
    web.always = "hang"
    raised = []

    def read():
        try:
            zmap.get("v/0")
        except ZmapError as error:
            raised.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    assert web.hanging.wait(60)
    zmap.close()
    thread.join(60)
    assert not thread.is_alive()
    assert "closed the connection" in str(raised[0])


def test_a_connection_that_opens_while_the_store_is_closed_is_closed(
    web, store, closing, monkeypatch
):
    zmap = opened(store, closing)
    web.leaves = True  # so that the next request connects again
    zmap.get("v/0")
    look_up = socket.getaddrinfo

    def close_first(*args, **kwargs):
        zmap.close()
        return look_up(*args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", close_first)
    with pytest.raises(ZmapError):
        zmap.get("v/0")


def test_an_answer_that_is_not_http(closing, web, store):
    zmap = opened(store, closing)
    web.extra = {f"X-{n}": "y" for n in range(200)}
    with pytest.raises(ZmapError, match="sent an invalid response"):
        zmap.get("v/0")


@pytest.mark.parametrize("how", ["netrc", "home", ".ncrc", ".daprc", ".dodsrc", "for a host"])
def test_passwords(web, store, closing, monkeypatch, tmp_path, how):
    file = tmp_path / (".netrc" if how == "home" else "names")
    file.write_text('machine 127.0.0.1 login me password "se cret"')
    if how == "netrc":
        monkeypatch.setenv("NETRC", str(file))
    elif how == "for a host":
        (tmp_path / ".dodsrc").write_text(f"[{web.endpoint}]HTTP.NETRC={file}\n")
    elif how != "home":
        (tmp_path / how).write_text("HTTP.NETRC=~/names\n")
    opened(store, closing)
    assert [headers.get("Authorization") for headers in web.headers] == [SECRET] * len(web.headers)


def test_the_working_folder_names_no_file_of_passwords(web, store, closing, monkeypatch, tmp_path):
    (tmp_path / "names").write_text("machine 127.0.0.1 login me password x")
    here = tmp_path / "here"
    here.mkdir()
    (here / ".dodsrc").write_text("HTTP.NETRC=~/names\n")
    monkeypatch.chdir(here)
    opened(store, closing)
    assert not any("Authorization" in headers for headers in web.headers)


def test_a_server_without_a_password_gets_none(web, store, closing, tmp_path):
    (tmp_path / ".netrc").write_text("machine example.org login me password x")
    opened(store, closing)
    assert not any("Authorization" in headers for headers in web.headers)


def test_a_proxy_is_used_for_other_servers(proxy, closing, monkeypatch):
    monkeypatch.setenv("http_proxy", proxy.endpoint.replace("http://", "http://me:se%20cret@"))
    zmap = opened("http://example.invalid/x.zarr", closing)
    assert zmap.get("v/0") == b"0123456789"
    assert proxy.requests[-1] == "GET http://example.invalid/x.zarr/v/0"
    assert proxy.headers[-1]["Host"] == "example.invalid"
    assert proxy.headers[-1]["Proxy-Authorization"] == SECRET


def test_no_proxy_is_used_for_excepted_servers(web, store, proxy, closing, monkeypatch):
    monkeypatch.setenv("http_proxy", proxy.endpoint)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    opened(store, closing)
    assert proxy.requests == []


def test_a_proxy_of_another_kind_is_refused(store, monkeypatch):
    monkeypatch.setenv("http_proxy", "socks5://me:secret@127.0.0.1:1")
    with pytest.raises(ZmapError, match="proxy for http: cannot be used") as caught:
        open_zmap(parse_location(store))
    assert "set HTTP_PROXY to a URL that starts with http://" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_tls_with_a_certificate_that_is_trusted(secure, certificate, closing, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    zmap = opened(f"{secure.endpoint}/x.zarr", closing)
    assert zmap.get("v/0") == b"0123456789"


def test_tls_through_a_proxy(secure, proxy, certificate, closing, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    monkeypatch.setenv("https_proxy", proxy.endpoint)
    zmap = opened(f"{secure.endpoint}/x.zarr", closing)
    assert zmap.get("v/0") == b"0123456789"
    assert set(proxy.requests) == {f"CONNECT {secure.endpoint.removeprefix('https://')}"}


def test_a_proxy_that_makes_no_tunnel(secure, proxy, monkeypatch):
    monkeypatch.setenv("https_proxy", proxy.endpoint)
    proxy.always = "407"
    with pytest.raises(ZmapError, match=r"the proxy refuses to connect: .* 407"):
        open_zmap(parse_location(f"{secure.endpoint}/x.zarr"))


def test_tls_with_a_certificate_that_nobody_knows(secure):
    with pytest.raises(ZmapError, match=r"certificate of https://127\S+ is not trusted"):
        open_zmap(parse_location(f"{secure.endpoint}/x.zarr"))


@pytest.mark.parametrize("host", ["127.0.0.1:99999", "host:x", "a b"])
def test_hosts_that_are_not_valid(host):
    with pytest.raises(NczError, match=r"URL|host"):
        open_remote(parse_location(f"http://{host}/x.zarr"), retry_policy=ONCE)
