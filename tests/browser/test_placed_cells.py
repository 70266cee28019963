"""Maps of curved grids, meshes and stations: the pointer and a click find the cell."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.browser.viewer import View
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_placed import listed
from tests.commands.view.test_placed_scene import CURVED, STATIONS
from tests.commands.view.test_server import kinds as kinds
from tests.sampled import sampled

pytestmark = pytest.mark.long

SAID = re.compile(r"([\d.]+)°([NS]?), ([\d.]+)°([EW]?)(.*?): (\S+)")


@pytest.fixture
def curved(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that makes a dataset of CDL."""

    def make(text: str) -> Path:
        (tmp_path / "curved.cdl").write_text(text)
        ncz.gen(tmp_path / "curved.cdl", tmp_path / "curved.zarr", notify=ignore_notice)
        return tmp_path / "curved.zarr"

    return make


def seen(page: View, x: float, y: float) -> tuple[float, float, str, str] | None:
    """Return the longitude, the latitude, the indices and the value under the pointer."""
    left, top, width, height = page.box()
    page.page.mouse.move(left + x * width, top + y * height)
    found = SAID.fullmatch(page.text("#pointer").replace(" Celsius", "").replace(" K", ""))
    if found is None:
        return None
    north, south, east, west, at, value = found.groups()
    return (
        float(east) * (-1 if west == "W" else 1),
        float(north) * (-1 if south == "S" else 1),
        at,
        value,
    )


@pytest.mark.parametrize("name", sampled(CURVED, 3))
def test_the_pointer_and_a_click_find_the_cell(view, curved, name):
    (text, expected), most = CURVED[name]
    page = view(curved(text), variable="v")
    found = 0
    for x, y in ((0.5, 0.5), (0.3, 0.45), (0.65, 0.55), (0.5, 0.35), (0.45, 0.6)):
        said = seen(page, x, y)
        if said is None:
            continue
        lon, lat, at, value = said
        lon = lon + 360 if name == "WRF" and lon < 0 else lon
        assert float(value) == pytest.approx(expected(lon, lat), abs=most)
        left, top, width, height = page.box()
        page.page.mouse.click(left + x * width, top + y * height)
        page.idle()
        point = page.page.locator("#points li").last.inner_text()
        assert f": {value}" in point
        if name != "CORDEX":  # whose axes have coordinates
            assert at.removeprefix(", ") in point
        found += 1
    assert found >= 3
    assert page.page.input_value("#across") == "map"
    labels = page.labels("#picture")
    assert {"longitude", "latitude"} <= set(labels)
    assert sum(bool(re.fullmatch(r"[\d.]+°[NSEW]?", label)) for label in labels) >= 4


def test_zoom_shows_cells_of_the_same_values(view, curved):
    (text, expected), most = CURVED["ROMS"]
    page = view(curved(text), variable="v")
    for _ in range(3):
        page.page.click("#nearer")
        page.idle()
    lon, lat, _, value = seen(page, 0.4, 0.4) or pytest.fail("there is no cell")
    assert float(value) == pytest.approx(expected(lon, lat), abs=most)
    page.slide("ocean_time", 1)
    later = seen(page, 0.4, 0.4)
    assert later is not None
    assert float(later[3]) == pytest.approx(float(value) + 10, abs=1e-4)


def test_the_axes_of_the_grid_can_be_chosen(view, curved):
    page = view(curved(CURVED["ROMS"][0][0]), variable="v")
    page.page.select_option("#across", label="xi_rho")
    page.idle()
    assert page.page.input_value("#down") == "2"
    assert page.hover(0, 11, 20, 12).startswith("eta_rho = [0], xi_rho = [0]: ")
    assert "across=xi_rho" in page.page.url
    page.page.select_option("#down", label="latitude")
    page.idle()
    assert page.page.input_value("#across") == "map"
    assert "across" not in page.page.url
    page.page.go_back()
    page.page.locator("#swap").wait_for()
    page.idle()
    assert page.page.input_value("#across") == "3"


def test_points_are_kept_in_the_address(view, curved):
    page = view(curved(CURVED["faces"][0][0]), variable="v")
    page.click(10, 10, 20, 20)
    page.click(12, 9, 20, 20)
    page.page.mouse.move(0, 0)
    before = page.page.locator("#picture").evaluate("canvas => canvas.toDataURL()")
    points = page.page.locator("#points li").all_inner_texts()
    address = page.page.url
    page.page.goto("about:blank")
    page.page.goto(address)
    page.idle()
    assert page.page.locator("#points li").all_inner_texts() == points
    assert page.page.locator("#picture").evaluate("canvas => canvas.toDataURL()") == before


@pytest.mark.parametrize("is_recorded", [False, True])
def test_stations_are_found(
    tab: Any, listening: Any, view: Any, curved: Any, tmp_path: Path, is_recorded: bool
) -> None:
    store = curved(STATIONS.format("station", listed([1.5, 2.25, 3, 4])))
    if is_recorded:
        ncz.view(store, "v", html=tmp_path / "s.html", notify=ignore_notice)
        page = View(tab, listening, (tmp_path / "s.html").as_uri())
    else:
        page = view(store, variable="v")
    with page.page.expect_download() as download:
        page.page.click("#csv")
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text())))
    assert rows[0] == ["lon", "lat", "station", "v"]
    assert [row[2:] for row in rows[1:]] == [["0", "1.5"], ["1", "2.25"], ["2", "3"], ["3", "4"]]
    places = np.array([row[:2] for row in rows[1:]], "f8")
    assert places == pytest.approx(np.array([[10, 50], [20, 60], [30, 50], [20, 55]]), abs=0.2)
    assert "middle of the visible part" in page.text("#message")
    middle = page.page.evaluate("middlesOfCells().get(1)")
    left, top, width, height = page.box()
    ends = page.page.evaluate("state.view")
    x = (middle["across"] - ends["x0"]) / (ends["x1"] - ends["x0"])
    y = (ends["y1"] - middle["down"]) / (ends["y1"] - ends["y0"])
    page.page.mouse.click(left + x * width, top + y * height)
    page.idle()
    assert page.text("#pointer").endswith("station = [1]: 2.25")
    assert "2.25" in page.text("#points")
    assert page.page.locator("#along").is_visible() == (not is_recorded)
    page.page.mouse.click(left + width * 0.1, top + height * 0.1)
    page.idle()
    assert page.page.locator("#points li").count() == 1  # there is no station
    assert page.said == []
