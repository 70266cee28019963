"""Names of attributes that netCDF-C uses itself in HDF5 files."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.hdf5 import names


def test_attributes_of_a_file_of_netcdf_c_are_not_shown(tmp_path: Path):
    netCDF4 = pytest.importorskip("netCDF4")
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as file:
        file.createDimension("x", 2)
        file.createVariable("x", "f4", ("x",))[:] = 1
        file.createVariable("v", "f4", ("x",)).units = "K"
    with h5py.File(path) as file:
        stored = {*file.attrs, *file["x"].attrs, *file["v"].attrs}
    assert {names.CLASSIC_MODEL, names.PROPERTIES, names.DIMENSION_LIST} < stored
    assert stored - names.RESERVED == {"units"}
    with ncz.open(path, notify=ignore_notice) as ds:
        assert ds.attrs == {}
        assert ds["v"].attrs == {"units": "K"}


def test_each_name_is_reserved():
    assert {names.COORDINATES, names.DIMENSION_ID, names.PROPERTIES} < names.RESERVED
    assert "units" not in names.RESERVED
