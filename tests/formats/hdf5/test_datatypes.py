"""User-defined types in netCDF-4 files that are written."""

from __future__ import annotations

import pytest

from tests.conftest import Run

pytest.importorskip("h5py", reason="netCDF-4 files need the package h5py")


def test_a_type_that_is_too_large_for_hdf5_is_an_error(run: Run, tmp_path):
    members = ", ".join(f"member_{number} = {number}" for number in range(5000))
    text = f"netcdf e {{ types: int enum e {{ {members} }} ; variables: e v ; }}"
    done = run("gen", "-k", "netCDF-4", "-", "-o", tmp_path / "e.nc", stdin=text.encode())
    assert done.code == 1
    assert "/e: HDF5 cannot create the type" in done.stderr
    assert "write a Zarr store" in done.stderr
    assert not list(tmp_path.iterdir())
