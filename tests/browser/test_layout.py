"""The layout of the page: the picture stays still, and all fits on small screens."""

from __future__ import annotations

import pytest

from tests.browser.datasets import hours as hours
from tests.browser.datasets import ocean as ocean
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds
from tests.sampled import sampled


@pytest.mark.parametrize(
    "size", sampled([[1200, 800], [800, 800], [1920, 1080], [600, 900], [1000, 600]], 5), ids=str
)
def test_the_picture_stays_still_when_points_are_chosen(view, ocean, size):
    page = view(ocean, variable="sst")
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    page.idle()
    before = page.box()
    texts = page.labels("#picture")
    for number in range(4):
        page.click(10 + number, 17, 72, 36)
        assert page.page.locator("#points li").count() == number + 1
        assert page.box() == before
        assert page.labels("#picture") == texts
    page.page.evaluate("document.querySelector('#clear').click()")  # without scrolling
    page.idle()
    assert page.box() == before


def test_messages_do_not_move_the_picture(view, ocean):
    page = view(ocean, variable="rain")
    before = page.box()
    page.page.check("#log")
    assert page.page.locator("#message").is_visible()
    assert page.box() == before


def test_the_series_are_seen_without_scrolling(view, ocean):
    page = view(ocean, variable="sst")
    page.click(10, 17, 72, 36)
    box = page.page.locator("#series").bounding_box()
    assert box["y"] + box["height"] <= 800
    assert box["height"] > 120


def test_nothing_is_wider_than_a_screen_of_800_pixels(view, ocean):
    page = view(ocean, variable="sst")
    page.page.set_viewport_size({"width": 800, "height": 700})
    page.click(10, 17, 72, 36)
    for selector in ("html", "main", "#panel", "#controls"):
        wide, shown = page.page.locator(selector).evaluate(
            "element => [element.scrollWidth, element.clientWidth]"
        )
        assert wide <= shown, selector
    assert page.box()[2] > 300


def test_the_picture_is_read_with_the_keys(view, ocean):
    page = view(ocean, variable="sst")
    page.page.focus("#picture")
    page.page.keyboard.press("ArrowRight")
    first = page.text("#pointer")
    page.page.keyboard.press("ArrowRight")
    second = page.text("#pointer")
    page.page.keyboard.press("ArrowUp")
    third = page.text("#pointer")
    assert len({first, second, third}) == 3
    lon = [float(text.partition("lon = ")[2].partition(" ")[0]) for text in (first, second)]
    assert lon[1] == lon[0] + 5
    lat = [float(text.partition("lat = ")[2].partition(" ")[0]) for text in (second, third)]
    assert lat[1] == lat[0] + 5
    page.page.keyboard.press("Enter")
    page.idle()
    assert third.rpartition(": ")[2] in page.text("#points")
    page.page.keyboard.press("+")
    page.idle()
    assert "window=" in page.page.url
    page.page.keyboard.press("0")
    page.idle()
    assert "window=" not in page.page.url


def test_everything_that_can_be_changed_has_a_name(view, ocean):
    page = view(ocean, variable="sst")
    page.click(10, 17, 72, 36)
    nameless = page.page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")]
          .filter((each) => each.checkVisibility())
          .filter((each) => !(each.ariaLabel || each.title || each.innerText?.trim()
            || each.labels?.length)).map((each) => each.outerHTML)"""
    )
    assert nameless == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_can_be_read_in_light_and_in_dark_mode(view, ocean, scheme):
    page = view(ocean, variable="sst")
    page.page.emulate_media(color_scheme=scheme)
    drawn, back = page.page.evaluate(
        """() => ["color", "backgroundColor"]
          .map((name) => getComputedStyle(document.body)[name])"""
    )
    page.page.emulate_media(color_scheme="light")
    brightness = [sum(map(int, color[4:-1].split(","))) for color in (drawn, back)]
    assert (brightness[0] > brightness[1]) == (scheme == "dark")
    assert abs(brightness[0] - brightness[1]) > 450
