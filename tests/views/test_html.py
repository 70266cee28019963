"""The page of a dataset: its text, no need for other files, and no markup in texts."""

from __future__ import annotations

import struct
import zlib
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import Notice
from ncz.views.html_text import escape_html
from tests.conftest import Run

HOSTILE = '</td><script>alert(1)</script><img src="http://example.org/x">&amp;\u202e\x1b[31m'
_VOID = ("meta", "img")


class Parsed(HTMLParser):
    """The tags, the visible text and the attributes of a page; checks that tags are balanced."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def cells(self, kind: str) -> int:
        return sum(1 for tag, attrs in self.tags if tag == "rect" and attrs.get("class") == kind)


def cdl(path: Path) -> Path:
    hostile = HOSTILE.replace("\\", "\\\\").replace('"', '\\"').replace("\x1b", "\\033")
    rows = ", ".join(str(10 * y + x) for y in range(4) for x in range(6))
    path.write_text(
        f"""netcdf demo {{
dimensions: lat = 4 ; lon = 6 ; t = 5 ;
variables: float lat(lat) ; lat:units = "degrees_north" ;
 int field(lat, lon) ; field:_ChunkSizes = 2, 3 ; field:comment = "{hostile}" ;
 field:_FillValue = 33 ; double \\<b\\>line(t) ; string words(t) ;
 :title = "A demo" ;
data: lat = 10, 20, 30, 40 ; field = {rows} ; \\<b\\>line = 1, 2, _, 4, 5 ;
group: inner {{ variables: byte flag ; data: flag = 7 ; }}
}}
"""
    )
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    target = tmp_path / "demo.zarr"
    ncz.gen(cdl(tmp_path / "demo.cdl"), target, notify=lambda _: None)
    (target / "field/1.1").unlink()
    return target


def test_the_text_of_the_page(store, tmp_path, run: Run):
    ran = run("info", "--html", tmp_path / "demo.html", store)
    assert (ran.code, ran.text, ran.stderr) == (0, "", "")
    page = Parsed((tmp_path / "demo.html").read_text("utf-8"))
    for text in ("A demo", "<b>line", "inner/", "int (lat=4, lon=6)", "3 of 4", "degrees_north"):
        assert text in page.text
    groups = [attrs for tag, attrs in page.tags if attrs.get("class") == "group"]
    assert len(groups) == 1
    names = [attrs for tag, attrs in page.tags if attrs.get("class") == "variable"]
    assert len(names) == 5
    assert page.cells("none") == 2  # field/1.1, and words, which has no data
    assert sum(1 for tag, _ in page.tags if tag == "img") == 1
    assert sum(1 for tag, _ in page.tags if tag == "path") == 2


def test_the_page_needs_nothing_else_and_texts_are_only_texts(store, run: Run):
    ran = run("info", "--html", "-", store)
    page = Parsed(ran.text)
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "iframe", "object", "b>"})
    for tag, attrs in page.tags:
        for name, value in attrs.items():
            assert not name.startswith("on")
            if name in ("src", "href"):
                assert (tag, (value or "")[:22]) == ("img", "data:image/png;base64,")
    assert "url(" not in ran.text
    assert "</td><script>alert(1)</script><img" in page.text
    assert r"&amp;\u202e\x1b[31m" in page.text
    assert "\u202e" not in ran.text
    assert "\x1b" not in ran.text


def test_statistics_can_be_left_out(store, run: Run):
    whole = Parsed(run("info", "--html", "-", store).text)
    short = Parsed(run("info", "--no-stats", "--html", "-", store).text)
    assert "Standard deviation" in whole.text
    assert "Standard deviation" not in short.text
    assert short.cells("bar") == 0
    assert whole.cells("bar") > 0


def test_times_are_dates(tmp_path, run: Run):
    (tmp_path / "t.cdl").write_text(
        'netcdf t { dimensions: t = 2 ; variables: int t(t) ; t:units = "days since 2026-01-01" ;'
        " data: t = 1089140, 1089142 ; }"
    )
    page = Parsed(run("info", "--html", "-", tmp_path / "t.cdl").text)
    assert "5007-12-20" in page.text
    assert "5007-12-22" in page.text
    assert "1.08914e+06" not in page.text
    assert "npacked" not in page.text


def test_a_page_is_replaced_and_other_files_are_not(store, tmp_path, run: Run):
    target = tmp_path / "x.html"
    for _ in range(2):
        assert run("info", "--html", target, store).code == 0
    (tmp_path / "other.html").write_text("<!DOCTYPE html><p>mine</p>")
    ran = run("info", "--html", tmp_path / "other.html", store)
    assert (ran.code, "already exists" in ran.stderr) == (1, True)
    assert run("info", "--html", target, "--json", store).code == 2


def decoded(uri: str) -> np.ndarray:
    """Return the indices of the colours of a PNG picture."""
    data = b64decode(uri.partition(",")[2])
    at, parts = 8, {}
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        name, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(name + content)
        parts[name] = content
        at += 12 + length
    width, height = struct.unpack_from(">II", parts[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), "u1").reshape(height, width + 1)
    assert not rows[:, 0].any()
    assert parts[b"tRNS"][-1] == 0
    return rows[:, 1:]


def test_the_map_of_latitudes_has_north_at_the_top(store, run: Run):
    page = Parsed(run("info", "--html", "-", store).text)
    (uri,) = [str(attrs["src"]) for tag, attrs in page.tags if tag == "img"]
    found = decoded(uri)
    assert found.shape == (4, 6)
    assert found[0].tolist()[:3] == sorted(found[0].tolist()[:3])
    assert found[3, 0] == 0  # the first row of the array, with the least value
    assert found[0, 5] == found[1, 5] == 255  # the chunk that is missing


def test_a_picture_reads_few_chunks(tmp_path, run: Run):
    target = tmp_path / "big.zarr"
    text = b"netcdf big { dimensions: t = 50 ; y = 4 ; x = 4 ; variables: int v(t, y, x) ;"
    values = ", ".join(["1"] * 800).encode()
    run(
        "gen", "-", "-o", target,
        stdin=text + b" v:_ChunkSizes = 1, 4, 4 ; data: v = " + values + b" ; }",
    )  # fmt: skip
    for chunk in target.glob("v/*.0.0"):
        if chunk.name != "0.0.0":
            chunk.write_bytes(b"damaged")
    notices: list[Notice] = []
    ran = run("info", "--no-stats", "--html", "-", target)
    assert (ran.code, ran.stderr, notices) == (0, "", [])
    assert "t = 0" in ran.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<&\"'>", "&lt;&amp;&quot;&#x27;&gt;"),
        ("a\x00b\x9b", r"a\x00b\x9b"),
        ("\udcff", r"\xff"),
        ("\U000e0001", r"\U000e0001"),
        ("x" * 3000, "x" * 2000 + "... (3000 characters)"),
    ],
)
def test_escaped_texts(text, expected):
    assert escape_html(text) == expected
