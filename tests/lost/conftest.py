"""Fixtures of stores that tests damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.lost.stores import CDL, PLAIN


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["nczarr", "zarr", "v3", "zarr,v3"])
def store(run: Run, folder: Path, request: pytest.FixtureRequest) -> Path:
    """A store of every kind."""
    assert run(*PLAIN, "-o", f"s.zarr#mode={request.param}", stdin=CDL).code == 0
    return folder / "s.zarr"
