"""docs/start: every command and every Python block does what the pages say.

The blocks for S3 and for continuous integration are long.
"""

from __future__ import annotations

import os
import re
import shutil

import pytest

from tests.conftest import ROOT
from tests.servers.processes import BUCKET
from tools.pages import Page

INSTALL = "pip install 'ncz[netcdf]'"
PAGES = sorted(path.stem for path in (ROOT / "docs/start").glob("*.md"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """Return each page, after its commands have run in a folder of its own."""
    pytest.importorskip("h5py")
    found = {}
    for name in PAGES:
        page = found[name] = Page(f"docs/start/{name}.md", tmp_path_factory.mktemp(name))
        page.copy("cdl_examples/weather.cdl", "weather.cdl")
        for block in page.blocks("console"):
            if "localhost" not in block:
                page.check_console(block)
    return found


def test_the_commands_print_what_the_pages_say(pages):
    assert len(pages) == 5
    for name, page in pages.items():
        assert page.blocks("console"), name


@pytest.fixture(scope="module")
def recipes(pages: dict[str, Page]) -> list[list[list[str]]]:
    """Return the commands in each row of the table of recipes: those of ncz, and the others."""
    text = pages["nco-cdo"].text
    (table,) = re.findall(r"^\| To do .*\n\|---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    rows = [row.strip("|").split(" | ") for row in table.splitlines()]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row[1:]] for row in rows]


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_the_recipes_from_ncks_and_cdo(pages, recipes, step):
    """Each command of ncz runs, and each other one that is installed and changes the same file."""
    page = pages["nco-cdo"]
    assert len(recipes) > 10
    for ours, theirs in recipes[::step]:
        for command in ours:
            printed = page.run(f"rm -f cut.nc; {command} && echo done")
            assert printed.splitlines()[-1] == "done", printed
        for command in theirs:
            if shutil.which(command.split()[0]) and "..." not in command:
                printed = page.run(f"rm -f cut.nc; {command} && echo done")
                assert printed.splitlines()[-1] == "done", (command, printed)


def test_python_blocks(pages):
    pytest.importorskip("xarray")
    blocks = [(page, block) for page in pages.values() for block in page.blocks("python")]
    assert blocks
    for page, block in blocks:
        page.check_python(block)


@pytest.mark.long
def test_s3(pages, moto):
    page = pages["xarray"]
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
@pytest.mark.parametrize("number", [0, 1])
def test_the_jobs_of_continuous_integration(pages, number):
    page = pages["xarray"]
    job = page.blocks("yaml")[number]
    assert INSTALL in job
    commands = re.findall(r"^ +(?:- )?(ncz .*)$", job, re.MULTILINE)
    assert len(commands) >= 3
    printed = page.run("set -e\n" + "\n".join(commands) + "\necho done")
    assert printed.splitlines()[-1] == "done", printed
