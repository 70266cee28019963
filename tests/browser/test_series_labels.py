"""The labels of the axes of series: enough of them at any width, in a form that fits."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from tests.browser.datasets import hours as hours
from tests.browser.datasets import listed, made
from tests.browser.viewer import View
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds
from tests.sampled import sampled

pytestmark = pytest.mark.long

WIDTHS = (360, 500, 660, 800, 1000, 1200, 1600, 2200)


def series_labels(page: View) -> tuple[list[str], str]:
    """Return the labels of the horizontal axis of the series, and its title."""
    texts = page.labels("#series")
    dimension = page.text("#along")
    end = next(n for n, text in enumerate(texts) if text.startswith(dimension))
    return texts[:end], texts[end]


@pytest.mark.parametrize(
    ("name", "form"),
    sampled(
        [
            ("hourly", r"\d\d-\d\d|\d{4}-\d\d"),
            ("daily", r"\d{4}-\d\d"),
            ("yearly", r"\d{4}"),
            ("minutely", r"\d\d-\d\d|\d\d:\d\d"),
            ("profile", r"\d+"),
        ],
        3,
    ),
)
def test_labels_fit_at_any_width(view, hours, name, form):
    page = view(hours, variable=name)
    page.click(1, 0, 3)
    for width in WIDTHS:
        page.page.set_viewport_size({"width": width, "height": 900})
        page.idle()
        labels, _ = series_labels(page)
        assert 3 <= len(labels) <= 30, (width, labels)
        assert all(re.fullmatch(form, label) for label in labels), (width, labels)
        assert len(set(labels)) == len(labels)


def test_dates_show_their_differences(view, hours):
    page = view(hours, variable="minutely")
    page.click(1, 0, 3)
    labels, title = series_labels(page)
    assert labels[0] == "23:00"
    assert labels[labels.index("03-02") + 1].startswith("00:")
    assert title == "minute (from 2026-03-01)"
    page.show("hourly")
    page.click(1, 0, 3)
    labels, title = series_labels(page)
    assert (labels[0], title) == ("03-01", "hour (2026)")
    page.show("yearly")
    page.click(1, 0, 3)
    labels, title = series_labels(page)
    assert title == "year"
    assert "1900" in labels


def test_years_are_at_their_first_date(view, hours):
    """Also if the first year begins with a date that is not near its beginning."""
    page = view(hours, variable="daily")
    page.click(1, 0, 3)
    labels, _ = series_labels(page)
    assert labels[0] == "2025-01"
    assert "2024-12" not in labels


def every_second(folder: Path, count: int) -> Path:
    """Return a store with a variable v that lacks every second value."""
    values = listed([1 if n % 2 else math.nan for n in range(count)])
    text = f"""netcdf dots {{ dimensions: n = {count} ; variables: float v(n) ;
        v:_FillValue = -1.f ; data: v = {values} ; }}"""
    return made(folder, "dots", text)


def test_values_that_were_not_read_are_not_called_missing(view, tmp_path):
    page = view(every_second(tmp_path, 800), variable="v")
    said = "All values that were read are missing; zoom in to read others."
    assert page.text("#message") == said
    for _ in range(2):
        page.page.click("#nearer")
        page.idle()
    assert "missing" not in page.page.locator("body").inner_text()


def test_a_value_between_missing_ones_is_seen(view, tmp_path):
    page = view(every_second(tmp_path, 300), variable="v")
    left, top, width, height = page.box()
    seen = page.page.locator("#picture").evaluate(
        """(canvas, [x, y, wide, high]) => {
          const frame = canvas.getBoundingClientRect(), pen = canvas.getContext("2d");
          const ratio = canvas.width / frame.width;
          const data = pen.getImageData((x - frame.x) * ratio, (y - frame.y) * ratio,
            wide * ratio, high * ratio).data;
          const colors = new Set();
          for (let at = 0; at < data.length; at += 4) colors.add(data.slice(at, at + 4).join());
          return colors.size; }""",
        [left, top + height / 2 - 5, width / 20, 10],
    )
    assert seen > 2
