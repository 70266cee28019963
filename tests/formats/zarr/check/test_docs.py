"""docs/reference/check.md explains every code, with its severity."""

from __future__ import annotations

import runpy

from tests.conftest import ROOT


def test_the_table_of_readers_matches_the_code():
    made = runpy.run_path(str(ROOT / "docs" / "make_readers.py"))
    assert made["PAGE"].read_text("utf-8") == made["page"](), "run 'make docs'"
    rows = made["table"]().splitlines()
    features = {
        feature: outcomes
        for words, *outcomes in ([cell.strip() for cell in row[2:-2].split(" | ")] for row in rows)
        for feature in words.split("; ")
    }
    assert features["char as \\|S1"] == ["", "netcdf-c"]
    assert features["scalars of shape []"] == ["netcdf-c", ""]
    assert "text of a fixed length" not in features  # all read it
