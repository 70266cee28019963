"""Colour maps: the chooser, reversed colours, and logarithmic scales."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.views.colormaps import palette
from tests.browser.datasets import ocean as ocean
from tests.browser.datasets import regions as regions
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds

pytestmark = pytest.mark.long


def test_every_colour_map_has_a_preview(view, regions):
    page = view(regions, variable="pacific")
    page.page.click("#colors")
    labels = page.page.locator("#colormaps label")
    names = labels.all_inner_texts()
    assert "dusk" in names
    for n, name in enumerate(names):
        strip = (
            labels.nth(n)
            .locator("canvas")
            .evaluate(
                "canvas => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, 1).data]"
            )
        )
        assert np.array(strip).reshape(-1, 4)[:, :3].tolist() == [list(c) for c in palette(name)]
    page.page.keyboard.press("Escape")
    assert not page.page.locator("#colormaps").is_visible()
    for name in (names[1], names[-1]):
        page.choose_colors(name)
        assert page.text("#colors") == name


def test_colour_maps_are_chosen_with_the_keys(view, regions):
    page = view(regions, variable="pacific")
    page.page.focus("#colors")
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Escape")
    assert page.text("#colors") != "dusk"
    assert page.page.evaluate("document.activeElement.id") == "colors"


def test_colours_are_reversed(view, regions):
    page = view(regions, variable="pacific")
    colors = palette("dusk")
    assert page.color(0, 0, 10, 5)[:3] == [*colors[0]]
    page.page.check("#reverse")
    assert page.color(0, 0, 10, 5)[:3] == [*colors[-1]]
    assert page.color(9, 4, 10, 5)[:3] == [*colors[0]]
    page.page.uncheck("#reverse")
    assert page.color(0, 0, 10, 5)[:3] == [*colors[0]]


def test_a_logarithmic_scale(view, regions):
    page = view(regions, variable="pacific")
    page.page.check("#log")
    colors = palette("dusk")
    assert page.text("#message") == "1 value of 0 or less is missing on the logarithmic scale."
    assert page.color(0, 0, 10, 5)[3] == 0  # the value is 0
    for row, column in ((0, 1), (0, 7), (2, 5), (4, 9)):
        part = np.log(10 * row + column) / np.log(49)
        found = page.color(column, row, 10, 5)[:3]
        near = [list(colors[max(0, min(254, int(part * 254) + by))]) for by in (-1, 0, 1)]
        assert found in near
    assert page.page.input_value("#low") == "1"
    assert {"1", "10"} <= set(page.labels("#scale"))
    page.page.fill("#low", "-5")
    page.page.press("#low", "Enter")
    assert page.labels("#scale")[-1] == "pacific"
    assert page.color(9, 4, 10, 5)[:3] == [*colors[254]]
    page.page.uncheck("#log")
    assert not page.page.locator("#message").is_visible()


def test_a_line_has_a_logarithmic_axis(view, ocean):
    page = view(ocean, variable="rain")
    page.page.select_option("#down", label="none")
    page.idle()
    page.page.check("#log")
    assert "missing on the logarithmic scale" in page.text("#message")
    labels = page.labels("#picture")
    assert {"1"} <= set(labels)


@pytest.mark.parametrize("name", ["quality", "cover"])
def test_categories_have_different_colours(view, kinds, name):
    page = view(variable=name)
    assert not page.page.locator("#colors").is_visible()
    assert not page.page.locator("#log").is_visible()


def test_the_options_of_the_command_are_chosen_first(view, regions):
    page = view(regions, variable="pacific", reverse=True, log=True, colormap="ice")
    assert page.page.is_checked("#reverse")
    assert page.page.is_checked("#log")
    assert page.text("#colors") == "ice"
    assert page.color(9, 4, 10, 5)[:3] == [*palette("ice")[0]]
    assert "log" not in page.page.url
    page.page.uncheck("#log")
    assert "log=no" in page.page.url
    address = page.page.url
    page.page.goto("about:blank")
    page.page.goto(address)
    page.idle()
    assert not page.page.is_checked("#log")
    assert page.page.is_checked("#reverse")
