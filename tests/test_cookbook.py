"""docs/start/cookbook.md: every command and every Python block does what the page says.

The recipes for S3 and for continuous integration are long.
"""

from __future__ import annotations

import os
import re
import shutil

import pytest

from tests.servers.processes import BUCKET
from tools.pages import Page

INSTALL = "pip install 'ncz[netcdf]'"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    pytest.importorskip("h5py")
    cookbook = Page("docs/start/cookbook.md", tmp_path_factory.mktemp("cookbook"))
    cookbook.copy("cdl_examples/weather.cdl", "weather.cdl")
    for block in cookbook.blocks("console"):
        if "localhost" not in block:
            cookbook.check_console(block)
    return cookbook


@pytest.fixture(scope="module")
def recipes(page: Page) -> list[list[list[str]]]:
    """Return the commands in each row of the table of recipes: those of ncz, and the others."""
    (table,) = re.findall(r"^\| To do .*\n\|---.*\n((?:\|.*\n)+)", page.text, re.MULTILINE)
    rows = [row.strip("|").split(" | ") for row in table.splitlines()]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row[1:]] for row in rows]


def test_the_recipes_from_ncks_and_cdo(page, recipes):
    """Each command of ncz runs, and each other one that is installed and changes the same file."""
    assert len(recipes) > 10
    for ours, theirs in recipes:
        for command in ours:
            printed = page.run(f"rm -f cut.nc; {command} && echo done")
            assert printed.splitlines()[-1] == "done", printed
        for command in theirs:
            if shutil.which(command.split()[0]) and "..." not in command:
                printed = page.run(f"rm -f cut.nc; {command} && echo done")
                assert printed.splitlines()[-1] == "done", (command, printed)


def test_every_recipe_has_a_block(page):
    recipes = re.split(r"^## ", page.text, flags=re.MULTILINE)[1:]
    assert len(recipes) == 8
    for recipe in recipes:
        assert "```" in recipe, recipe


@pytest.mark.long
def test_s3(page, moto):
    blocks = [block for block in page.blocks("console") if "localhost" in block]
    assert len(blocks) == 1
    at_home = dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"), os.devnull)
    exports = "".join(f"export {name}={value}; " for name, value in at_home.items())
    page.check_console(
        blocks[0],
        {
            "http://localhost:9000": moto.endpoint,
            "s3://bucket/": f"s3://{BUCKET}/cookbook/",
            "export AWS": f"{exports}export AWS",
        },
    )


def test_python_blocks(page):
    pytest.importorskip("xarray")
    for block in page.blocks("python"):
        page.check_python(block)


@pytest.mark.long
@pytest.mark.parametrize("number", [0, 1])
def test_the_jobs_of_continuous_integration(page, number):
    job = page.blocks("yaml")[number]
    assert INSTALL in job
    commands = re.findall(r"^ +(?:- )?(ncz .*)$", job, re.MULTILINE)
    assert len(commands) >= 3
    printed = page.run("set -e\n" + "\n".join(commands) + "\necho done")
    assert printed.splitlines()[-1] == "done", printed
