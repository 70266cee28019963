"""Targets on servers: the servers, ranges and numbers of requests."""

from __future__ import annotations

import json

import pytest

from ncz.errors import UrlError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.zmap.reference.sets import open_set, write_set

DATA = bytes(range(256)) * 4


def as_json(references):
    return json.dumps({"version": 1, "refs": references}).encode()


@pytest.fixture
def served(web):
    """A set on a web server, and the file that it refers to."""
    references: dict[str, object] = {f"v/{n}": ["../data/a b.nc", n * 100, 50] for n in range(10)}
    references |= {".zgroup": "{}", "whole": [f"{web.endpoint}/data/a%20b.nc"], "gone": ["gone.nc"]}
    web.objects = {"sets/refs.json": as_json(references), "data/a b.nc": DATA}
    return f"{web.endpoint}/sets/refs.json"


def test_a_set_on_a_web_server(served, closing):
    zmap = closing(open_zmap(parse_location(served)))
    assert zmap.get("v/3") == DATA[300:350]
    assert zmap.get("whole") == DATA
    assert zmap.size("whole") == len(DATA)
    assert zmap.get_range("whole", -4, 2) == DATA[-4:-2]
    assert zmap.search("") == [".zgroup", "gone", "v", "whole"]
    assert zmap.get("v/10") is None


@pytest.mark.parametrize("name", ["refs", "refs.txt", "refs.parq"])
def test_content_decides_on_a_server_too(web, served, closing, name):
    web.objects[f"sets/{name}"] = web.objects.pop("sets/refs.json")
    url = served.removesuffix("refs.json") + name
    for text in (url, f"{url}#mode=reference", f"reference::{url}"):
        assert closing(open_zmap(parse_location(text))).get("v/1") == DATA[100:150]


def test_a_dead_link_on_a_server(served, closing):
    zmap = closing(open_zmap(parse_location(served)))
    for call in (zmap.get, zmap.size, lambda key: zmap.get_range(key, 0, 1)):
        with pytest.raises(ZmapError, match=r"does not exist: http://.*/sets/gone\.nc"):
            call("gone")


def test_a_range_past_the_end_on_a_server(web, served, closing):
    web.objects["data/a b.nc"] = DATA[:320]
    zmap = closing(open_zmap(parse_location(served)))
    for key in ("v/3", "v/5"):
        with pytest.raises(ZmapError, match="goes past the end"):
            zmap.get(key)


def test_a_server_without_ranges(web, served, closing):
    web.ranges = False
    zmap = closing(open_zmap(parse_location(served)))
    assert zmap.get("v/3") == DATA[300:350]


def test_neighbours_are_fetched_with_one_request(web, served, closing):
    zmap = closing(open_zmap(parse_location(served)))
    keys = [f"v/{n}" for n in range(10)]
    zmap.expect([(key, 50) for key in keys])
    assert [zmap.get(key) for key in keys] == [DATA[n * 100 : n * 100 + 50] for n in range(10)]
    assert web.asked("a b.nc") == 1


def test_an_announced_dead_link_is_an_error_of_its_reader(web, served, closing):
    zmap = closing(open_zmap(parse_location(served)))
    zmap.expect([("gone", 50), ("v/1", 50), (".zgroup", 2)])
    assert zmap.get("v/1") == DATA[100:150]
    with pytest.raises(ZmapError, match="does not exist"):
        zmap.get("gone")


def test_a_redirect_within_the_host_is_followed(web, served, closing):
    web.objects["moved"] = web.objects.pop("data/a b.nc")
    web.redirects["data/a b.nc"] = "/moved"
    zmap = closing(open_zmap(parse_location(served)))
    assert zmap.get("v/3") == DATA[300:350]


@pytest.mark.parametrize(
    "to", ["http://169.254.169.254/latest/", "http://127.0.0.1:9/x", "file:///etc/passwd", "//h/x"]
)
def test_a_redirect_to_another_host_is_not(web, served, closing, to):
    web.redirects["data/a b.nc"] = to
    zmap = closing(open_zmap(parse_location(served)))
    with pytest.raises(ZmapError, match="the reference set leads to"):
        zmap.get("v/3")


def test_a_redirect_that_does_not_end(web, served, closing):
    web.redirects["data/a b.nc"] = "/data/a%20b.nc"
    zmap = closing(open_zmap(parse_location(served)))
    with pytest.raises(ZmapError, match="redirects too often"):
        zmap.get("v/3")


def test_a_set_on_a_server_does_not_lead_to_local_files(web, tmp_path, closing):
    (tmp_path / "secret").write_bytes(b"secret")
    for url in (str(tmp_path / "secret"), f"file://{tmp_path}/secret", "/etc/passwd"):
        web.objects["refs.json"] = as_json({"k": [url]})
        zmap = closing(open_zmap(parse_location(f"{web.endpoint}/refs.json")))
        with pytest.raises(ZmapError, match="leads to a local file"):
            zmap.get("k")


def test_a_relative_target_stays_on_its_server(web, closing):
    web.objects["sets/refs.json"] = as_json({"k": ["../../../x"]})
    zmap = closing(open_zmap(parse_location(f"{web.endpoint}/sets/refs.json")))
    with pytest.raises(UrlError, match="the target is above its server"):
        zmap.get("k")


def test_a_local_set_that_leads_to_a_server(web, served, tmp_path, closing):
    path = write_set(tmp_path / "refs.json", {"k": [f"{web.endpoint}/data/a%20b.nc", 2, 3]})
    with pytest.raises(ZmapError, match="leads to another server"):
        closing(open_set(path)).get("k")
    assert web.requests == []
    assert closing(open_set(path, allow_target=web.endpoint)).get("k") == DATA[2:5]


def test_a_signed_url_keeps_its_query_and_is_shown_without_it(web, tmp_path, closing):
    url = f"{web.endpoint}/x.nc?key=abc"
    path = write_set(tmp_path / "refs.json", {"k": [url, 0, 1]})
    with pytest.raises(ZmapError, match="does not exist") as error:
        closing(open_set(path, allow_target=web.endpoint)).get("k")
    assert web.requests[-1] == "GET /x.nc?key=abc"
    assert "key=" not in str(error.value)
