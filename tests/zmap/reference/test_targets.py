"""Targets on servers: the servers, ranges and numbers of requests."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import UrlError, ZmapError, ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.permissions import Permissions
from tests.commands.source_files import write
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


# ---- S3


@pytest.fixture
def bucket(s3, monkeypatch):
    """The URL ``s3://...`` of an empty prefix."""
    server, host, path = s3.partition("//")
    endpoint, _, path = path.partition("/")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"{server}{host}{endpoint}")
    return f"s3://{path}"


@pytest.fixture
def stored(bucket):
    """The same, with a file there."""
    with create_zmap(parse_location(bucket)) as zmap:
        zmap.put(".zgroup", b"{}")
        zmap.put("a.nc", DATA)
    return bucket


def test_a_set_on_s3(stored, closing):
    references: dict[str, object] = {"a": ["a.nc", 5, 5], "b": [f"{stored}/a.nc", 6, 4]}
    references |= {"c": ["s3://another/a.nc", 0, 1], "d": ["gone.nc"]}
    folder = closing(open_zmap(parse_location(stored), write=True))
    folder.put("refs.json", as_json(references))
    zmap = closing(open_set(f"{stored}/refs.json"))
    assert (zmap.get("a"), zmap.get("b")) == (DATA[5:10], DATA[6:10])
    with pytest.raises(ZmapError, match=r"leads to another server, s3://another/a\.nc"):
        zmap.get("c")
    with pytest.raises(ZmapError, match="does not exist"):
        zmap.get("d")


def test_a_local_set_that_leads_to_s3(stored, tmp_path, closing):
    path = write_set(tmp_path / "refs.json", {"k": [f"{stored}/a.nc", 5, 5]})
    with pytest.raises(ZmapError, match="leads to another server"):
        closing(open_set(path)).get("k")
    assert closing(open_set(path, allow_target=stored)).get("k") == DATA[5:10]


# ---- neighbours


@pytest.mark.parametrize("how", ["replaced", "written to"])
def test_a_local_target_that_changes_between_two_reads(tmp_path, closing, how):
    data = tmp_path / "data.nc"
    data.write_bytes(DATA)
    os.utime(data, (10**9, 10**9))
    zmap = closing(
        open_set(
            write_set(tmp_path / "refs.json", {"a": ["data.nc", 0, 4], "b": ["data.nc", 4, 4]})
        )
    )
    assert zmap.get("a") == DATA[:4]
    if how == "replaced":
        data.rename(tmp_path / "old.nc")
    data.write_bytes(DATA[::-1])
    with pytest.raises(ZmapError, match=r"data\.nc: it changed while it was read"):
        zmap.get("b")


def test_a_chunk_of_another_file_costs_one_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The beginning of a small file, which its seal covers, has the chunk."""
    for number in range(9):
        write(tmp_path / f"{number}.nc", number)
    files = [str(tmp_path / f"{number}.nc") for number in range(9)]
    ncz.copy(files, str(tmp_path / "a.json"), concat="t", notify=ignore_notice)
    reads: list[int] = []
    looks: list[str] = []
    pread, lstat = os.pread, os.lstat

    def reading(number: int, count: int, start: int) -> bytes:
        reads.append(count)
        return pread(number, count, start)

    def looking(path: str, **options: Any) -> os.stat_result:
        looks.append(path)
        return lstat(path, **options)

    monkeypatch.setattr(os, "pread", reading)
    with ncz.open(tmp_path / "a.json") as dataset:
        reads.clear()
        monkeypatch.setattr(os, "lstat", looking)
        assert dataset["v"][:, 0].tolist() == [*range(9)]
    assert len(reads) == 9
    assert len([path for path in looks if str(path).endswith(".nc")]) <= 9
    assert len(looks) <= 9 + 2 * len(tmp_path.parts)  # of the folder, and of the folder of the set


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links")
def test_the_real_paths_of_links(tmp_path: Path):
    (tmp_path / "sets" / "deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    for place in ("sets/x.bin", "other/x.bin", "sets/deep/x.bin"):
        (tmp_path / place).write_bytes(b"data")
    (tmp_path / "sets" / "folder").symlink_to(tmp_path / "other")
    (tmp_path / "sets" / "file").symlink_to(tmp_path / "other" / "x.bin")
    (tmp_path / "sets" / "near").symlink_to(tmp_path / "sets" / "deep" / "x.bin")
    found = Permissions(None, str(tmp_path / "sets"))
    for _ in range(2):
        for name in ("x.bin", "near", "deep/x.bin", "deep/../x.bin"):
            path = str(tmp_path / "sets" / name)
            assert found.check_file(path, "key") == os.path.realpath(path)
        for name in ("folder/x.bin", "file", "../other/x.bin", "folder/../x.bin"):
            with pytest.raises(ZmapError, match="outside the folder"):
                found.check_file(str(tmp_path / "sets" / name), "key")
