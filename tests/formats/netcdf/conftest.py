"""Fixtures: files of every kind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.formats.netcdf.ncgen import make_files


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every example as a file of every kind that can represent it, made with ncgen."""
    if shutil.which("ncgen") is None:
        pytest.skip("ncgen is not installed (apt install netcdf-bin)")
    return make_files(tmp_path_factory.mktemp("ncgen"))
