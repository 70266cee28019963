"""The page of `ncz info --html` in headless Chromium, with scripts turned off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ncz
from tests.views.test_html import cdl


@pytest.fixture(scope="module")
def page_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    store, page = folder / "demo.zarr", folder / "demo.html"
    ncz.gen(cdl(folder / "demo.cdl"), store, notify=lambda _: None)
    (store / "field/1.1").unlink()
    ncz.info(store, stats=True, html=page, notify=lambda _: None)
    return page.as_uri()


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    """Return a page without scripts."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def test_the_view_of_readers(tab, page_url, listening):
    asked: list[str] = []
    listening("request", lambda request: asked.append(request.url))
    listening("dialog", lambda dialog: asked.append(dialog.message))
    tab.set_viewport_size({"width": 1280, "height": 720})
    tab.goto(page_url)
    assert tab.title() == "demo"
    assert tab.locator("h1").inner_text() == "demo"
    field = tab.locator("details.variable").filter(has_text="int (lat=4, lon=6)")
    image = field.locator("img.map")
    assert image.is_visible()  # without a click
    assert image.bounding_box()["width"] > 200
    assert not field.get_by_text("3 of 4 stored").is_visible()
    field.locator("summary b").click()
    assert field.get_by_text("3 of 4 stored").is_visible()
    assert field.locator("rect.none").count() == 1
    assert "<script>alert(1)</script>" in field.inner_text()
    assert tab.locator("details.group summary b").first.inner_text() == "inner/"
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_light_and_in_dark_mode(tab, page_url, scheme):
    tab.emulate_media(color_scheme=scheme)
    tab.goto(page_url)
    colors = tab.locator("body").evaluate(
        "body => [getComputedStyle(body).backgroundColor, getComputedStyle(body).color]"
    )
    back, text = (_luminance(color) for color in colors)
    assert (back < text) == (scheme == "dark")
    lighter, darker = max(back, text), min(back, text)
    assert (lighter + 0.05) / (darker + 0.05) > 7  # as WCAG requires at its highest level


def test_nothing_is_wider_than_a_small_screen(tab, page_url):
    tab.set_viewport_size({"width": 360, "height": 640})
    tab.goto(page_url)
    for summary in tab.locator("details.variable > summary").all():
        summary.click()
    width = tab.locator("html").evaluate("html => html.scrollWidth")
    assert width <= 360


def _luminance(color: str) -> float:
    """Return the relative luminance of ``rgb(r, g, b)``."""
    parts = [int(n) / 255 for n in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [n / 12.92 if n <= 0.04045 else ((n + 0.055) / 1.055) ** 2.4 for n in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
