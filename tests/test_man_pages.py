"""The manual pages, which are made from the help texts."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import ncz.cli
from tools.man_pages import pages


def test_there_is_a_page_for_every_command():
    assert set(pages()) == {"ncz.1", *(f"ncz-{name}.1" for name in ncz.cli.COMMANDS)}


def test_a_page_has_sections_examples_and_exit_codes():
    page = pages()["ncz-copy.1"]
    for heading in ("NAME", "SYNOPSIS", "SELECTION", "STORE", "EXIT STATUS", "EXAMPLES"):
        assert f"\n.SH {heading}\n" in page
    assert "\n\\fB\\-v, \\-\\-data\\-of V,...\\fR\n" in page
    assert "\nncz copy in.zarr out.nc\n" in page


def test_groff_accepts_every_page():
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    for name, text in pages().items():
        done = subprocess.run(
            [groff, "-man", "-Tutf8", "-ww", "-z"], input=text.encode(), capture_output=True,
            check=False,
        )  # fmt: skip
        assert (name, done.returncode, done.stderr) == (name, 0, b"")
