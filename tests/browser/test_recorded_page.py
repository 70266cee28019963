"""The page of `ncz view --html` in headless Chromium."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = r"""netcdf p { dimensions: time = 2 ; lat = 2 ; lon = 3 ; n = 4 ; wide = 3000 ;
variables: double time(time) ; time:units = "days since 2026-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ; float lon(lon) ; lon:units = "degrees_east" ;
  short t(time, lat, lon) ; t:_FillValue = -1s ; t:units = "$$\\require{html}\\href{x}{K}$$" ;
    t:long_name = "</script><script>alert(1)</script><!--<script><img src=x onerror=alert(2)>" ;
  byte quality(lat, lon) ; quality:flag_values = 0b, 1b ; quality:flag_meanings = "good bad" ;
  float wave(n) ; float one ; float long(wide) ;
data: time = 0, 1 ; lat = 40, 50 ; lon = 0, 10, 20 ;
  t = 1, 2, 3, 4, -1, 6, 11, 12, 13, 14, 15, 16 ; quality = 0, 1, 0, 1, 0, 1 ;
  wave = 1, 5, 2, 8 ; one = 2.5 ; long = 1 ; }
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "p.cdl").write_text(CDL)
    ncz.gen(folder / "p.cdl", folder / "p.zarr", notify=ignore_notice)
    return folder / "p.zarr"


@pytest.fixture
def opened(tab: Any, listening: Any, run: Run, store: Path, tmp_path: Path):
    """Return a function that opens the page of a variable and lists its requests and messages."""

    def open_page(name: str, *options: str) -> tuple[Any, list[str]]:
        target = tmp_path / f"{name}.html"
        ran = run("view", store, name, "--html", target, *options)
        assert (ran.code, ran.stderr) == (0, "")
        said: list[str] = []
        listening("request", lambda request: said.append(request.url))
        listening("dialog", lambda dialog: said.append(dialog.message))
        listening("console", lambda line: said.append(line.text) if line.type == "error" else None)
        listening("pageerror", lambda error: said.append(str(error)))
        tab.goto(target.as_uri())
        tab.locator("body[data-busy=no]").wait_for()
        said.remove(target.as_uri())
        return tab, [each for each in said if not each.startswith("data:")]

    return open_page


def hover(page: Any, column: int, row: int, columns: int, rows: int) -> str:
    """Return the text of the page for a cell of the picture, counted from the top left."""
    canvas = page.locator("#picture")
    frame = canvas.bounding_box()
    left, top, width, height = map(float, canvas.get_attribute("data-box").split())
    x = frame["x"] + left + (column + 0.5) / columns * width
    page.mouse.move(x, frame["y"] + top + (row + 0.5) / rows * height)
    found: str = page.locator("#pointer").inner_text()
    return found


def test_a_map_has_the_values_and_harmless_names(opened):
    page, said = opened("t", "--isel", "time=1")
    assert page.locator("#name").inner_text() == "t"
    about = page.locator("#about").inner_text()
    assert about.startswith("</script><script>alert(1)</script><!--<script><img src=x onerror=")
    assert "$$" in about
    assert page.locator("img[src=x]").count() == 0
    values = [[hover(page, column, 1 - row, 3, 2) for column in range(3)] for row in range(2)]
    numbers = [[float(re.split(r": | \$", each)[1]) for each in row] for row in values]
    assert numbers == [[11, 12, 13], [14, 15, 16]]
    assert hover(page, 2, 0, 3, 2).startswith("lat = 50 degrees_north, lon = 20 degrees_east: 16")
    assert page.locator(".slider").inner_text().split() == ["time", "2026-01-02"]
    assert said == []


def test_a_missing_value_is_named(opened):
    page, _ = opened("t")
    assert hover(page, 1, 0, 3, 2).endswith(": missing")
    assert page.locator(".slider").inner_text().split() == ["time", "2026-01-01"]


def test_a_line_has_the_values(opened):
    page, said = opened("wave")
    assert [hover(page, n, 0, 4, 1) for n in range(4)] == [
        f"n = [{n}]: {value}" for n, value in enumerate([1, 5, 2, 8])
    ]
    assert said == []


def test_series_match_the_picture(opened):
    page, said = opened("quality")
    hover(page, 1, 1, 3, 2)
    page.mouse.down()
    page.mouse.up()
    assert page.locator("#points li").inner_text() == "lat = 40, lon = 10: bad (1) Remove"
    assert page.locator("#along option").all_inner_texts() == ["lat", "lon"]
    for axis, expected in (("lat", "lat = 50: good (0)"), ("lon", "lon = 20: good (0)")):
        page.select_option("#along", label=axis)
        box = page.locator("#series").bounding_box()
        page.mouse.move(box["x"] + box["width"] - 16, box["y"] + 60)
        assert page.locator("#reading").inner_text() == expected
    assert said == []


def test_zoom_shows_a_part(opened):
    page, said = opened("wave")
    page.click("#nearer")
    page.locator("body[data-busy=no]").wait_for()
    assert hover(page, 0, 0, 2, 1) == "n = [1]: 5"
    assert said == []


def test_one_value(opened):
    page, said = opened("one")
    assert page.locator("#value").inner_text() == "2.5"
    assert said == []


def test_controls_that_need_a_server_are_missing(opened):
    page, said = opened("long")
    assert page.locator("#message").inner_text() == "One in 3 indices along wide is shown."
    assert page.locator("button:visible").all_inner_texts() == [
        "+",
        "\N{MINUS SIGN}",
        "All",
        "PNG",
        "CSV",
        "Series",
        "Attributes",
    ]
    assert page.locator("select:visible").count() == 1
    assert page.locator("#tab").inner_text() == ""
    assert said == []


def test_the_options_match_the_page(opened):
    page, _ = opened("t", "--axes", "lon", "--range", "0:5", "--stride", "2")
    assert hover(page, 0, 0, 2, 1).startswith("lon = 0 degrees_east: 1 ")
    assert page.locator("#message").inner_text() == "One in 2 indices along lon is shown."
    assert (page.input_value("#low"), page.input_value("#high")) == ("0", "5")
