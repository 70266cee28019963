"""A text and a store that codecs are tried on."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz


def text(special: str) -> str:
    return f"netcdf f {{ dimensions: x = 4 ; variables: int v(x) ;\nv:{special} ;\n}}"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    cdl = tmp_path / "s.cdl"
    cdl.write_text(text("_DeflateLevel = 1").replace("\n}", "\ndata: v = 1, 2, 3, 4 ;\n}"))
    ncz.gen(cdl, tmp_path / "s.zarr", modes=["zarr"])
    return tmp_path / "s.zarr"
