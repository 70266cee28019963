"""Answers of the server: objects, parts of them, pages, and refusals."""

from __future__ import annotations

import http.client
import json
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import ncz
from ncz.commands.serve.command import DatasetServer
from ncz.errors import NczError, Notice, ignore_notice
from tests.conftest import ROOT, with_signals_heeded

pytest.importorskip("tornado", reason="tornado is not installed")

CHUNK = "temperature/0.0.0"
ORIGIN = "https://viewer.example"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("serve") / "weather.zarr"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", target, notify=ignore_notice)
    return target


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[ncz.Server]:
    with ncz.serve(store, allow_origin=ORIGIN, notify=ignore_notice) as server:
        yield server


def test_a_store_has_its_name_with_and_without_the_suffix(server):
    for name in ("weather", "weather.zarr"):
        assert ask(server, f"{name}/{CHUNK}").status == 200
        assert ask(server, f"{name}/").status == 200
    assert ask(server, "climate.zarr/.zgroup").status == 404


class Answer:
    """The status, the headers and the body of an answer."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        self.body = answer.read()


def ask(
    server: ncz.Server | DatasetServer, path: str, method: str = "GET", **headers: str
) -> Answer:
    """Send a request; ``If_Range`` means ``If-Range``."""
    address = urlsplit(server.address)
    assert address.hostname
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, address.path + path, headers=named)
    answer = Answer(connection.getresponse())
    connection.close()
    return answer


def send(server: ncz.Server, request: bytes) -> bytes:
    """Send bytes, and return the response until the server closes the connection."""
    address = urlsplit(server.address)
    assert address.hostname
    assert address.port
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        connection.sendall(request)
        received = b""
        while part := connection.recv(1 << 16):
            received += part
    return received


def test_objects_match_the_store(server, store):
    answer = ask(server, f"weather/{CHUNK}")
    assert answer.status == 200
    assert answer.body == (store / CHUNK).read_bytes()
    assert answer.headers["content-type"] == "application/octet-stream"
    document = ask(server, "weather/.zmetadata")
    assert document.headers["content-type"] == "application/json"
    assert "temperature/.zarray" in json.loads(document.body)["metadata"]
    for path in ("weather/temperature/9.9.9", "weather/none", "other/.zgroup", "weather//.zgroup"):
        missing = ask(server, path)
        assert missing.status == 404
        assert "etag" not in missing.headers


def test_head_has_the_headers_of_get(server):
    for path in ("weather/.zmetadata", f"weather/{CHUNK}", "weather/station/0"):
        full, head = ask(server, path), ask(server, path, "HEAD")
        assert head.body == b""
        assert head.headers["content-length"] == str(len(full.body))
        assert {**head.headers, "date": ""} == {**full.headers, "date": ""}
    assert ask(server, "weather/none", "HEAD").status == 404


@pytest.mark.parametrize("path", [f"weather/{CHUNK}", "weather/station/0", "weather/.zmetadata"])
def test_ranges(server, path):
    full = ask(server, path).body
    size = len(full)
    for asked, part in {
        "bytes=0-3": range(4),
        "bytes=2-": range(2, size),
        "bytes=-5": range(size - 5, size),
        f"bytes=-{size + 9}": range(size),
        f"bytes=4-{size + 9}": range(4, size),
    }.items():
        answer = ask(server, path, Range=asked)
        assert answer.status == 206
        assert answer.body == full[part[0] : part[-1] + 1]
        assert answer.headers["content-range"] == f"bytes {part[0]}-{part[-1]}/{size}"
        head = ask(server, path, "HEAD", Range=asked)
        assert (head.status, head.headers["content-length"]) == (206, str(len(part)))
    beyond = ask(server, path, Range=f"bytes={size}-")
    assert (beyond.status, beyond.body) == (416, b"")
    assert beyond.headers["content-range"] == f"bytes */{size}"
    for ignored in ("bytes=5-2", "bytes=0-1,3-4", "items=0-1", "bytes=a-b", "bytes=-"):
        assert ask(server, path, Range=ignored).body == full


def test_conditional_requests(server):
    path = f"weather/{CHUNK}"
    first = ask(server, path)
    tag = first.headers["etag"]
    for known in (tag, f'"x", {tag}', f"W/{tag}", "*"):
        answer = ask(server, path, If_None_Match=known)
        assert (answer.status, answer.body) == (304, b"")
        assert answer.headers["etag"] == tag
    assert ask(server, path, If_None_Match='"x"').body == first.body
    assert ask(server, path, Range="bytes=0-1", If_Range=tag).status == 206
    assert ask(server, path, Range="bytes=0-1", If_Range='"x"').body == first.body
    assert ask(server, "weather/none", If_None_Match="*").status == 404
    assert ask(server, "weather/.zmetadata").headers["etag"] != tag


def test_only_named_sites_may_read(server):
    path = "weather/.zmetadata"
    named = ask(server, path, Origin=ORIGIN)
    assert named.headers["access-control-allow-origin"] == ORIGIN
    assert "ETag" in named.headers["access-control-expose-headers"]
    assert named.headers["vary"] == "Origin"
    before = ask(
        server, path, "OPTIONS", Origin=ORIGIN, Access_Control_Request_Private_Network="true"
    )
    assert before.status == 204
    assert "Range" in before.headers["access-control-allow-headers"]
    assert before.headers["access-control-allow-private-network"] == "true"
    for other in ("https://evil.example", "null", "http://127.0.0.1"):
        for method in ("GET", "OPTIONS"):
            answer = ask(server, path, method, Origin=other)
            assert answer.status == 403
            assert "access-control-allow-origin" not in answer.headers
            assert b"temperature" not in answer.body
    own = f"http://{urlsplit(server.address).netloc}"
    assert ask(server, path, Origin=own).status == 200
    with pytest.raises(NczError, match="is not an origin"):
        ncz.serve([], allow_origin="example.org/path")


def test_names_that_lead_here_by_dns_are_refused(server):
    port = urlsplit(server.address).port
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "x]",
    ):
        assert ask(server, "weather/.zmetadata", Host=host).status == 421
    for host in (f"localhost:{port}", "LOCALHOST", "127.0.0.1:9", "[::1]:80", "127.9.9.9"):
        assert ask(server, "weather/.zmetadata", Host=host).status == 200


def test_nothing_can_be_written(server, store):
    before = (store / CHUNK).read_bytes()
    for method in ("PUT", "POST", "DELETE", "PATCH", "TRACE", "PROPFIND"):
        answer = ask(server, f"weather/{CHUNK}", method)
        assert answer.status == 405
        assert answer.headers["allow"] == "GET, HEAD, OPTIONS"
    assert (store / CHUNK).read_bytes() == before


@pytest.mark.parametrize(
    "path",
    [
        "/weather/../../../../etc/passwd", "/weather/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc",
        "/weather/temperature/..%5c..", "/weather/temperature/%00", "//etc/passwd", "/weather/%ff",
        "/weather/temperature/0.0.0%0a", "/weather/temperature/" + "9" * 9000, "/weather/./.zgroup",
        "/weather/temperature/" + ".".join("0" * 900), "/%2fetc/passwd", "/weather/.zgroup/",
    ],
)  # fmt: skip
def test_paths_lead_nowhere_else(server, path):
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    head, _, body = send(server, request.encode()).partition(b"\r\n\r\n")
    assert head.split()[1] in (b"404", b"400")
    assert len(body) < 200


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * (64 << 10) + b"\r\n\r\n",
        b"GET /" + b"x" * (64 << 10) + b" HTTP/1.1\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999999\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 600 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ],
    ids=["header", "path", "body", "chunked", "tls", "version"],
)
def test_hostile_requests_end_the_connection(server, request_bytes):
    try:
        answer = send(server, request_bytes)
    except ConnectionError:  # closed while it was sent
        answer = b""
    assert not answer.startswith(b"HTTP/1.1 200")
    assert ask(server, "weather/.zgroup").status == 200


def test_slow_clients_are_closed_and_hold_up_nobody(store, monkeypatch):
    monkeypatch.setattr("ncz.commands.serve.site.IDLE", 0.2)
    monkeypatch.setattr("ncz.commands.serve.server.IDLE", 0.2)
    with ncz.serve(store, notify=ignore_notice) as server:
        assert send(server, b"GET / HTTP/1.1\r\nHost: 127.0") == b""
        assert send(server, b"") == b""


def test_connections_are_limited(store, monkeypatch):
    monkeypatch.setattr("ncz.commands.serve.server.MOST_CONNECTIONS", 3)
    with ncz.serve(store, notify=ignore_notice) as server:
        address = urlsplit(server.address)
        assert address.hostname
        assert address.port
        held = []
        for _ in range(3):
            connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
            connection.request("GET", "/weather/.zgroup")
            connection.getresponse().read()
            held.append(connection)
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            ask(server, "weather/.zgroup")
        held.pop().close()
        for connection in held:
            connection.close()


def test_64_parallel_clients(server, store):
    paths = [f"weather/{key}" for key in ncz.ls(store, recursive=True) if "temperature" in key]
    paths = [path.replace("//", "/") for path in paths] + [
        "weather/.zmetadata",
        "weather/station/0",
    ]
    expected = {path: ask(server, path).body for path in paths}

    def client(number: int) -> bool:
        turned = paths[number % len(paths) :] + paths[: number % len(paths)]
        return all(ask(server, path).body == expected[path] for path in turned)

    with ThreadPoolExecutor(64) as pool:
        assert all(pool.map(client, range(64)))


def test_parts_and_several_datasets_are_served(store, tmp_path):
    source, part = store, tmp_path / "part.zarr"
    chosen = {"time": slice(1, 3)}
    ncz.copy(source, part, isel=chosen, notify=ignore_notice)
    with ncz.serve([source, source], isel=chosen, notify=ignore_notice) as server:
        assert sorted(server.addresses) == ["weather", "weather-2"]
        assert ncz.diff(server.addresses["weather-2"], part, notify=ignore_notice) == []


def test_pages_show_names_as_text(tmp_path):
    text = 'netcdf x { dimensions: x = 1 ; variables: int v(x) ; :title = "<img src=x>&" ; }'
    (tmp_path / "x.cdl").write_text(text)
    hostile = tmp_path / "a<b>&c'.zarr"
    ncz.gen(tmp_path / "x.cdl", hostile, notify=ignore_notice)
    with ncz.serve([hostile, hostile], notify=ignore_notice) as server:
        assert len(server.addresses) == 2
        front = ask(server, "")
        assert b"a&lt;b&gt;&amp;c&#x27;" in front.body
        assert b"<b>" not in front.body
        assert "default-src 'none'" in front.headers["content-security-policy"]
        page = ask(server, "a%3Cb%3E&c'/")
        assert b"&lt;img src=x&gt;" in page.body
        assert b"<img" not in page.body
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] == "no-referrer"


def test_a_token_is_part_of_the_address(store):
    with ncz.serve(store, token=True, notify=ignore_notice) as server:
        token = urlsplit(server.address).path.strip("/")
        assert len(token) >= 32
        assert server.addresses["weather"] == f"{server.address}weather"
        assert ask(server, "weather/.zgroup").status == 200
        address = urlsplit(server.address)
        assert address.hostname
        other = token[:-1] + ("y" if token[-1] == "x" else "x")
        for path in ("/weather/.zgroup", f"/{other}/weather/.zgroup", "/", "/%C3%A9/x"):
            connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
            connection.request("GET", path)
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (404, b"nothing is here\n")
            connection.close()


def test_other_machines_need_a_token(store):
    with ncz.serve(store, host="0.0.0.0", notify=ignore_notice) as server:
        assert urlsplit(server.address).path.strip("/")
        assert ask(server, "weather/.zgroup").status == 200


@pytest.mark.usefixtures("every_request_checks")
def test_a_source_that_changes_is_an_error_and_no_mixture(tmp_path):
    source, other = tmp_path / "x.zarr", tmp_path / "x.nc"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", source, notify=ignore_notice)
    ncz.copy(source, other, notify=ignore_notice)
    told: list[Notice] = []
    with ncz.serve([source, other], notify=told.append) as server:
        assert ask(server, f"x/{CHUNK}").status == 200
        (source / "wind_speed" / "1.0.0").write_bytes(b"new")
        assert ask(server, f"x/{CHUNK}").status == 200  # unchanged
        changed = ask(server, "x/wind_speed/1.0.0")
        assert changed.status == 500
        assert b"changed" in changed.body
        for path in (CHUNK, ".zmetadata"):  # from now on
            assert ask(server, f"x/{path}", If_None_Match="*").status == 500
        assert len(told) == 1

        assert ask(server, f"x-2/{CHUNK}").status == 200
        other.write_bytes(other.read_bytes() + b"\0")
        assert ask(server, f"x-2/{CHUNK}").status == 500
        assert ask(server, "x-2/.zmetadata").status == 500
        assert len(told) == 2


@pytest.mark.usefixtures("every_request_checks")
def test_changed_metadata_are_noticed(tmp_path):
    source = tmp_path / "x.zarr"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", source, notify=ignore_notice)
    with ncz.serve(source, notify=ignore_notice) as server:
        ncz.edit(source, set=':title = "new"', notify=ignore_notice)
        assert ask(server, "x/.zmetadata").status == 500


def test_a_damaged_chunk_is_an_error(tmp_path):
    source = tmp_path / "x.zarr"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", source, notify=ignore_notice)
    (source / CHUNK).write_bytes(b"damaged")
    told: list[Notice] = []
    with ncz.serve(source, zarr_format=3, notify=told.append) as server:
        for _ in range(2):
            answer = ask(server, "x/temperature/c/0/0/0")
            assert answer.status == 500
            assert answer.body.count(b"\n") == 1
        assert ask(server, "x/temperature/c/1/0/0").status == 200
    assert [notice.code for notice in told] == ["data-unreadable"]


def test_an_address_in_use_is_one_line(server, run, store):
    port = urlsplit(server.address).port
    ran = run("serve", store, "--port", str(port))
    assert ran.code == 1
    assert ran.stderr.count("\n") == 1
    assert "cannot listen there" in ran.stderr
    assert run("serve", store, "--host", "no such host").code == 1
    assert run("serve", store, "--allow-origin", "x").code == 2


def test_an_interruption_ends_it_in_one_line(store):
    import signal

    command = [sys.executable, "-m", "ncz", "serve", str(store), "-q"]
    with with_signals_heeded(command, stdout=-1, stderr=-1) as process:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        assert address.endswith("/weather")
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert out == b""
        assert errors == b"ncz: interrupted; the server has ended\n"
