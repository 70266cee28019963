"""docs/start: every command and every Python block has the output on the pages.

All pages with commands are long, except the one for xarray; so are the blocks for S3 and for
continuous integration.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from functools import cache

import pytest

from tests.conftest import ROOT
from tests.servers.processes import BUCKET
from tools.pages import Page

INSTALL = "pip install ncz"
PAGES = sorted({path.stem for path in (ROOT / "docs/start").glob("*.md")} - {"glossary"})
SELDOM = ("kerchunk", "nco-cdo", "netcdf-c", "recipes", "s3netcdf4")


@pytest.fixture(scope="module")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Page]:
    """Return a function that returns a page after its commands have run in a separate folder."""

    @cache
    def page_of(name: str) -> Page:
        page = Page(f"docs/start/{name}.md", tmp_path_factory.mktemp(name))
        page.copy("cdl_examples/weather.cdl", "weather.cdl")
        page.copy("docs/start/globe.cdl", "globe.cdl")
        for block in page.blocks("console"):
            if "localhost" not in block:
                page.check_console(block)
        return page

    return page_of


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.long] * (n in SELDOM)) for n in PAGES]
)
def test_the_commands_print_the_output_of_the_page(page_of, name):
    assert page_of(name).blocks("console")


@pytest.mark.long
def test_the_recipes_from_ncks_and_cdo(page_of):
    """Each command of ncz runs, and each other one that is installed."""
    page = page_of("nco-cdo")
    page.run("cp weather.nc in.nc")
    (table,) = re.findall(r"^\| task .*\n\|---.*\n((?:\|.*\n)+)", page.text, re.MULTILINE)
    rows = [row.strip("|").split(" | ") for row in table.splitlines()]
    assert len(rows) > 10
    for command in (c for row in rows for cell in row[1:] for c in re.findall(r"`([^`]+)`", cell)):
        program = command.split()[0]
        if program == "ncz" or shutil.which(program):
            printed = page.run(f"rm -f out.nc; {command} && echo done")
            assert printed.splitlines()[-1] == "done", (command, printed)


def test_python_blocks(page_of):
    pytest.importorskip("xarray")
    page = page_of("xarray")
    assert page.blocks("python")
    for block in page.blocks("python"):
        page.check_python(block)


def test_every_page_says_how_to_begin():
    for name in PAGES:
        text = (ROOT / f"docs/start/{name}.md").read_text(encoding="utf-8")
        for page in ("../../README.md#install", "../../cdl_examples/weather.cdl", "glossary.md"):
            assert f"]({page})" in text, (name, page)


def test_other_pages_have_no_python_blocks():
    pages = {name for name in PAGES if "```python" in (ROOT / f"docs/start/{name}.md").read_text()}
    assert pages == {"xarray"}


@pytest.mark.long
def test_s3(page_of, moto):
    page = page_of("xarray")
    blocks = [block for block in page.blocks("console") if "localhost" in block]
    assert len(blocks) == 1
    at_home = dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"), os.devnull)
    exports = "".join(f"export {name}={value}; " for name, value in at_home.items())
    page.check_console(
        blocks[0],
        {
            "http://localhost:9000": moto.endpoint,
            "s3://bucket/": f"s3://{BUCKET}/start/",
            "export AWS": f"{exports}export AWS",
        },
    )


@pytest.mark.long
def test_the_job_of_continuous_integration(page_of):
    page = page_of("xarray")
    (job,) = page.blocks("yaml")
    assert INSTALL in job
    commands = re.findall(r"^ +(?:- )?(ncz .*)$", job, re.MULTILINE)
    assert len(commands) >= 3
    printed = page.run("set -e\n" + "\n".join(commands) + "\necho done")
    assert printed.splitlines()[-1] == "done", printed
