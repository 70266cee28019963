"""Files that the page saves: pictures and tables."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ncz
from ncz.errors import ignore_notice
from tests.browser.datasets import LATITUDES, LONGITUDES, ocean_temperature
from tests.browser.datasets import hours as hours
from tests.browser.datasets import ocean as ocean
from tests.browser.datasets import regions as regions
from tests.browser.viewer import View
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds
from tests.sampled import sampled

pytestmark = pytest.mark.long


def saved(page: View, button: str) -> tuple[str, bytes]:
    """Press a button; return the name and the bytes of the file that it saves."""
    with page.page.expect_download() as download:
        page.page.click(button)
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def rows(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode())))


def pixels(content: bytes) -> np.ndarray:
    """Return the red, green and blue of a PNG file."""
    with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
        return np.asarray(image.convert("RGB")).astype(np.int64)


def test_a_map_as_a_table(view, ocean):
    page = view(ocean, variable="sst")
    page.slide("time", 5)
    name, content = saved(page, "#csv")
    assert name == "ocean_sst.csv"
    table = rows(content)
    assert table[0] == ["lon", "lat", "sst"]
    assert len(table) == 1 + 36 * 72
    expected = ocean_temperature()[5]
    found = np.array([[float(cell or "nan") for cell in row] for row in table[1:]])
    assert found[:72, 0].tolist() == LONGITUDES.tolist()
    assert found[::72, 1].tolist() == LATITUDES.tolist()
    assert np.array_equal(found[:, 2].astype("f4").reshape(36, 72), expected, equal_nan=True)
    assert max(len(row[2].lstrip("-").replace(".", "").lstrip("0")) for row in table[1:]) <= 9


def test_a_part_of_a_map_is_the_visible_part(view, ocean):
    page = view(ocean, variable="rain")
    page.page.goto(f"{page.address}#variable=rain&window=100:140,-20:0")
    page.idle()
    table = rows(saved(page, "#csv")[1])[1:]
    assert {float(row[0]) for row in table} == set(np.arange(102.5, 140, 5).tolist())
    assert {float(row[1]) for row in table} == set(np.arange(-17.5, 0, 5).tolist())
    assert all(re.fullmatch(r"\d(\.\d\d?)?", row[2]) for row in table)  # unpacked, without noise


def test_series_as_a_table(view, ocean):
    page = view(ocean, variable="sst")
    page.click(20, 17, 72, 36)
    name, content = saved(page, "#series-csv")
    assert name == "ocean_sst_series.csv"
    table = rows(content)
    assert table[0] == ["time", "sst"]
    assert [row[0] for row in table[1:4]] == ["1990-01-16", "1990-02-15 10:30", "1990-03-17 21"]
    expected = ocean_temperature()[:, 18, 20]
    assert np.array_equal(np.array([float(row[1]) for row in table[1:]], "f4"), expected)
    page.click(30, 10, 72, 36)
    table = rows(saved(page, "#series-csv")[1])
    assert table[0] == ["time", "sst (lat = 2.5, lon = 102.5)", "sst (lat = 37.5, lon = 152.5)"]
    assert {len(row) for row in table} == {3}


def test_lines_and_tables_of_text(view, kinds):
    page = view(kinds, variable="big")
    name, content = saved(page, "#csv")
    assert name == "kinds_big.csv"
    assert rows(content)[:2] == [["lon", "big"], ["0", "9007199254740990"]]
    assert page.text("#message") == "Integers of more than 15 digits are rounded in the file."
    page.show("rain")
    assert rows(saved(page, "#csv")[1]) == [
        ["station", "rain"], ["Oslo", "3"], ["Rome", "1"], ["Kyiv", "2"],
    ]  # fmt: skip
    page.show("remark")
    assert rows(saved(page, "#csv")[1]) == [
        ["station", "remark"], ["Oslo", '"<b>a</b>"'], ["Rome", '"b"'], ["Kyiv", "NIL"],
    ]  # fmt: skip
    page.show("station")
    assert rows(saved(page, "#csv")[1])[1] == ["0", "Oslo"]


def test_a_table_of_some_values_says_so(view, ocean):
    page = view(ocean, variable="sst", stride=3)
    table = rows(saved(page, "#csv")[1])
    assert len(table) == 1 + 12 * 24
    assert page.text("#message").startswith("One in 3 indices along lat is in the file")


def test_a_picture_is_a_file(view, regions):
    from ncz.views.colormaps import palette

    page = view(regions, variable="pacific")
    name, content = saved(page, "#png")
    assert name == "regions_pacific.png"
    image = pixels(content)
    height, width = image.shape[:2]
    assert width > 1500
    assert image[1, 1].tolist() == [255, 255, 255]
    colors = {tuple(color) for color in image.reshape(-1, 3).tolist()}
    shown = palette("dusk")
    assert {shown[int(n / 49 * 254)] for n in range(50)} <= colors
    assert height < width


def test_series_are_a_file(view, ocean):
    page = view(ocean, variable="sst")
    page.click(20, 17, 72, 36)
    name, content = saved(page, "#series-png")
    assert name == "ocean_sst_series.png"
    colors = {tuple(color) for color in pixels(content).reshape(-1, 3).tolist()}
    assert (0xD1, 0x49, 0x5B) in colors


def texts_of_saved(page: View, button: str) -> list[str]:
    """Return the texts that are drawn on the picture that a button saves."""
    page.page.evaluate(
        """() => { const made = document.createElement.bind(document);
          document.createElement = (tag) => {
            const element = made(tag);
            if (tag === "canvas") (window.drawn ??= []).push(element);
            return element; }; }"""
    )
    saved(page, button)
    found: list[str] = page.page.evaluate("() => drawn.flatMap((canvas) => canvas.texts ?? [])")
    return found


def test_a_picture_has_a_title_units_and_labels(view, ocean):
    page = view(ocean, variable="sst")
    page.slide("time", 5)
    texts = texts_of_saved(page, "#png")
    for text in (
        "sea surface temperature (degC)", "ocean, time = 1990-06-17 04:30", "60°N", "120°E", "lon",
        "lat", "sst (degC)", "20",
    ):  # fmt: skip
        assert text in texts


def test_names_of_files_are_harmless(view, tmp_path):
    (tmp_path / "x.cdl").write_text(
        'netcdf x { dimensions: n = 3 ; variables: int ..\\ a\\:\\"b\\\\c(n) ;'
        ' data: ..\\ a\\:\\"b\\\\c = 1, 2, 3 ; }'
    )
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", notify=ignore_notice)
    page = view(tmp_path / "x.zarr")
    name, content = saved(page, "#csv")
    assert name == "x_.._a_b_c.csv"
    assert rows(content)[0] == ["n", '.. a:"b\\c']


@pytest.mark.parametrize("variable", sampled(["pacific", "strip"], 2))
def test_recorded_pages_save_too(tab: Any, listening: Any, regions, tmp_path, variable):
    target = tmp_path / "page.html"
    ncz.view(regions, variable, html=target, notify=ignore_notice)
    page = View(tab, listening, target.as_uri())
    name, content = saved(page, "#csv")
    assert name == f"regions_{variable}.csv"
    assert len(rows(content)) == {"pacific": 51, "strip": 201}[variable]
    assert pixels(saved(page, "#png")[1]).size
    assert page.said == []


def test_nothing_to_save_is_said(view, kinds):
    page = view(kinds, variable="later")
    page.page.click("#csv")
    assert page.text("#message") == "There are no values to save."
    page.page.click("#png")
    assert page.text("#message") == "There is no picture to save."
