"""The structure of a netCDF file that is never written, as a checker of HDF5 files walks it."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT
from tests.sampled import sampled
from tests.transfer.test_netcdf_face import GOLDEN, STORES, array, written

h5py = pytest.importorskip("h5py", reason="h5py is not installed")


def extents(path: Path) -> list[tuple[int, int]]:
    """Return the begin and the end of each chunk in a file."""
    found: list[tuple[int, int]] = []

    def add(_: str, each: Any) -> None:
        if isinstance(each, h5py.Dataset) and each.chunks is not None:
            for number in range(each.id.get_num_chunks()):
                chunk = each.id.get_chunk_info(number)
                found.append((chunk.byte_offset, chunk.byte_offset + chunk.size))

    with h5py.File(path) as file:
        file.visititems(add)
    return sorted(found)


def walk(path: Path) -> None:
    """Check that chunks are apart and within the file, and read each part of it in three ways."""
    found, size = extents(path), path.stat().st_size
    for (_, end), (start, _) in pairwise(found):
        assert end <= start
    assert all(0 < start < end <= size for start, end in found)
    with open(path, "rb") as file:
        assert file.read(8) == b"\x89HDF\r\n\x1a\n"
    report = ncz.check(path, data=True)
    assert [f for f in report.findings if f.severity == "error"] == []
    for options in (["-B", "-p", "-H"], ["-y"]):
        try:
            ran = subprocess.run(["h5dump", *options, path], capture_output=True, check=False)
        except FileNotFoundError:
            return
        assert (ran.returncode, ran.stderr) == (0, b""), ran.stderr


@pytest.mark.parametrize("name", sampled(STORES, 20))
def test_stores_of_netcdf_c(tmp_path: Path, name: str) -> None:
    walk(written(GOLDEN / name / "store.zip", tmp_path / "x.nc"))


@pytest.mark.parametrize(
    "path", sampled(sorted((ROOT / "cdl_examples").glob("*.cdl")), 6), ids=lambda p: p.stem
)
def test_examples(tmp_path: Path, path: Path) -> None:
    ncz.gen(path, tmp_path / "x.zarr", notify=ignore_notice)
    walk(written(tmp_path / "x.zarr", tmp_path / "x.nc"))


ALIKE = ("gzip", "zstd", "none")
"""Codecs whose chunks are found in the same way as chunks of zlib."""


@pytest.mark.parametrize(
    "codecs", ["zlib", *(pytest.param(name, marks=pytest.mark.long) for name in ALIKE)]
)
def test_many_chunks(tmp_path: Path, codecs: str) -> None:
    store = array(tmp_path, (65, 64), (1, 1), codecs=codecs)
    face = written(store, tmp_path / "x.nc")
    walk(face)
    assert len(extents(face)) == 65 * 64


@pytest.mark.parametrize("name", sampled(STORES, 12))
def test_h5py_reads_the_numbers_that_ncz_reads(tmp_path: Path, name: str) -> None:
    store = GOLDEN / name / "store.zip"
    face = written(store, tmp_path / "x.nc")
    with ncz.open(store, notify=ignore_notice) as opened, h5py.File(face) as file:
        for path, variable in _variables(opened):
            dataset = file.get(path) or file.get(_renamed(path))
            assert dataset is not None, path
            values = np.asarray(variable[...])
            if values.dtype.kind in "iuf":
                assert np.array_equal(dataset[()], values, equal_nan=dataset.dtype.kind == "f")


def _variables(group: Any) -> list[tuple[str, Any]]:
    found = [(variable.path, variable) for variable in group.variables.values()]
    return found + [each for child in group.groups.values() for each in _variables(child)]


def _renamed(path: str) -> str:
    """Return the name of a variable that has the name of a dimension, but not its shape."""
    group, _, name = path.rpartition("/")
    return f"{group}/_nc4_non_coord_{name}"
