"""The result of a copy counts all chunks that were written in any way."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from tests.commands.copy.test_verbatim import contents

CDL = """netcdf s { dimensions: x = 6 ; variables: int v(x) ; double w(x) ;
  v:_ChunkSizes = 2 ; data: v = 1, 2, 3, 4, 5, 6 ; w = 1, 2, 3, 4, 5, 6 ; }"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "s.cdl"
    path.write_text(CDL)
    return path


def test_values_of_text_are_counted(text: Path, tmp_path: Path) -> None:
    done = ncz.copy(text, tmp_path / "s.zarr")
    written = [data for key, data in contents(tmp_path / "s.zarr").items() if "/." not in key]
    chunks = [data for data in written if not data.startswith(b"{")]
    assert (done.ways, done.chunks) == ({"write": 2}, len(chunks))
    assert done.size == sum(map(len, chunks))


def test_values_in_a_file_are_counted(text: Path, tmp_path: Path) -> None:
    done = ncz.copy(text, tmp_path / "s.nc", kind="classic")
    assert (done.chunks, done.size) == (3 + 1, 6 * 4 + 6 * 8)  # the chunks of the source


def test_a_dataset_of_xarray_is_counted(text: Path, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    ncz.gen(text, tmp_path / "s.zarr")
    with xarray.open_dataset(tmp_path / "s.zarr", engine="ncz") as opened:
        done = ncz.copy(opened.load().copy(), tmp_path / "t.zarr")
    assert done.chunks >= 2
    assert done.size > 0
