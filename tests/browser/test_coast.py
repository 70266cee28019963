"""Coastlines over maps."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from tests.browser.datasets import ocean as ocean
from tests.browser.datasets import regions as regions
from tests.browser.viewer import View
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds


def dark(page: View) -> np.ndarray:
    """Return the mask of pixels that are as dark as a coastline, from the top left."""
    left, top, width, height = page.box()
    frame = page.page.locator("#picture").bounding_box()
    data = page.page.locator("#picture").evaluate(
        """(canvas, [x, y, wide, high]) => {
          const pen = new OffscreenCanvas(wide, high).getContext("2d", {willReadFrequently: true});
          pen.drawImage(canvas, -x, -y);
          const data = pen.getImageData(0, 0, wide, high).data, parts = [];
          for (let at = 0; at < data.length; at += 8192)
            parts.push(String.fromCharCode(...data.subarray(at, at + 8192)));
          return btoa(parts.join(""));
        }""",
        [round(left - frame["x"]), round(top - frame["y"]), round(width), round(height)],
    )
    pixels = np.frombuffer(b64decode(data), np.uint8).reshape(round(height), round(width), 4)
    result: np.ndarray = (pixels[..., :3].max(axis=2) < 130) & (pixels[..., 3] > 0)
    return result


def asked(page: View) -> list[dict[str, Any]]:
    """Return the requests of the page for coastlines."""
    found = [urlsplit(url) for url in page.asked if "/coast?" in url]
    return [json.loads(parse_qs(url.query)["q"][0]) for url in found]


def area(page: View, west: float, east: float, south: float, north: float, first: float) -> Any:
    """Return the dark pixels of a part of the globe whose west is at `first` degrees."""
    found = dark(page)
    height, width = found.shape
    columns = slice(*(round((lon - first) / 360 * width) for lon in (west, east)))
    rows = slice(*(round((90 - lat) / 180 * height) for lat in (north, south)))
    return found[rows, columns]


def test_the_coast_is_where_the_land_ends(view, ocean):
    page = view(ocean, variable="rain", colormap="gray", range="-900:9")
    assert area(page, 5, 55, -40, 37, 0).sum() > 100  # Africa
    assert area(page, 235, 320, -55, 60, 0).sum() > 200  # America, from 0 to 360
    assert area(page, 200, 230, -45, 10, 0).sum() < 50  # the Pacific
    page.page.uncheck("#coast")
    assert dark(page).sum() == 0
    assert "coast=no" in page.page.url
    page.page.check("#coast")
    assert dark(page).sum() > 1000


@pytest.mark.long
def test_finer_lines_are_requested_when_zoomed_in(view, ocean):
    page = view(ocean, variable="rain")
    assert [each["fine"] for each in asked(page)] == [False]
    for _ in range(3):
        page.page.click("#nearer")
        page.idle()
    assert [each["fine"] for each in asked(page)][-1] is True
    count = len(asked(page))
    page.page.focus("#picture")
    page.page.keyboard.press("ArrowRight")
    assert len(asked(page)) == count


def test_a_window_across_180_degrees_has_its_coast(view, regions):
    page = view(regions, variable="pacific", colormap="gray", range="-900:50")
    (first,) = asked(page)
    assert first["box"][0] < 170 < 187 < first["box"][2]
    page.page.goto(f"{page.address}#variable=strip")
    page.idle()
    assert dark(page).sum() > 0  # of Borneo, Kenya and Gabon at the equator


@pytest.mark.parametrize("name", ["section", "plane"])
def test_other_pictures_have_no_coast(view, ocean, regions, name):
    page = view(ocean if name == "section" else regions, variable=name)
    assert not page.page.locator("#coast").is_visible()
    assert asked(page) == []


def test_a_line_of_a_map_has_no_coast(view, ocean):
    page = view(ocean, variable="sst")
    assert page.page.locator("#coast").is_visible()
    page.page.select_option("#down", label="none")
    page.idle()
    assert not page.page.locator("#coast").is_visible()
