"""Lines of the quick starts of other libraries, with ncz in their place (library_idioms.txt)."""

from __future__ import annotations

import datetime
import glob
import io
import os
import pathlib
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from tests.cli.five_people_folder import fill
from tests.sampled import sampled

LINES = Path(__file__).with_name("library_idioms.txt").read_text("utf-8").splitlines()
IDIOMS = [line for line in LINES if line and not line.startswith("#")]
WRITES = ("o.", '"a"', '"r+"', "archive.zarr", "old.zarr")
"""Words of lines that change the folder, which is copied for them."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("xarray", "zarr", "netCDF4", "dask"):
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("idioms")
    fill(folder)
    return folder


@pytest.fixture
def names() -> dict[str, Any]:
    import fsspec
    import h5py
    import netCDF4
    import xarray
    import zarr

    pandas = pytest.importorskip("pandas")

    def same(a: str, b: str) -> bool:
        one, other = (xarray.open_dataset(p, engine=_engine(p)) for p in (a, b))
        return bool(one.equals(other))

    return {
        "np": np, "xr": xarray, "ncz": ncz, "zarr": zarr, "netCDF4": netCDF4, "h5py": h5py,
        "fsspec": fsspec, "pd": pandas, "io": io, "glob": glob, "datetime": datetime, "os": os,
        "pathlib": pathlib, "same_xr": same,
    }  # fmt: skip


def _engine(path: str) -> str:
    return "zarr" if path.endswith("zarr") else "netcdf4"


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> None:
    line = request.node.callspec.params["line"]
    folder = files
    if any(each in line for each in WRITES):
        folder = shutil.copytree(files, tmp_path / "here")
    monkeypatch.chdir(folder)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="older peers lack some of the names")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", sampled(IDIOMS, 6))
def test_an_idiom(line, here, names):
    typed, _, expected = line.rpartition(" => ")
    exec(typed, names)
    assert eval(expected, names)
