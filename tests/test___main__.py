"""``python -m ncz``."""

from __future__ import annotations

import runpy

import pytest


def test_the_module_calls_the_entry_point_of_ncz(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr("ncz.cli.main", lambda: calls.append("main"))
    runpy.run_module("ncz", run_name="__main__")
    assert calls == ["main"]
