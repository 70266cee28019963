"""docs/check.md explains every code, with its severity."""

from __future__ import annotations

import re

from ncz.commands.check.finding import CODES
from tests.conftest import ROOT


def test_every_code_is_explained_once():
    text = (ROOT / "docs/check.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning|note) \| .+ \| .+ \|$", text, re.M)
    assert sorted(rows) == sorted(CODES.items())
