"""Answers of the server of the page: values, texts, and refusals."""

from __future__ import annotations

import http.client
import json
import os
import signal
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from ncz.zmap.location import location_of, parse_location
from tests.commands.serve.test_requests import ask
from tests.conftest import ROOT, with_signals_heeded

pytest.importorskip("tornado", reason="tornado is not installed")

from ncz.commands.view.server import run_page_server
from ncz.commands.view.view_options import ViewOptions

CDL = r"""netcdf kinds { types: byte enum sky { clear = 0, cloudy = 1, rain = 7 } ;
  compound pair { int a ; float b ; } ;
dimensions: time = 3 ; lat = 4 ; lon = 6 ; nv = 2 ; station = 3 ; strlen = 8 ; u = UNLIMITED ;
variables:
  double time(time) ; time:units = "days since 2026-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ; lat:bounds = "lat_bnds" ;
  float lat_bnds(lat, nv) ; float lon(lon) ; lon:units = "degrees_east" ;
  int crs ; crs:grid_mapping_name = "latitude_longitude" ;
  short t(time, lat, lon) ; t:units = "K" ; t:long_name = "temperature" ; t:scale_factor = 0.5 ;
    t:_FillValue = -1s ; t:grid_mapping = "crs" ;
  float swapped(lon, lat) ; double exact(lat, lon) ; int64 big(lon) ;
  byte quality(lat, lon) ; quality:flag_values = 0b, 1b, 2b ;
    quality:flag_meanings = "good doubtful bad" ;
  byte bits(lon) ; bits:flag_masks = 1b, 2b ; bits:flag_meanings = "wet cold" ;
  sky cover(lon) ; char station(station, strlen) ; string remark(station) ; pair p(station) ;
  float rain(station) ; float one ; float later(u) ; string grid(lat, lon) ;
data: time = 0, 1, 2 ; lat = 40, 45, 50, 55 ; lon = 0, 10, 20, 30, 40, 50 ;
  lat_bnds = 38, 42, 43, 47, 48, 52, 53, 57 ;
  t = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, -1, 22, -1,
    100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117,
    118, 119, 120, 121, 122, 123,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 ;
  swapped = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
  exact = 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8,
    1.9, 2, 2.1, 2.2, 2.3, 2.4 ;
  big = 9007199254740993, 2, 3, 4, 5, 6 ;
  quality = 0, 1, 2, 0, 1, 2, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 9 ;
  bits = 0, 1, 2, 3, 0, 1 ; cover = clear, cloudy, rain, rain, cloudy, clear ;
  station = "Oslo", "Rome", "Kyiv" ; remark = "<b>a</b>", "b", NIL ; p = {1, 2.5}, {3, 4}, {5, 6} ;
  rain = 3, 1, 2 ; one = 2.5 ;
  grid = "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r",
    "s", "t", "u", "v", "w", "x" ; }
"""


@pytest.fixture(scope="session")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "kinds.cdl").write_text(CDL)
    ncz.gen(folder / "kinds.cdl", folder / "kinds.zarr", notify=ignore_notice)
    return folder / "kinds.zarr"


def options_for(store: Path | str, **given: Any) -> ViewOptions:
    return ViewOptions(source=parse_location(str(store)), **given)


@pytest.fixture(scope="module")
def server(kinds: Path) -> Iterator[Any]:
    with run_page_server(options_for(kinds)) as server:
        yield server


def asked(path: str, **given: Any) -> str:
    return f"{path}?q={quote(json.dumps(given))}"


@pytest.fixture(scope="module")
def question(server: Any) -> Callable[..., Any]:
    """Return a function that asks a question about a variable, by its name."""
    listed = json.loads(ask(server, "dataset").body)["variables"]
    numbers = {each["path"]: each["number"] for each in listed}

    def put(path: str, name: str, **given: Any) -> Any:
        answer = ask(server, asked(path, variable=numbers[name], **given))
        assert answer.status == 200, answer.body
        if path != "picture":
            return json.loads(answer.body)
        return unpacked(answer.body)

    return put


def unpacked(body: bytes) -> tuple[dict[str, Any], np.ndarray | None]:
    (length,) = struct.unpack("<I", body[:4])
    found = json.loads(body[4 : 4 + length])
    if "shape" not in found:
        return found, None
    assert (4 + length) % 8 == 0
    return found, np.frombuffer(body[4 + length :], f"<f{found['size']}").reshape(found["shape"])


def test_the_list_has_the_choices(server):
    found = json.loads(ask(server, "dataset").body)
    listed = {each["path"]: each for each in found["variables"]}
    assert not {"lat_bnds", "crs"} & set(listed)
    assert {"t", "quality", "cover", "station", "remark", "p", "one", "later"} <= set(listed)
    one = listed["t"]
    assert (one["type"], one["shape"], one["units"], one["title"]) == (
        "short", [3, 4, 6], "K", "temperature",
    )  # fmt: skip
    assert found["first"] == one["number"]
    assert listed["cover"]["type"] == "sky"


def test_a_picture_has_the_values(question, kinds):
    found, values = question("picture", "t", x=2, y=1, at=[1, 0, 0])
    with ncz.open(kinds) as dataset:
        expected = dataset["t"][1] * 0.5
    assert values is not None
    assert values.tolist() == expected.tolist()
    assert found["y"]["goesUp"] is True
    assert found["x"]["texts"] == ["0", "10", "20", "30", "40", "50"]
    assert found["at"] == ["2026-01-02", "", ""]
    assert found["size"] == 4
    missing = question("picture", "t", x=2, y=1)[1]
    assert np.isnan(missing[3]).tolist() == [False, False, False, True, False, True]
    part = question("picture", "t", x=2, y=1, at=[1], xs=[2, 5], ys=[1, 3])
    assert part[1].tolist() == expected[1:3, 2:5].tolist()
    assert part[0]["x"]["start"] == 2
    strided = question("picture", "t", x=2, y=1, at=[1], stride=2)[1]
    assert strided.tolist() == expected[::2, ::2].tolist()
    few = question("picture", "t", x=2, y=1, at=[1], pixels=[3, 1])[1]
    assert few.tolist() == expected[::4, ::2].tolist()


def test_axes_can_be_swapped(question):
    assert question("variable", "swapped")["x"] == 0  # lon, as CF says
    across = question("picture", "swapped", x=0, y=1)[1]
    down = question("picture", "swapped", x=1, y=0)[1]
    assert across.shape == (4, 6)
    assert across.tolist() == down.T.tolist()
    times = question("picture", "t", x=0, y=2)
    assert times[1].shape == (6, 3)
    assert times[0]["x"]["texts"] == ["2026-01-01", "2026-01-02", "2026-01-03"]


def test_doubles_are_exact(question):
    found, values = question("picture", "exact", x=1, y=0)
    assert found["size"] == 8
    assert values[0, 2] == 0.3
    assert question("series", "exact", at=[0, 2])["text"] == "0.3"
    assert question("series", "big", at=[0])["text"] == "9007199254740993"


def test_a_series_goes_through_the_point(question):
    found = question("series", "t", at=[1, 2, 3], along=0)
    assert found["values"] == [7.5, 57.5, 0]
    assert found["text"] == "57.5"
    assert found["at"] == ["2026-01-02", "50", "30"]
    assert found["axis"]["texts"] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert question("series", "t", at=[0, 3, 3], along=2)["values"] == [9, 9.5, 10, None, 11, None]
    assert question("series", "t", at=[0, 3, 3])["text"] == "missing"
    assert question("series", "one")["text"] == "2.5"


def test_flags_and_enums_have_names(question):
    flags = question("variable", "quality")["flags"]
    assert [(each["name"], each["value"]) for each in flags] == [
        ("good", 0), ("doubtful", 1), ("bad", 2),
    ]  # fmt: skip
    assert question("series", "quality", at=[0, 1])["text"] == "doubtful (1)"
    assert question("series", "quality", at=[3, 5])["text"] == "9"
    assert question("series", "bits", at=[3])["text"] == "wet, cold (3)"
    assert question("picture", "cover", x=0)[1].tolist() == [[0, 1, 7, 7, 1, 0]]
    assert question("series", "cover", at=[2])["text"] == "rain (7)"
    assert [f["name"] for f in question("variable", "cover")["flags"]] == [
        "clear", "cloudy", "rain",
    ]  # fmt: skip


def test_texts_are_tables(question):
    assert question("table", "station", x=0)["cells"] == [["Oslo"], ["Rome"], ["Kyiv"]]
    remarks = question("table", "remark", x=0)
    assert remarks["cells"] == [['"<b>a</b>"'], ['"b"'], ["NIL"]]
    assert remarks["y"]["texts"] == ["Oslo", "Rome", "Kyiv"]
    assert question("table", "p", x=0, ys=[1, 2])["cells"] == [["{3, 4}"], ["{5, 6}"]]
    wide = question("table", "grid", x=1, y=0, ys=[2, 3], xs=[4, 5])
    assert wide["cells"] == [['"q"', '"r"'], ['"w"', '"x"']]
    turned = question("table", "grid", x=0, y=1, ys=[4, 5], xs=[2, 3])
    assert turned["cells"] == [['"q"', '"w"'], ['"r"', '"x"']]


def test_categories_name_the_places(question):
    assert question("variable", "rain")["axes"][0]["isCategory"] is True
    found, values = question("picture", "rain", x=0)
    assert values.tolist() == [[3, 1, 2]]
    assert found["x"]["texts"] == ["Oslo", "Rome", "Kyiv"]


def test_empty_datasets_are_reported(question):
    assert question("picture", "later", x=0)[0] == {"empty": "it has no values"}
    assert question("series", "later", along=0) == {"empty": "it has no values"}


def test_tabs(question, kinds):
    found = question("variable", "t")
    assert ["long_name", "temperature"] in found["attributes"]
    assert question("header", "t")["text"].startswith("netcdf kinds {")
    stored = question("storage", "t")
    assert ["Chunks", "3x4x6"] in stored["rows"]
    assert stored["chunks"][0][:3] == [0, 1, 1]
    statistics = question("statistics", "t")
    (described,) = [v for v in ncz.info(kinds, stats=True).variables if v.path == "/t"]
    assert described.statistics is not None
    assert statistics["histogram"] == list(described.statistics.histogram)
    assert ["Missing", "2"] in statistics["rows"]
    assert question("statistics", "remark")["rows"] == []
    assert "tooLarge" in question("statistics", "t", limit=10)


def test_the_token_is_needed_for_everything(server):
    address = urlsplit(server.address)
    token = address.path.strip("/")
    assert len(token) >= 32
    other = token[:-1] + ("y" if token[-1] == "x" else "x")
    assert address.hostname == "127.0.0.1"
    for path in ("", "page.js", "page.css", "dataset", asked("picture", variable=0)):
        assert ask(server, path).status == 200
        for wrong in (f"/{path}", f"/{other}/{path}", f"//{path}"):
            connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=60)
            connection.request("GET", wrong)
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (404, b"nothing is here\n")
            connection.close()


def test_no_websocket_or_event_stream_is_opened(server):
    """Whether or not the token is there; with it, the answer is an ordinary one."""
    port = urlsplit(server.address).port
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==", "Accept": "text/event-stream",
    }  # fmt: skip
    for path in ("dataset", asked("variable", variable=0), ""):
        answer = ask(server, path, **upgrade)
        assert answer.status == 200
        assert "upgrade" not in answer.headers
        assert "event-stream" not in answer.headers["content-type"]
        assert ask(server, path, Origin="https://evil.example", **upgrade).status == 403
        assert ask(server, path, Host="evil.example", **upgrade).status == 421
    for path in ("/dataset", "/ws", "/x/dataset"):
        connection = http.client.HTTPConnection("127.0.0.1", port or 0, timeout=60)
        connection.request(
            "GET", path, headers={k.replace("_", "-"): v for k, v in upgrade.items()}
        )
        assert connection.getresponse().status == 404
        connection.close()


def test_other_sites_and_names_are_refused(server):
    port = urlsplit(server.address).port
    for path in ("", "dataset", "page.js"):
        for origin in ("https://evil.example", "null"):
            assert ask(server, path, Origin=origin).status == 403
        for host in ("evil.example", f"127.0.0.1.evil.example:{port}", "10.0.0.1"):
            assert ask(server, path, Host=host).status == 421
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            assert ask(server, path, method).status == 405
    assert ask(server, "dataset", Origin=f"http://127.0.0.1:{port}").status == 200


def test_the_page_may_use_nothing_from_elsewhere(server):
    page = ask(server, "")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "require-trusted-types-for 'script'" in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-content-type-options"] == "nosniff"
    for path in ("", "page.js", "page.css"):
        text = ask(server, path).body.decode()
        assert "://" not in text
        for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert sink not in text


@pytest.mark.parametrize(
    "query",
    [
        "q=", "q=[]", "q=1", "q={", "q={}{}", 'q={"variable":1e9}', 'q={"variable":999}',
        'q={"variable":-1}', 'q={"variable":true}', 'q={"variable":"t"}', 'q={"x":1e99}',
        'q={"x":99}', 'q={"variable":1,"x":0,"y":9}', 'q={"at":[9,9,9,9,9,9,9]}', 'q={"at":"x"}',
        'q={"variable":1,"x":0,"xs":[3,2]}', 'q={"variable":1,"x":0,"xs":[99,100]}',
        'q={"xs":[1]}', 'q={"pixels":[1]}', 'q={"__class__":1}', 'q={"along":77}',
        'q={"variable":NaN}', "q=" + "[" * 5000, "q=" + "9" * 6000, 'q={"coarse":1}', "q=%ff",
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["picture", "series", "table", "variable"])
def test_requests_that_no_page_sends_are_refused(server, path, query):
    answer = ask(server, f"{path}?{quote(query, safe='=%')}")
    assert answer.status in (200, 400)
    if path == "picture":
        assert answer.status == 400 or b'"tooLarge"' not in answer.body
    assert b"Traceback" not in answer.body
    assert ask(server, "dataset").status == 200


def test_a_picture_of_too_many_chunks_offers_a_stride(tmp_path):
    text = "netcdf x { dimensions: y = 640 ; x = 640 ; variables: int v(y, x) ;"
    (tmp_path / "x.cdl").write_text(text + " v:_ChunkSizes = 40, 40 ; data: v = 1 ; }")
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", notify=ignore_notice)
    with run_page_server(options_for(tmp_path / "x.zarr", memory=600_000)) as server:
        found, values = unpacked(ask(server, asked("picture", variable=0, x=1, y=0)).body)
        assert values is None
        large = found["tooLarge"]
        assert large["text"] == "the picture needs 1.64 MB of chunks, more than 600 kB"
        assert large["need"] == 640 * 640 * 4
        stride = large["stride"]
        found, values = unpacked(
            ask(server, asked("picture", variable=0, x=1, y=0, stride=stride)).body
        )
        assert values is not None
        assert values.shape == (640 // stride, 640 // stride)
        whole = ask(server, asked("picture", variable=0, x=1, y=0, limit=large["need"])).body
        assert unpacked(whole)[1] is not None


def test_reading_ends_when_the_client_has_gone(server, monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    def read(explorer: Any, asked: Any, is_stale: Callable[[], bool]) -> Any:
        begun.set()
        for _ in range(60_000):
            if is_stale():
                ended.set()
                break
            threading.Event().wait(0.001)
        return {}, None

    monkeypatch.setattr("ncz.commands.view.explorer.Explorer.picture", read)
    address = urlsplit(server.address)
    connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=60)
    connection.request("GET", f"{address.path}{asked('picture', variable=0)}")
    assert begun.wait(60)
    connection.close()
    assert ended.wait(60)


def test_the_end_of_the_server_ends_reading(kinds, monkeypatch):
    """Also while a client waits for a slow response."""
    begun, ended = threading.Event(), threading.Event()

    def read(explorer: Any, asked: Any, is_stale: Callable[[], bool]) -> Any:
        begun.set()
        while not is_stale():
            threading.Event().wait(0.001)
        ended.set()
        return {}

    monkeypatch.setattr("ncz.commands.view.descriptions.Descriptions.statistics", read)
    with run_page_server(options_for(kinds)) as server:
        address = urlsplit(server.address)
        connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=60)
        connection.request("GET", f"{address.path}{asked('statistics', variable=0)}")
        assert begun.wait(60)
    assert ended.is_set()
    connection.close()


def test_a_source_that_changes_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("ncz.commands.serve.site._CHECKS", 0)  # look at each request
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", tmp_path / "x.zarr", notify=ignore_notice)
    told: list[Notice] = []
    with run_page_server(options_for(tmp_path / "x.zarr"), notify=told.append) as server:
        assert ask(server, asked("variable", variable=0)).status == 200
        ncz.edit(tmp_path / "x.zarr", set=':title = "new"', notify=ignore_notice)
        changed = ask(server, asked("variable", variable=0))
        assert changed.status == 500
        assert b"changed" in changed.body
        assert changed.body.count(b"\n") == 1
        assert [notice.code for notice in told] == ["data-unreadable"]


def test_text_can_be_viewed(tmp_path):
    (tmp_path / "x.cdl").write_text(CDL)
    with run_page_server(ViewOptions(source=location_of(tmp_path / "x.cdl"))) as server:
        listed = json.loads(ask(server, "dataset").body)["variables"]
        (number,) = [each["number"] for each in listed if each["path"] == "t"]
        found = ask(server, asked("picture", variable=number, x=2, y=1, at=[1])).body
        values = unpacked(found)[1]
        assert values is not None
        assert values[0].tolist() == [50, 50.5, 51, 51.5, 52, 52.5]


def test_other_machines_need_host(kinds):
    with run_page_server(options_for(kinds), host="0.0.0.0") as server:
        assert len(urlsplit(server.address).path) > 32
        assert ask(server, "dataset").status == 200


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none"], 2, "no variable is named 'none'"),
        (["--range", "a"], 2, "write LOW:HIGH"),
        (["--text", "--port", "1"], 2, "need no server"),
        (["--no-browser", "--host", "no such host"], 1, "cannot listen there"),
    ],
)
def test_errors_are_one_line(run, kinds, arguments, code, said):
    ran = run("view", kinds, *arguments)
    assert ran.code == code
    assert said in ran.stderr


def test_without_tornado_the_error_says_what_to_install(run, kinds, monkeypatch):
    monkeypatch.setitem(sys.modules, "tornado", None)
    ran = run("view", kinds)
    assert ran.code == 1
    assert "pip install 'ncz[view]'" in ran.stderr
    assert run("view", kinds, "t", "--text").code == 0


def test_a_browser_is_opened_where_it_can_be_seen(run, kinds, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("ncz.commands.serve.command.DatasetServer.wait", lambda serving: None)
    for name in ("SSH_CONNECTION", "SSH_TTY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":9")
    address = run("view", kinds, "-q").text.strip()
    assert opened == [address]
    port = urlsplit(address).port
    chosen = run("view", kinds, "-q", "--no-browser", "--port", str(port)).text.strip()
    assert urlsplit(chosen).port == port
    assert urlsplit(chosen).path != urlsplit(address).path  # another token
    monkeypatch.setenv("SSH_TTY", "/dev/pts/0")
    assert run("view", kinds, "-q").text.startswith("http://127.0.0.1:")
    monkeypatch.delenv("SSH_TTY")
    monkeypatch.delenv("DISPLAY")
    if sys.platform == "linux":
        assert run("view", kinds, "-q").text.startswith("http://127.0.0.1:")
    assert opened == [address]


@pytest.mark.parametrize("has_screen", [True, False])
def test_a_browser_is_opened_and_an_interruption_ends_it(kinds, tmp_path, has_screen):
    """A program in place of the browser writes its arguments."""
    program, opened = tmp_path / "browser", tmp_path / "opened"
    os.mkfifo(opened)
    program.write_text(f'#!/bin/sh\necho "$1" >"{opened}"\n')
    program.chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SSH_")}
    environment |= {"BROWSER": str(program), "DISPLAY": ":9"}
    if not has_screen:
        environment["SSH_CONNECTION"] = "x"
    command = [sys.executable, "-m", "ncz", "view", str(kinds), "-q"]
    with with_signals_heeded(command, stdout=-1, stderr=-1, env=environment) as process:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        assert address.startswith("http://127.0.0.1:")
        if has_screen:
            assert opened.read_text().strip() == address
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert out == b""
        assert errors == b"ncz: interrupted; the server has ended\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["browser", "opened"]


def test_coastlines_are_cut_to_a_box(server):
    found = json.loads(ask(server, asked("coast", box=[350, 49.5, 362, 60.5])).body)["lines"]
    assert found
    for line in found:
        assert all(350 <= each <= 362 for each in line[::2])
        assert all(49.5 <= each <= 60.5 for each in line[1::2])
    coarse = json.loads(ask(server, asked("coast", box=[350, 49.5, 362, 60.5], fine=False)).body)
    assert sum(map(len, coarse["lines"])) < sum(map(len, found))
    assert len(json.loads(ask(server, "coast").body)["lines"]) > 100


@pytest.mark.parametrize(
    "box", [[0, 0, 1], [0, 0, 0, 1], [0, 0, 1, "1"], [0, 0, 1e9, 1], [0, 0, True, 1], 1]
)
def test_invalid_boxes_are_refused(server, box):
    assert ask(server, asked("coast", box=box)).status == 400


def test_the_list_has_the_colour_maps_and_their_use(kinds):
    with run_page_server(options_for(kinds, reverse=True, log=True, colormap="ice")) as server:
        found = json.loads(ask(server, "dataset").body)
    assert (found["reverse"], found["log"], found["colormap"]) == (True, True, "ice")
    assert {len(colors) for colors in found["colormaps"].values()} == {255}
    assert set(found["diverging"] + found["cyclic"]) < set(found["colormaps"])


def test_variables_are_chosen_with_v_as_elsewhere(run, kinds, tmp_path):
    first = run("view", kinds, "t", "--text")
    assert run("view", kinds, "-v", "t", "--text").text == first.text
    assert run("view", kinds, "--variables", "t", "--text").text == first.text
    assert run("view", kinds, "--var", "t", "--text").text == first.text
    none = run("view", kinds, "-v", "none", "--text")
    assert (none.code, "none" in none.stderr) == (2, True)


def test_numbers_in_other_types_have_their_digits(tmp_path):
    (tmp_path / "x.cdl").write_text(
        "netcdf x { types: compound pair { float a ; double b ; } ; dimensions: n = 2 ;"
        " variables: pair p(n) ; data: p = {0.1, 0.1}, {16777217, 0.30000000000000004} ; }"
    )
    with run_page_server(ViewOptions(source=location_of(tmp_path / "x.cdl"))) as server:
        found = json.loads(ask(server, asked("table", variable=0, x=0)).body)
    assert found["cells"] == [["{0.1, 0.1}"], ["{16777216, 0.30000000000000004}"]]
