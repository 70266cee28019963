"""A browser for all tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

CHROMIUM = os.environ.get("NCZ_CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")

_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--no-first-run",
]  # fmt: skip


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Return headless Chromium; its event loop may run during no other test."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    """Return a page of the browser for all tests of a module, as a new one takes a second."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    yield page
    page.close()


@pytest.fixture
def listening(tab: Any) -> Iterator[Callable[[str, Callable[[Any], object]], None]]:
    """Return a function that calls another at each event of a kind, until the test ends."""
    listeners = []

    def listen(event: str, heard: Callable[[Any], object]) -> None:
        tab.on(event, heard)
        listeners.append((event, heard))

    yield listen
    for event, heard in listeners:
        tab.remove_listener(event, heard)
    tab.goto("about:blank")
    tab.mouse.move(0, 0)
