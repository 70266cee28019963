"""The difference of two datasets, and the choice between it and both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncz.zmap.location import parse_location
from tests.browser.datasets import LATITUDES, LONGITUDES, listed, made
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two versions of a global field: floats, and packed numbers that are half as large."""
    lat, _ = np.meshgrid(LATITUDES, LONGITUDES, indexing="ij")
    values = 20 * np.cos(np.deg2rad(lat)) + 0.25
    values[:, :9] = np.nan
    stores = []
    for name, stored, kind, more in (
        ("new", values, "float", "_FillValue = -9.f"),
        ("old", np.round(values * 50), "short", "scale_factor = 0.01 ; t:_FillValue = -9s"),
    ):
        stores.append(
            made(
                tmp_path_factory.mktemp(name),
                name,
                f"""netcdf t {{ dimensions: lat = 36 ; lon = 72 ; variables:
                  float lat(lat) ; lat:units = "degrees_north" ; float lon(lon) ;
                  lon:units = "degrees_east" ; {kind} t(lat, lon) ; t:units = "K" ; t:{more} ;
                  data: lat = {listed(LATITUDES)} ; lon = {listed(LONGITUDES)} ;
                  t = {listed(stored.ravel().tolist())} ; }}""",
            )
        )
    return stores[0], stores[1]


def value(said: str) -> float:
    return float(said.rpartition(": ")[2].removesuffix(" K"))


def test_each_dataset_and_the_difference_are_shown(view, pair):
    new, old = pair
    page = view(new, minus=parse_location(str(old)))
    options = page.page.locator("#of option").all_inner_texts()
    assert [option.count("new.zarr") for option in options] == [1, 1, 0]
    assert [option.count("old.zarr") for option in options] == [1, 0, 1]
    assert page.text("#colors") == "polar"
    half = value(page.hover(40, 18, 72, 36))
    page.page.select_option("#of", "a")
    page.idle()
    whole = value(page.hover(40, 18, 72, 36))
    assert page.text("#colors") == "dusk"
    page.page.select_option("#of", "b")
    page.idle()
    second = value(page.hover(40, 18, 72, 36))
    assert whole == pytest.approx(20 * np.cos(np.deg2rad(2.5)) + 0.25)
    assert second == pytest.approx(whole / 2, abs=0.006)
    assert half == pytest.approx(whole - second, abs=1e-5)
    assert page.hover(3, 18, 72, 36).endswith(": missing")
    page.page.select_option("#of", "")
    page.idle()
    assert page.text("#colors") == "polar"
    assert value(page.hover(40, 18, 72, 36)) == half


def test_the_view_stays_when_another_dataset_is_chosen(view, pair):
    page = view(pair[0], minus=parse_location(str(pair[1])))
    page.page.click("#nearer")
    page.idle()
    page.click(30, 17, 72, 36)
    page.choose_colors("heat")
    box, labels = page.box(), page.labels("#picture")
    point = page.text("#points")
    page.page.select_option("#of", "a")
    page.idle()
    assert (page.box(), page.labels("#picture")) == (box, labels)
    assert page.text("#colors") == "heat"
    shown = page.text("#points")
    assert shown.partition(":")[0] == point.partition(":")[0]
    assert shown != point
    address = page.page.url
    assert "show=a" in address
    page.page.goto("about:blank")
    page.page.goto(address)
    page.idle()
    assert page.text("#points") == shown
    assert page.page.input_value("#of") == "a"
    page.page.evaluate("location.hash = '#variable=t&show=c'")
    page.page.locator("#problem").get_by_text("show cannot be 'c'").wait_for()
    assert page.page.input_value("#of") == ""


def test_one_dataset_has_no_choice(view):
    assert not view().page.locator("#of").is_visible()
