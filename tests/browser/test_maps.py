"""Maps: a degree is as long along both axes, and cells are at their coordinates."""

from __future__ import annotations

import re

import pytest

from tests.browser.datasets import ocean as ocean
from tests.browser.datasets import regions as regions
from tests.browser.viewer import View
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds
from tests.sampled import sampled


def ratio(page: View) -> float:
    """Return the ratio of the width of the picture to its height."""
    _, _, width, height = page.box()
    return width / height


@pytest.mark.parametrize(
    "size", sampled([[1200, 800], [800, 700], [1600, 900], [400, 800], [500, 900]], 5), ids=str
)
def test_the_globe_is_twice_as_wide_as_high(view, ocean, size):
    page = view(ocean, variable="sst")
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    page.idle()
    assert ratio(page) == pytest.approx(2, rel=0.02)
    assert page.box()[2] > 140
    wide, shown = page.page.locator("main").evaluate("main => [main.scrollWidth, main.clientWidth]")
    assert wide <= shown


@pytest.mark.long
def test_a_degree_stays_as_long_in_both_directions(view, ocean):
    page = view(ocean, variable="sst")
    for _ in range(3):
        page.page.click("#nearer")
    page.idle()
    left, top, width, height = page.box()
    assert width / height == pytest.approx(2, rel=0.02)
    page.page.mouse.move(left + width / 2, top + height / 2)
    page.page.mouse.down()
    page.page.mouse.move(left + width / 2 + 80, top + height / 2 + 40, steps=4)
    page.page.mouse.up()
    page.idle()
    places = []
    for x, y in ((0.1, 0.1), (0.9, 0.9)):
        page.page.mouse.move(left + width * x, top + height * y)
        said = re.match(
            r"lat = (\S+) degrees_north, lon = (\S+) degrees_east", page.text("#pointer")
        )
        assert said is not None
        places.append((float(said[1]), float(said[2])))
    (north, west), (south, east) = places
    assert (east - west) / (north - south) == pytest.approx(2, abs=0.5)


def test_other_axes_fill_the_box(view, ocean, kinds):
    page = view(ocean, variable="section")
    _, _, width, height = page.box()
    canvas = page.page.locator("#picture").bounding_box()
    assert (width, height) == pytest.approx((canvas["width"] - 112, canvas["height"] - 56), abs=1)


def test_a_field_across_180_degrees_is_in_one_piece(view, regions):
    page = view(regions, variable="pacific")
    assert ratio(page) == pytest.approx(2, rel=0.02)
    assert page.hover(0, 0, 10, 5) == "lat = 4 degrees_north, lon = 170 degrees_east: 0"
    assert page.hover(9, 4, 10, 5) == "lat = -4 degrees_north, lon = -172 degrees_east: 49"
    assert {"170°E", "180°", "175°W", "0°", "4°N", "4°S"} <= set(page.labels("#picture"))


def test_a_slender_field_has_room_above_and_below(view, regions):
    page = view(regions, variable="strip")
    left, top, width, height = page.box()
    assert width / height == pytest.approx(4, rel=0.02)
    page.page.mouse.move(left + width / 2, top + 5)
    assert page.text("#pointer") == ""
    page.page.mouse.move(left + 2, top + height / 2 - 2)
    assert page.text("#pointer").startswith("near = 1 degrees_north, far = 0 degrees_east: 100")


def test_rows_with_uneven_latitudes_are_where_they_belong(view, regions):
    page = view(regions, variable="mercator")
    left, top, width, height = page.box()
    seen = []
    for y in range(2, int(height), 6):
        page.page.mouse.move(left + width / 2, top + y)
        seen.append(float(re.findall(r"row = (\S+)", page.text("#pointer"))[0]))
    assert len(set(seen)) == 9
    assert seen == sorted(seen, reverse=True)
    # rows near the equator are wider than those near the poles
    assert seen.count(0) > 1.5 * seen.count(max(seen))


def test_lengths_are_the_same_along_both_axes(view, regions):
    page = view(regions, variable="plane")
    assert ratio(page) == pytest.approx(2, rel=0.02)
    assert page.hover(0, 3, 8, 4) == "y = 0 m, x = 0 m: 0"
    assert page.hover(7, 0, 8, 4) == "y = 3000 m, x = 7000 m: 31"


def test_colors_match_cells_at_every_zoom(view, regions):
    from ncz.views.colormaps import palette

    page = view(regions, variable="pacific")
    colors = palette("dusk")
    for row in range(5):
        for column in (0, 3, 6, 9):
            number = row * 10 + column
            assert page.color(column, row, 10, 5)[:3] == [*colors[int(number / 49 * 254)]]
    page.page.click("#nearer")
    page.idle()
    left, top, width, height = page.box()
    for x, y in ((0.1, 0.1), (0.5, 0.3), (0.9, 0.9)):
        page.page.mouse.move(left + width * x, top + height * y)
        number = int(page.text("#pointer").rpartition(": ")[2])
        low, high = (float(page.page.input_value(end)) for end in ("#low", "#high"))
        expected = colors[int((number - low) / (high - low) * 254)]
        assert page.color(x - 0.5, y - 0.5, 1, 1)[:3] == [*expected]
