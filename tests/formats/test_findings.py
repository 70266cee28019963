"""The codes of findings are explained."""

from __future__ import annotations

import re

from ncz.formats.findings import CODES
from tests.conftest import ROOT


def test_every_code_is_explained_once():
    text = (ROOT / "docs/reference/check.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.+`) \| (error|warning|note) \| .{10,} \|$", text, re.M)
    found = [(code, severity) for codes, severity in rows for code in re.findall("`(.+?)`", codes)]
    assert sorted(found) == sorted(CODES.items())
