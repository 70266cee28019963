"""The address of the page: it contains the view, and shows it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.browser.datasets import ocean as ocean
from tests.browser.datasets import regions as regions
from tests.browser.viewer import View
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds

pytestmark = pytest.mark.long


def shown(page: View) -> dict[str, Any]:
    """Return all that can be seen of the page."""
    has_scale = page.page.locator("#scale").is_visible()
    return {
        "name": page.text("#name"),
        "picture": page.labels("#picture"),
        "scale": page.labels("#scale") if has_scale else [],
        "box": page.box(),
        "places": page.page.locator(".slider output").all_inner_texts(),
        "points": page.page.locator("#points li").all_inner_texts(),
        "chosen": [
            page.page.input_value(f"#{name}")
            for name in ("across", "down", "stride", "along", "low", "high")
        ],
        "checked": [page.page.is_checked(f"#{name}") for name in ("reverse", "log")],
        "colors": page.page.locator("#colors").inner_text(),
        "tab": page.page.locator("#tabs [aria-current]").inner_text(),
        "pixels": page.page.locator("#picture").evaluate("canvas => canvas.toDataURL()"),
    }


def state(page: View) -> str:
    address: str = page.page.url
    return urlsplit(address).fragment


def reopen(page: View, address: str | None = None) -> None:
    """Open an address as a new tab does."""
    address = address or page.page.url
    page.page.goto("about:blank")
    page.page.goto(address)
    page.idle()


def test_the_same_is_seen_in_a_new_tab(view, ocean):
    page = view(ocean, variable="rain")
    page.show("sst")
    page.slide("time", 7)
    page.click(30, 10, 72, 36)
    page.click(50, 20, 72, 36)
    page.choose_colors("heat")
    page.page.check("#reverse")
    page.page.fill("#high", "25")
    page.page.press("#high", "Enter")
    for _ in range(2):
        page.page.click("#nearer")
        page.idle()
    page.page.select_option("#along", label="lat")
    page.idle()
    page.page.mouse.move(0, 0)
    before = shown(page)
    for word in ("variable=sst", "at=time:7", "colors=heat", "reverse=yes", "window=", "points=7:"):
        assert word in state(page)
    reopen(page)
    assert shown(page) == before
    assert not page.page.locator("#problem").is_visible()


def test_other_axes_and_a_logarithm_are_kept(view, ocean):
    page = view(ocean, variable="sst")
    page.page.click("#swap")
    page.idle()
    page.page.check("#log")
    page.page.select_option("#stride", "2")
    page.idle()
    page.page.click("[data-tab=storage]")
    page.idle()
    before = shown(page)
    reopen(page)
    assert shown(page) == before
    page.page.select_option("#down", label="none")
    page.idle()
    page.page.locator("#picture").wait_for()
    assert "down=none" in state(page)
    reopen(page)
    assert page.page.input_value("#down") == ""


def test_back_and_forward(view, ocean):
    page = view(ocean, variable="sst")
    page.slide("time", 3)
    page.show("rain")
    page.show("section")
    page.page.go_back()
    page.page.locator("#name").get_by_text("rain", exact=True).wait_for()
    page.page.go_back()
    page.page.locator("#name").get_by_text("sst", exact=True).wait_for()
    page.idle()
    assert page.text(".slider output") == "1990-04-17 07:30"
    page.page.go_back()
    page.page.locator(".slider output").get_by_text("1990-01-16").wait_for()
    for name in ("sst", "rain", "section"):
        page.page.go_forward()
        page.page.locator("#name").get_by_text(name, exact=True).wait_for()
    page.idle()


def test_a_slider_that_moves_is_one_step_back(view, ocean):
    page = view(ocean, variable="sst")
    slider = page.page.get_by_label("time", exact=True)
    slider.evaluate(
        """slider => { for (const place of [1, 2, 3, 4]) {
          slider.value = place; slider.dispatchEvent(new Event("input")); }
          slider.dispatchEvent(new Event("change")); }"""
    )
    page.idle()
    assert "at=time:4" in state(page)
    page.page.go_back()
    page.page.locator(".slider output").get_by_text("1990-01-16").wait_for()
    assert "at=" not in state(page)


BROKEN = [
    ("variable=none", "no variable is named 'none'"),
    ("variable=sst&at=time:99", "time has no index '99'"),
    ("variable=sst&at=depth:1", "the variable has no dimension 'depth'"),
    ("variable=sst&across=lon&down=lon", "the two axes are the same"),
    ("variable=sst&window=500:600,0:1", "the window is not within the picture"),
    ("variable=sst&window=a:b,c:d", "the window is not within the picture"),
    ("variable=sst&colors=pink", "colors cannot be 'pink'"),
    ("variable=sst&range=low", "range cannot be 'low'"),
    ("variable=sst&points=1:2", "'1:2' is not a point of the variable"),
    ("variable=sst&points=1:2:x", "lon has no index 'x'"),
    ("variable=sst&every=0", "every cannot be '0'"),
    ("variable=sst&log=maybe", "log cannot be 'maybe'"),
    ("variable=sst&tab=secrets", "tab cannot be 'secrets'"),
    ("variable=sst&at=%E0%A4%A", "'at=%E0%A4%A' is not valid"),
]


def test_a_broken_address_shows_a_default_and_says_so(view, ocean):
    page = view(ocean, variable="sst")
    before = shown(page)
    for fragment, said in BROKEN:
        if fragment == BROKEN[0][0]:
            reopen(page, f"{page.address}#{fragment}")
        else:
            page.page.evaluate("fragment => { location.hash = fragment; }", fragment)
            page.page.locator("#problem").get_by_text(said).wait_for()
            page.idle()
        assert page.text("#problem") == f"The address has parts that cannot be shown: {said}."
        assert shown(page) == before, fragment
    page.slide("time", 1)
    assert not page.page.locator("#problem").is_visible()


def test_a_typed_address_is_shown(view, ocean):
    page = view(ocean, variable="sst")
    page.page.evaluate("location.hash = '#variable=rain&range=0:5&log=no'")
    page.page.locator("#name").get_by_text("rain", exact=True).wait_for()
    page.idle()
    assert (page.page.input_value("#low"), page.page.input_value("#high")) == ("0", "5")


def test_names_of_any_kind_are_kept(view, tmp_path):
    (tmp_path / "n.cdl").write_text(
        "netcdf n { group: a { dimensions: \\x\\:\\,y = 3 ; \\=\\&z = 4 ;"
        " variables: int v\\#\\%\\ \\:\\,w(\\x\\:\\,y, \\=\\&z) ;"
        " int same(\\x\\:\\,y, \\x\\:\\,y) ;"
        " data: v\\#\\%\\ \\:\\,w = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; same = 1 ; } }"
    )
    ncz.gen(tmp_path / "n.cdl", tmp_path / "n.zarr", notify=ignore_notice)
    page = view(tmp_path / "n.zarr")
    page.show("v#% :,w")
    page.page.select_option("#down", label="none")
    page.idle()
    page.slide("x:,y", 2)
    before = shown(page)
    reopen(page)
    assert shown(page) == before
    page.show("same")
    page.page.click("#swap")
    page.idle()
    before = shown(page)
    reopen(page)
    assert shown(page) == before


def test_recorded_pages_have_it_too(tab, listening, regions, tmp_path: Path):
    target = tmp_path / "pacific.html"
    ncz.view(regions, "pacific", html=target, notify=ignore_notice)
    page = View(tab, listening, target.as_uri())
    page.choose_colors("gray")
    page.click(3, 2, 10, 5)
    page.page.click("#nearer")
    page.idle()
    page.page.mouse.move(0, 0)
    before = {
        "name": page.text("#name"),
        "picture": page.labels("#picture"),
        "points": page.text("#points"),
        "pixels": page.page.locator("#picture").evaluate("canvas => canvas.toDataURL()"),
    }
    assert "variable=pacific" in state(page)
    reopen(page)
    after = {
        "name": page.text("#name"),
        "picture": page.labels("#picture"),
        "points": page.text("#points"),
        "pixels": page.page.locator("#picture").evaluate("canvas => canvas.toDataURL()"),
    }
    assert after == before
    page.choose_colors("heat")
    page.page.go_back()
    page.page.locator("#colors").get_by_text("gray").wait_for()
    assert page.said == []


def test_many_changes_are_few_steps(view, ocean):
    """Browsers refuse hundreds of changes of an address within seconds, with a message."""
    page = view(ocean, variable="sst")
    page.page.evaluate(
        """() => { window.steps = 0; const push = history.pushState.bind(history);
          history.pushState = (...given) => { window.steps++; push(...given); }; }"""
    )
    page.page.get_by_label("time", exact=True).evaluate(
        """slider => { for (let n = 0; n < 500; n++) {
          slider.value = 1 + n % 30;
          slider.dispatchEvent(new Event("input"));
          slider.dispatchEvent(new Event("change")); } }"""
    )
    page.idle()
    assert page.page.evaluate("steps") == 1
    assert "at=time:20" in state(page)


def test_the_place_where_playing_stops_is_kept(view, ocean):
    page = view(ocean, variable="sst")
    page.page.get_by_role("button", name="Play").click()
    page.page.locator(".slider output").get_by_text("1990-03-17 21").wait_for()
    assert "at=" not in state(page)
    page.page.get_by_role("button", name="Stop").click()
    page.idle()
    assert "at=time:" in state(page)


def test_a_recorded_page_names_actions_that_need_a_server(tab, listening, ocean, tmp_path: Path):
    target = tmp_path / "sst.html"
    ncz.view(ocean, "sst", html=target, notify=ignore_notice)
    page = View(
        tab, listening, f"{target.as_uri()}#variable=sst&at=time:3&colors=pink&points=0:3:4"
    )
    said = "The address has parts that cannot be shown: at needs a server; colors cannot be 'pink'."
    assert page.text("#problem") == said
    assert page.text(".slider output") == "1990-01-16"
    assert page.page.locator("#points li").count() == 1
    assert page.said == []
