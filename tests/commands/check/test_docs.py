"""docs/reference/check.md explains every code, with its severity."""

from __future__ import annotations

import re
import runpy

from ncz.commands.check.finding import CODES
from tests.conftest import ROOT


def test_every_code_is_explained_once():
    text = (ROOT / "docs/reference/check.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning|note) \| .{10,} \|$", text, re.M)
    assert sorted(rows) == sorted(CODES.items())


def test_the_table_of_readers_is_that_of_the_code():
    made = runpy.run_path(str(ROOT / "docs" / "make_readers.py"))
    assert made["PAGE"].read_text("utf-8") == made["page"](), "run 'make docs'"
    rows = made["table"]().splitlines()
    assert "| char as \\|S1 |  | netcdf-c |" in rows
    assert "| scalars of shape [] | netcdf-c |  |" in rows
    assert not [row for row in rows if row.startswith("| text of a fixed length |")]  # all read it
