"""The page of `ncz view` in headless Chromium: its text equals the values."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.browser.viewer import LEFT, RIGHT, View
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds
from tests.commands.view.test_server import options_for

pytest.importorskip("tornado", reason="tornado is not installed")

from ncz.commands.view.explorer import Explorer
from ncz.commands.view.request import Request, StaleRequest
from ncz.commands.view.server import run_page_server

SIDE = (40, 4000)
"""Rows and columns of a variable with more columns than the screen has pixels."""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A variable with more columns than the screen; each value is its flat index."""
    folder = tmp_path_factory.mktemp("wide")
    rows, columns = SIDE
    values = ", ".join(map(str, range(rows * columns)))
    (folder / "wide.cdl").write_text(
        f"netcdf wide {{ dimensions: y = {rows} ; x = {columns} ; variables: int v(y, x) ;"
        f" v:_ChunkSizes = 20, 500 ; data: v = {values} ; }}"
    )
    ncz.gen(folder / "wide.cdl", folder / "wide.zarr", notify=ignore_notice)
    return folder / "wide.zarr"


GRIDS = f"""netcdf g {{
dimensions: level = 6 ; lat = 5 ; depth = 4 ; time = 3 ; y = 2 ; x = 3 ;
variables: int level(level) ; level:units = "millibars" ;
  float lat(lat) ; lat:units = "degrees_north" ; float depth(depth) ; depth:units = "m" ;
  double time(time) ; time:units = "hours since 2026-02-28" ;
  float nav_lat(y, x) ; nav_lat:units = "degrees_north" ;
  int zonal(level, lat) ; zonal:units = "m s-1" ; int profile(lat) ; int section(depth, lat) ;
  int hourly(time, lat) ; int curved(y, x) ; double far(y, x) ; int {"l" * 200}(y, x) ;
data: level = 1000, 850, 500, 250, 100, 10 ; lat = 90, 45, 0, -45, -90 ; depth = 0.5, 2, 8, 32 ;
  time = 0, 10.5, 21 ; nav_lat = 10, 11, 12, 20, 21, 22 ;
  zonal = {", ".join(str(100 * (n // 5 + 1) + n % 5) for n in range(30))} ;
  profile = 1, 2, 3, 4, 5 ; section = {", ".join(map(str, range(20)))} ;
  hourly = {", ".join(map(str, range(15)))} ; curved = 1, 2, 3, 4, 5, 6 ;
  far = 0, 1, 1e20, 3, Infinity, NaN ; {"l" * 200} = 1, 2, 3, 4, 5, 6 ; }}
"""


@pytest.fixture(scope="module")
def grids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Variables with vertical axes of several kinds, uneven coordinates, and extreme values."""
    folder = tmp_path_factory.mktemp("grids")
    (folder / "g.cdl").write_text(GRIDS)
    ncz.gen(folder / "g.cdl", folder / "g.zarr", notify=ignore_notice)
    return folder / "g.zarr"


def test_a_map_says_its_values(view, kinds):
    page = view()
    assert page.text("#name") == "t"
    with ncz.open(kinds) as dataset:
        values = dataset["t"][:] * 0.5
        raw = dataset["t"][:]
    for time, date in enumerate(["2026-01-01", "2026-01-02", "2026-01-03"]):
        page.slide("time", time)
        assert page.text(".slider output") == date
        for row in range(4):
            for column in (0, 3, 5):
                said = page.hover(column, 3 - row, 6, 4)
                number = values[time, row, column]
                text = "missing" if raw[time, row, column] == -1 else f"{number:g} K"
                lat, lon = 40 + 5 * row, 10 * column
                assert said == f"lat = {lat} degrees_north, lon = {lon} degrees_east: {text}"


def test_colors_match_the_values(view):
    page = view(variable="t")
    from ncz.views.colormaps import palette

    colors = palette("dusk")
    page.page.uncheck("#coast")
    assert page.color(0, 3, 6, 4) == [*colors[0], 255]
    assert page.color(4, 0, 6, 4) == [*colors[254], 255]
    assert page.color(3, 0, 6, 4)[3] == 0  # missing
    assert (page.page.input_value("#low"), page.page.input_value("#high")) == ("0", "11")
    page.page.fill("#high", "22")
    page.page.press("#high", "Enter")
    assert page.page.input_value("#range") == "typed"
    assert page.color(4, 0, 6, 4) == [*colors[127], 255]
    page.page.select_option("#range", "locked")
    page.slide("time", 1)
    assert page.color(0, 0, 6, 4) == [*colors[254], 255]
    page.page.select_option("#range", "whole")
    assert page.page.input_value("#low") == "50"
    page.page.select_option("#range", "robust")
    with_tails = np.percentile(np.arange(24) / 2 + 50, [2, 98])
    assert float(page.page.input_value("#low")) == pytest.approx(with_tails[0])
    assert float(page.page.input_value("#high")) == pytest.approx(with_tails[1])
    page.page.select_option("#range", "whole")
    page.choose_colors("polar")
    assert page.page.input_value("#low") == "-61.5"
    assert page.color(5, 0, 6, 4) == [*palette("polar")[254], 255]


def test_series_of_several_points_are_compared(view):
    page = view(variable="t")
    page.click(2, 1, 6, 4)
    page.click(0, 3, 6, 4)
    points = page.page.locator("#points li")
    assert points.all_inner_texts() == [
        "time = 2026-01-01, lat = 50, lon = 20: 7 K Remove",
        "time = 2026-01-01, lat = 40, lon = 0: 0 K Remove",
    ]
    box = page.page.locator("#series").bounding_box()
    page.page.mouse.move(box["x"] + LEFT + (box["width"] - LEFT - RIGHT) / 2, box["y"] + 60)
    assert page.text("#reading") == "time = 2026-01-02: 57 K; 50 K"
    page.page.select_option("#along", label="lon")
    page.idle()
    page.page.mouse.move(box["x"] + box["width"] - RIGHT - 4, box["y"] + 60)
    assert page.text("#reading") == "lon = 50: 8.5 K; 2.5 K"
    points.first.get_by_role("button").click()
    page.idle()
    assert points.count() == 1
    page.page.click("#clear")
    page.idle()
    assert not page.page.locator("#side").is_visible()


def test_zoom_and_pan_read_finer_data(view, wide):
    page = view(wide)
    rows, columns = SIDE
    assert "step" not in page.text("#message")
    before = page.hover(1000, 20, columns, rows)
    x, y = page.place(1000, 20, columns, rows)
    page.page.mouse.move(x, y)
    for _ in range(12):
        page.page.mouse.wheel(0, -400)
    page.idle()
    page.page.mouse.move(x + 1, y)
    said = page.text("#pointer")
    found = re.fullmatch(r"y = \[(\d+)\], x = \[(\d+)\]: (\d+)", said)
    assert found is not None, said
    row, column, value = map(int, found.groups())
    assert value == row * columns + column
    assert abs(column - 1000) < 8
    assert re.fullmatch(r"y = \[\d+\], x = \[\d+\]: \d+", before)
    seen = set()
    for step in range(0, 200, 10):  # neighbours are distinguished now
        page.page.mouse.move(x + step, y)
        seen.add(page.text("#pointer"))
    asked = [url for url in page.asked if "/picture?" in url]
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 150, y, steps=3)
    page.page.mouse.up()
    page.idle()
    assert len([url for url in page.asked if "/picture?" in url]) > len(asked)
    page.page.mouse.move(x + 151, y)
    moved = re.fullmatch(r"y = \[(\d+)\], x = \[(\d+)\]: (\d+)", page.text("#pointer"))
    assert moved is not None
    assert abs(int(moved[2]) - column) <= 1
    assert int(moved[3]) == int(moved[1]) * columns + int(moved[2])
    assert not page.page.locator("#side").is_visible()  # a drag is not a click
    page.page.click("#all")
    page.idle()
    assert page.hover(1000, 20, columns, rows) == before


def test_each_kind_of_variable(view):
    page = view()
    page.show("big")
    assert page.hover(1, 0, 6) == "lon = 10 degrees_east: 2"
    assert page.hover(0, 0, 6).endswith(": about 9007199254740990")
    page.click(0, 0, 6)
    assert "lon = 0: 9007199254740993" in page.text("#points")
    page.show("exact")
    assert page.hover(2, 3, 6, 4) == "lat = 40 degrees_north, lon = 20 degrees_east: 0.3"
    page.show("quality")
    assert page.page.locator("#legend li").all_inner_texts() == [
        "good (8)", "doubtful (8)", "bad (7)",
    ]  # fmt: skip
    assert page.hover(1, 3, 6, 4).endswith(": doubtful (1)")
    assert page.hover(5, 0, 6, 4).endswith(": 9")
    page.show("bits")
    assert page.hover(3, 0, 6).endswith(": wet, cold (3)")
    page.show("cover")
    assert page.hover(2, 0, 6) == "lon = 20 degrees_east: rain (7)"
    page.show("rain")
    assert [page.hover(n, 0, 3) for n in range(3)] == [
        "station = Oslo: 3", "station = Rome: 1", "station = Kyiv: 2",
    ]  # fmt: skip
    assert page.color(0.0, 0.4, 3, 1)[3] == 255
    assert page.color(0.49, 0.4, 3, 1)[3] == 0  # between bars
    page.show("station")
    assert page.text("#table table").split() == ["[0]", "Oslo", "[1]", "Rome", "[2]", "Kyiv"]
    page.show("remark")
    assert page.page.locator("#table td").all_inner_texts() == ['"<b>a</b>"', '"b"', "NIL"]
    assert page.page.locator("#table th").all_inner_texts() == ["Oslo", "Rome", "Kyiv"]
    page.show("p")
    assert page.page.locator("#table td").all_inner_texts() == ["{1, 2.5}", "{3, 4}", "{5, 6}"]
    page.show("grid")
    assert page.page.locator("#table td").all_inner_texts()[6] == '"g"'
    page.show("one")
    assert page.text("#value") == "2.5"
    page.show("later")
    assert page.text("#message") == "There is nothing to show: it has no values."
    assert not page.page.get_by_text("lat_bnds").count()


def test_axes_have_the_labels_of_their_coordinates(view, grids):
    page = view(grids, variable="zonal")
    assert page.hover(0, 0, 5, 6) == "level = 10 millibars, lat = 90 degrees_north: 600 m s-1"
    assert page.labels("#picture") == [
        "90", "45", "0", "-45", "-90", "lat (degrees_north)",
        "10", "100", "250", "500", "850", "1000", "level (millibars)",
    ]  # fmt: skip
    assert page.labels("#scale")[-1] == "zonal (m s-1)"
    page.show("profile")  # a line, which has no colour bar
    lat = ["90", "45", "0", "-45", "-90", "lat (degrees_north)"]
    assert page.labels("#picture")[:6] == lat
    assert page.hover(4, 0, 5) == "lat = -90 degrees_north: 5"
    page.show("section")
    assert page.labels("#picture")[-5:] == ["0.5", "2", "8", "32", "depth (m)"]
    assert page.hover(0, 0, 5, 4).startswith("depth = 0.5 m")
    page.show("hourly")
    assert page.labels("#picture")[-4:] == ["00:00", "10:30", "21:00", "time (2026-02-28)"]
    page.show("curved")  # south is at the bottom, as the latitudes say
    assert page.hover(0, 0, 3, 2) == "y = [1], x = [0]: 4"
    page.show("far")
    assert page.labels("#scale")[:2] == ["0", "2e19"]
    assert page.page.input_value("#high") == "1e20"
    assert page.hover(1, 0, 3, 2) == "y = [1], x = [1]: Infinity"
    assert page.color(1, 0, 3, 2)[3] == 0
    page.click(1, 0, 3, 2)
    page.page.select_option("#along", label="x")
    page.idle()
    box = page.page.locator("#series").bounding_box()
    seen = []
    for n in range(3):
        width = (box["width"] - LEFT - RIGHT) / 3
        page.page.mouse.move(box["x"] + LEFT + (n + 0.5) * width, box["y"] + 60)
        seen.append(page.text("#reading"))
    assert seen == ["x = [0]: 3", "x = [1]: Infinity", "x = [2]: missing"]
    page.show("l" * 200)
    assert re.fullmatch("l{20,190}…", page.labels("#scale")[-1])


def test_screenshots_are_kept_in_the_requested_folder(view, tmp_path, monkeypatch):
    page = view(variable="t")
    monkeypatch.setenv("NCZ_SCREENSHOTS", str(tmp_path / "screenshots"))
    page.close("t")
    assert (tmp_path / "screenshots" / "t.png").read_bytes().startswith(b"\x89PNG")


def test_a_range_is_of_one_variable(view):
    page = view(variable="t", range="2:8")
    assert page.page.input_value("#range") == "typed"
    assert (page.page.input_value("#low"), page.page.input_value("#high")) == ("2", "8")
    page.show("exact")
    assert page.page.input_value("#range") == "whole"
    assert (page.page.input_value("#low"), page.page.input_value("#high")) == ("0.1", "2.4")
    page.show("later")
    assert (page.page.input_value("#low"), page.page.input_value("#high")) == ("", "")


def test_axes_are_chosen_and_swapped(view):
    page = view(variable="t")
    page.page.click("#swap")
    page.idle()
    assert page.hover(3, 5, 4, 6) == "lon = 50 degrees_east, lat = 55 degrees_north: missing"
    page.page.select_option("#across", label="time")
    page.idle()
    assert page.hover(1, 0, 3, 6) == "lon = 0 degrees_east, time = 2026-01-02: 50 K"
    page.slide("lat", 1)
    assert page.hover(1, 0, 3, 6) == "lon = 0 degrees_east, time = 2026-01-02: 53 K"
    page.page.select_option("#down", label="none")
    page.idle()
    page.slide("lon", 2)
    assert page.hover(1, 0, 3) == "time = 2026-01-02: 54 K"


def test_the_list_is_filtered(view):
    page = view()
    page.page.fill("#filter", "temp SHORT")
    shown = page.page.locator("#list li:visible")
    assert shown.count() == 1
    assert shown.inner_text().split()[0] == "t"
    page.page.fill("#filter", "")
    assert shown.count() > 10


def test_tabs(view, kinds):
    page = view(variable="t")
    assert "temperature" in page.text("#tab")
    page.page.click("[data-tab=header]")
    page.idle()
    assert page.text("#tab").startswith("netcdf kinds {")
    page.page.click("[data-tab=storage]")
    page.idle()
    assert "3x4x6" in page.text("#tab")
    assert page.page.locator(".cells i").count() == 1
    page.page.click("[data-tab=statistics]")
    page.idle()
    (described,) = [v for v in ncz.info(kinds, stats=True).variables if v.path == "/t"]
    assert described.statistics is not None
    assert f"Mean\t{described.statistics.mean:.6g}" in page.text("#tab")
    titles = page.page.locator(".bars i").evaluate_all("bars => bars.map(bar => bar.title)")
    assert [int(t.rpartition(": ")[2]) for t in titles] == list(described.statistics.histogram)


def test_a_slider_plays(view):
    page = view(variable="t")
    play = page.page.get_by_role("button", name="Play")
    play.click()
    output = page.page.locator(".slider output")
    for date in ("2026-01-02", "2026-01-03", "2026-01-01"):
        output.get_by_text(date, exact=True).wait_for()
    page.page.get_by_role("button", name="Stop").click()
    page.idle()
    assert play.is_visible()


def test_objects_that_are_no_longer_needed_are_not_read(view, monkeypatch):
    """While the slider moves, the picture of each place that it leaves is given up."""
    read = Explorer.picture
    begun, ended = threading.Event(), threading.Event()

    def slow(explorer: Explorer, asked: Request, is_stale: Callable[[], bool]) -> Any:
        if asked.at[:1] == (1,):
            begun.set()
            while not is_stale():
                threading.Event().wait(0.001)
            ended.set()
            raise StaleRequest
        return read(explorer, asked, is_stale)

    page = view(variable="t")
    monkeypatch.setattr(Explorer, "picture", slow)
    slider = page.page.get_by_label("time", exact=True)
    slider.fill("1")
    assert begun.wait(60)
    page.slide("time", 2)
    assert ended.wait(60)
    assert page.text(".slider output") == "2026-01-03"
    assert page.hover(0, 0, 6, 4).endswith(": 0 K")


def test_nothing_is_wider_than_a_small_screen(view):
    page = view(variable="t")
    page.page.set_viewport_size({"width": 400, "height": 1400})
    page.idle()
    assert page.page.locator("html").evaluate("html => html.scrollWidth") <= 400
    slider = page.page.get_by_label("time", exact=True)
    assert slider.bounding_box()["width"] > 80
    page.slide("time", 1)
    assert page.hover(0, 3, 6, 4).endswith(": 50 K")


def test_a_large_picture_offers_a_stride(view, wide):
    page = view(wide, memory=200_000)
    rows, columns = SIDE
    assert page.text("#message").startswith(
        "The picture needs 640 kB of chunks, more than 200 kB.Show every "
    )
    page.page.get_by_role("button", name="Show every").click()
    page.idle()
    assert not page.page.locator("#message").is_visible()
    assert page.hover(0, 0, columns, rows) == "y = [0], x = [0]: 0"
    page.page.select_option("#stride", "1")
    page.idle()
    page.page.get_by_role("button", name="Read 640 kB").click()
    page.idle()
    assert not page.page.locator("#message").is_visible()
    assert page.hover(0, 0, columns, rows) == "y = [0], x = [0]: 0"


HOSTILE = r"""netcdf h { types: byte enum \<i\>e\<u\> { \<img\ src\=x\ onerror\=alert\(0\)\> = 0 } ;
dimensions: \<script\>alert\(1\)\<\|script\> = 3 ; n = 2 ;
variables:
  int \<img\ src\=x\ onerror\=alert\(2\)\>(n, \<script\>alert\(1\)\<\|script\>) ;
    \<img\ src\=x\ onerror\=alert\(2\)\>:units = "</title><script>alert(3)</script>" ;
    \<img\ src\=x\ onerror\=alert\(2\)\>:long_name = "<svg onload=alert(4)> RIGHT-TO-LEFT gnp" ;
    \<img\ src\=x\ onerror\=alert\(2\)\>:flag_values = 1, 2, 3 ;
    \<img\ src\=x\ onerror\=alert\(2\)\>:flag_meanings = "<b> javascript:alert(5) ${alert(6)}" ;
  string words(n) ; \<i\>e\<u\> named(n) ; string n(n) ;
  :title = "<iframe src=javascript:alert(7)></iframe>" ;
data: \<img\ src\=x\ onerror\=alert\(2\)\> = 1, 2, 3, 1, 2, 3 ;
  words = "<img src=x onerror=alert(8)>", "\x1b[31m" ; named = 0, 0 ;
  n = "<a href=http://evil.example>", "{{constructor}}" ;
group: \<style\>g { variables: int inner(n) ; data: inner = 1, 2 ; } }
"""


def test_hostile_names_and_attributes_do_nothing(view, tmp_path):
    (tmp_path / "h.cdl").write_text(HOSTILE.replace("RIGHT-TO-LEFT ", "\u202e"))
    ncz.gen(tmp_path / "h.cdl", tmp_path / "h.zarr", notify=ignore_notice)
    page = view(tmp_path / "h.zarr")
    name = "<img src=x onerror=alert(2)>"
    for variable in ("words", "named", "inner", "n", name):
        page.show(variable)
        for name_of_tab in ("attributes", "header", "storage", "statistics"):
            page.page.click(f"[data-tab={name_of_tab}]")
            page.idle()
    assert page.text("#name") == name
    assert page.text("#list .group") == "<style>g/"
    assert "<svg onload=alert(4)> \\u202egnp" in page.text("#about")
    page.page.click("[data-tab=attributes]")
    page.idle()
    assert "<iframe src=javascript:alert(7)></iframe>" in page.text("#tab")
    assert "<b> (2)" in page.text("#legend")
    assert "<script>alert(1)<|script> = [0]: <b> (1" in page.hover(0, 0, 3, 2)
    page.click(0, 0, 3, 2)
    assert "<b> (1)" in page.text("#points")
    page.show("words")
    assert page.page.locator("#table td").all_inner_texts()[0] == '"<img src=x onerror=alert(8)>"'
    for tag in ("img", "svg", "iframe", "script:not([src])", "b:has(*)", "style", "a", "i[onload]"):
        assert page.page.locator(f"body {tag}").count() == 0


def test_the_end_of_the_server_is_said(tab, listening, kinds):
    with run_page_server(options_for(kinds, variable="t")) as server:
        page = View(tab, listening, server.address)
    page.page.get_by_label("time", exact=True).fill("1")
    page.page.get_by_text("The server does not answer. It may have stopped.").wait_for()


def test_a_source_that_changes_is_said(tab, listening, tmp_path):
    from tests.conftest import ROOT

    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", tmp_path / "x.zarr", notify=ignore_notice)
    with run_page_server(options_for(tmp_path / "x.zarr"), notify=ignore_notice) as server:
        page = View(tab, listening, server.address)
        ncz.edit(tmp_path / "x.zarr", set=':title = "new"', notify=ignore_notice)
        page.page.get_by_label("time", exact=True).fill("1")
        page.idle()
        assert "changed" in page.text("#message")
