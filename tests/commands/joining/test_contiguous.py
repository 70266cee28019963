"""Files whose variables are contiguous, joined in sets that refer to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

netcdf4 = pytest.importorskip("netCDF4")


def write(folder: Path, count: int, size: int, kind: str) -> list[str]:
    """Write files of one time each, without unlimited dimensions."""
    names = []
    for number in range(count):
        names.append(str(folder / f"s{number:02}.nc"))
        with netcdf4.Dataset(names[-1], "w", format=kind) as file:
            file.createDimension("t", 1)
            file.createDimension("x", size)
            file.createVariable("t", "i4", ("t",))[0] = number
            file.createVariable("v", "f8", ("t", "x"))[0] = np.arange(size) + number
    return names


@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_64BIT_OFFSET"])
@pytest.mark.parametrize("target", ["all.json", "all.parq"])
def test_a_set_refers_to_contiguous_values(tmp_path: Path, kind: str, target: str) -> None:
    names = write(tmp_path, 20, 10_000, kind)
    path = str(tmp_path / target)
    ncz.copy(names, path, concat="t", notify=ignore_notice)
    chunks = ncz.ls(path, "v", kinds="chunk", long=True)
    assert [entry.target is not None for entry in chunks] == [True] * 20
    assert [entry.size for entry in ncz.ls(path, "t", kinds="chunk", long=True)] == [80]
    with ncz.open(path) as dataset:
        assert np.array_equal(dataset["v"][:, 5], np.arange(20) + 5)


def test_a_repository_refers_to_contiguous_values(tmp_path: Path) -> None:
    icechunk = pytest.importorskip("icechunk")
    names = write(tmp_path, 3, 300_000, "NETCDF4")
    path = str(tmp_path / "all.icechunk")
    ncz.copy(names, path, concat="t", modes=("reference",), notify=ignore_notice)
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(path))
    urls = repository.readonly_session("main").all_virtual_chunk_locations()
    assert sorted(set(urls)) == [f"file://{name}" for name in names]


def test_a_set_has_the_requested_chunks(tmp_path: Path) -> None:
    names = write(tmp_path, 4, 1000, "NETCDF4")
    path = str(tmp_path / "all.json")
    how: Any = {"chunks": {"t": 4}, "notify": ignore_notice}
    ncz.copy(names, path, concat="t", **how)
    assert [v.chunks for v in ncz.info(path, variables="v").variables] == [(4, 1000)]
