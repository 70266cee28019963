"""An empty current folder, and no memory stores."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty current folder, and no memory stores."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("ncz.zmap.memory.STORES", {})
    return tmp_path / "here"
