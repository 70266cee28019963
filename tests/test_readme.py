"""Run the console and Python blocks of the README, and compare their output."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from tools.pages import Page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    readme = Page("README.md", tmp_path_factory.mktemp("readme"))
    readme.copy("cdl_examples")
    return readme


def test_the_blocks_have_the_shown_output(page):
    """tools/release_check.py runs them too, as another user, with an installed wheel."""
    console, python = page.blocks("console"), page.blocks("python")
    assert len(console) >= 2
    assert python
    for block in console:
        page.check_console(block)
    for block in python:
        page.check_python(block)
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", index, re.MULTILINE | re.DOTALL):
        page.check_python(block)


def test_the_site_begins_with_the_installation_and_an_example(page):
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert index.startswith("```{include} ../README.md\n:end-before: <!-- picture -->\n")
    begin = page.text.partition("<!-- picture -->")[0]
    assert "```sh\npip install ." in begin
    assert page.blocks("console")[0] in begin


def test_another_output_is_found(page):
    with pytest.raises(AssertionError, match="that"):
        page.check_console("$ echo this\nthis\n$ echo that\nthis\n")
    with pytest.raises(AssertionError, match="prints"):
        page.check_python("print(1)  # 2\n")
