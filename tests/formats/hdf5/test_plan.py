"""The plan of the variables of a netCDF-4 file."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from ncz.formats.hdf5.plan import plan_arrays
from ncz.formats.hdf5.reader import read_hdf5
from ncz.formats.hdf5.write import create_hdf5
from ncz.model.grid import Box
from ncz.zmap.file import LocalFile
from tests.formats.hdf5.test_write import make, netCDF4


def test_few_datasets_are_open_while_a_file_is_written(tmp_path):
    """An open dataset takes 27 kB, and a file may have many."""
    file = LocalFile(str(make(tmp_path / "many.nc", 50)))
    dataset = read_hdf5(file, "x", lambda notice: pytest.fail(str(notice)))
    arrays = plan_arrays(dataset)
    everywhere = h5py.h5f.OBJ_ALL
    before = h5py.h5f.get_obj_count(everywhere, h5py.h5f.OBJ_DATASET)
    with create_hdf5(str(tmp_path / "copy.nc"), dataset, arrays, "", strict=False) as stores:
        opened = h5py.h5f.get_obj_count(everywhere, h5py.h5f.OBJ_DATASET) - before
        assert opened == 1  # the scale
        assert len(stores) == len(list(stores)) == 50
        for fqn in stores:
            stores[fqn].put_values(Box((0,), (10,)), np.full(10, 1.25, "f4"))
        assert h5py.h5f.get_obj_count(everywhere, h5py.h5f.OBJ_DATASET) - before == 1
    with netCDF4.Dataset(tmp_path / "copy.nc") as file:
        assert all((file[f"v{number}"][:] == 1.25).all() for number in range(50))
