"""Findings about files that a dataset refers to."""

from __future__ import annotations

from ncz.formats.changed_sources import changed_sources
from ncz.zmap.source_file import SourceFile


def test_only_missing_and_changed_files_are_findings():
    sources = [
        SourceFile(url="/a.nc", state="unchanged"),
        SourceFile(url="/b.nc", state="missing"),
        SourceFile(url="/c.nc", state="changed", reason="it has 5 bytes, not 4"),
        SourceFile(url="/d.nc", state="unknown"),
        SourceFile(url="/e.nc", state="not permitted", reason="no"),
    ]
    missing, changed = changed_sources(sources)
    assert {missing.code, changed.code} == {"source-changed"}
    assert missing.message == "the source /b.nc does not exist"
    assert changed.message == "the source /c.nc has changed: it has 5 bytes, not 4"
    assert "make the references again" in str(changed)
