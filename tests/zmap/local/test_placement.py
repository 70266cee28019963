"""A file that is replaced exists at every moment."""

from __future__ import annotations

import io
import os

import pytest

import ncz
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap
from tests.reliability.disk import Disk, failing


def put(target, text: bytes) -> None:
    with create_zmap(parse_location(str(target)), overwrite=True) as zmap:
        zmap.put(".zgroup", text)


@pytest.mark.parametrize("links", [False, True])
def test_a_zip_file_is_replaced_in_one_step(tmp_path, links):
    target = tmp_path / "x.zip"
    if links:
        put(tmp_path / "real.zip", b"{}")
        target.symlink_to("real.zip")
    else:
        put(target, b"{}")
    with failing(Disk(str(tmp_path))) as disk:
        put(target, b'{"zarr_format": 2}')
    assert "replace" in disk.operations
    assert "rename" not in disk.operations
    assert sorted(os.listdir(tmp_path)) == (["real.zip", "x.zip"] if links else ["x.zip"])


def test_a_file_that_hdf5_has_open_is_replaced(tmp_path):
    import h5py

    text = b"netcdf a { variables: int v ; data: v = %d ; }"
    ncz.gen(io.BytesIO(text % 1), tmp_path / "a.nc", kind="netCDF-4")
    with h5py.File(tmp_path / "a.nc", locking=True) as file:
        ncz.gen(io.BytesIO(text % 2), tmp_path / "a.nc", kind="netCDF-4", overwrite=True)
        assert file["v"][()] == 1
    assert ncz.read(tmp_path / "a.nc", "v") == 2
