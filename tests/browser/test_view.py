"""The interactive page of `ncz view --html` in headless Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

pytest.importorskip("bokeh", reason="bokeh is not installed")

CDL = r"""netcdf p { dimensions: lat = 2 ; lon = 3 ; n = 4 ;
variables: float lat(lat) ; lat:units = "degrees_north" ; float lon(lon) ;
  lon:units = "degrees_east" ;
  short t(lat, lon) ; t:_FillValue = -1s ; t:units = "$$\\require{html}\\href{x}{K}$$" ;
    t:long_name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>" ;
  float wave(n) ;
data: lat = 40, 50 ; lon = 0, 10, 20 ; t = 1, 2, 3, 4, -1, 6 ; wave = 1, 5, 2, 8 ; }
"""

VALUES = """name => {
  const found = Bokeh.documents[0].get_model_by_name(name);
  const data = found.data_source.data;
  return data.image ? Array.from(data.image[0]) : Array.from(data.y);
}"""


@pytest.fixture
def opened(tab: Any, listening: Any, run: Run, tmp_path: Path):
    """Return a function that opens the page of a variable, and what it asked for and printed."""
    (tmp_path / "p.cdl").write_text(CDL)
    ncz.gen(tmp_path / "p.cdl", tmp_path / "p.zarr", notify=ignore_notice)

    def open_page(name: str) -> tuple[Any, list[str]]:
        target = tmp_path / f"{name}.html"
        ran = run("view", tmp_path / "p.zarr", name, "--html", target)
        assert ran.code == 0, ran.stderr
        said: list[str] = []
        listening("request", lambda request: said.append(request.url))
        listening("dialog", lambda dialog: said.append(dialog.message))
        listening("console", lambda line: said.append(line.text) if line.type == "error" else None)
        listening("pageerror", lambda error: said.append(str(error)))
        tab.goto(target.as_uri())
        tab.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
        return tab, [each for each in said if not each.startswith(("file:", "data:", "blob:"))]

    return open_page


def test_a_map_has_the_values_and_harmless_names(opened):
    page, said = opened("t")
    assert page.evaluate(VALUES, "map") == pytest.approx([1, 2, 3, 4, float("nan"), 6], nan_ok=True)
    image = page.evaluate("""() => {
      const glyph = Bokeh.documents[0].get_model_by_name("map").glyph;
      return [glyph.x.value, glyph.y.value, glyph.dw.value, glyph.dh.value];
    }""")
    assert image == [-5, 35, 30, 20]
    text = page.get_by_text("t: </script>").inner_text()
    assert text.startswith("t: </script><script>alert(1)</script><img src=x onerror=alert(2)>")
    assert "$$" in text
    assert page.locator("img[src=x]").count() == 0
    assert said == []


def test_the_pointer_shows_the_value(opened):
    page, said = opened("t")
    box = page.locator(".bk-Figure").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.8)
    value = page.locator(".bk-tooltip-row-value").first
    value.wait_for()
    assert value.inner_text() == "1"
    assert said == []


def test_a_line_has_the_values(opened):
    page, said = opened("wave")
    assert page.evaluate(VALUES, "line") == [1, 5, 2, 8]
    assert said == []
