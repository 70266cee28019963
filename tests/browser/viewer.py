"""A page of `ncz view` in headless Chromium, for the tests of its contents.

Pictures of the page are written to the folder that NCZ_SCREENSHOTS names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.commands.view.test_server import options_for

pytest.importorskip("tornado", reason="tornado is not installed")

from ncz.commands.view.server import run_page_server

LEFT, RIGHT = 100, 12
"""Pixels between the edges of the canvas of series and their plot."""

_KEEP_TEXTS = """
const open = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (...given) {
  this.texts = [];
  return open.apply(this, given);
};
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...given) {
  this.canvas.texts.push(text);
  return write.call(this, text, ...given);
};
"""
"""Remembers the last text on each canvas."""


@pytest.fixture(scope="module")
def tab(tab: Any) -> Any:
    tab.add_init_script(_KEEP_TEXTS)
    return tab


class View:
    """A page of a dataset that is open in the browser, and its errors."""

    def __init__(self, tab: Any, listening: Any, address: str) -> None:
        self.page = tab
        self.address = address
        self.said: list[str] = []
        self.asked: list[str] = []
        listening("request", lambda request: self.asked.append(request.url))
        listening("dialog", lambda dialog: self.said.append(dialog.message))
        listening("console", lambda line: self.said.append(f"{line.type}: {line.text}"))
        listening("pageerror", lambda error: self.said.append(str(error)))
        self.page.set_viewport_size({"width": 1200, "height": 800})
        self.page.goto(address)
        self.idle()

    def idle(self) -> None:
        """Wait until all requests of the page are answered."""
        self.page.locator("body[data-busy=no]").wait_for()

    def text(self, selector: str) -> str:
        found: str = self.page.locator(selector).inner_text()
        return found

    def labels(self, canvas: str) -> list[str]:
        """Return the texts on a canvas, which has its displayed size."""
        self.page.wait_for_function(  # another size of the window is heard of a little later
            """name => { const canvas = document.querySelector(name);
              return canvas.width === Math.round(canvas.clientWidth)
                && canvas.height === Math.round(canvas.clientHeight); }""",
            arg=canvas,
        )
        texts: list[str] = self.page.locator(canvas).evaluate("canvas => canvas.texts")
        return texts

    def show(self, name: str) -> None:
        """Choose a variable from the list."""
        pattern = re.compile(f"^{re.escape(name)}$")
        button = self.page.locator("#list button").filter(
            has=self.page.locator("b").get_by_text(pattern)
        )
        button.click()
        self.idle()
        assert self.text("#name").rpartition("/")[2] == name.rpartition("/")[2]

    def box(self) -> tuple[float, float, float, float]:
        """Return the place of the picture on the screen: left, top, width and height."""
        canvas = self.page.locator("#picture")
        frame = canvas.bounding_box()
        left, top, width, height = map(float, canvas.get_attribute("data-box").split())
        return frame["x"] + left, frame["y"] + top, width, height

    def place(self, column: float, row: float, columns: int, rows: int) -> tuple[float, float]:
        """Return the middle of a cell of the picture, counted from the top left."""
        left, top, width, height = self.box()
        return left + (column + 0.5) / columns * width, top + (row + 0.5) / rows * height

    def hover(self, column: float, row: float, columns: int, rows: int = 1) -> str:
        """Return the text of the page for the cell under the pointer."""
        self.page.mouse.move(*self.place(column, row, columns, rows))
        return self.text("#pointer")

    def click(self, column: float, row: float, columns: int, rows: int = 1) -> None:
        self.page.mouse.click(*self.place(column, row, columns, rows))
        self.idle()

    def color(self, column: float, row: float, columns: int, rows: int) -> list[int]:
        """Return red, green, blue and alpha of the middle of a cell."""
        box = self.page.locator("#picture").bounding_box()
        x, y = self.place(column, row, columns, rows)
        found: list[int] = self.page.locator("#picture").evaluate(
            """(canvas, [x, y]) => {
              const pen = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
              pen.drawImage(canvas, -Math.floor(x), -Math.floor(y));
              return [...pen.getImageData(0, 0, 1, 1).data];
            }""",
            [x - box["x"], y - box["y"]],
        )
        return found

    def choose_colors(self, name: str) -> None:
        """Choose a colour map from the list."""
        self.page.click("#colors")
        self.page.locator("#colormaps label").filter(has_text=re.compile(f"^{name}$")).click()
        self.page.keyboard.press("Escape")
        self.idle()

    def slide(self, axis: str, index: int) -> None:
        self.page.get_by_label(axis, exact=True).fill(str(index))
        self.idle()

    def close(self, picture: str) -> None:
        """Check that the page made no requests to other servers, and printed nothing."""
        if folder := os.environ.get("NCZ_SCREENSHOTS"):
            self.page.screenshot(path=Path(folder) / f"{picture}.png")
        assert [u for u in self.asked if not u.startswith((self.address, "data:"))] == []
        assert self.said == []


@pytest.fixture
def view(
    tab: Any, listening: Any, kinds: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., View]]:
    """Return a function that opens the page of a store."""
    name = re.sub(r"\W+", "_", request.node.name)
    with ExitStack() as stack:

        def open_view(store: Path = kinds, **options: Any) -> View:
            server = stack.enter_context(run_page_server(options_for(store, **options)))
            opened = View(tab, listening, server.address)
            stack.callback(opened.close, name)
            return opened

        yield open_view
