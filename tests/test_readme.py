"""Run the console and Python blocks of the README, and compare their output."""

from __future__ import annotations

import pytest

from tests.pages import Page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    readme = Page("README.md", tmp_path_factory.mktemp("readme"))
    readme.copy("cdl_examples")
    return readme


def test_the_blocks_do_what_they_say(page):
    console, python = page.blocks("console"), page.blocks("python")
    assert console
    assert python
    for block in console:
        page.check_console(block)
    for block in python:
        page.check_python(block)
