"""Numbers of HDF5 in any format."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.errors import ignore_notice
from ncz.formats.hdf5.reader import read_hdf5
from ncz.model.data import read_all
from ncz.zmap.file import open_file
from ncz.zmap.location import parse_location

h5py = pytest.importorskip("h5py")

VALUES = {
    "<i2": [1, -2], ">i4": [2**30, -5], "<u8": [2**63, 0], "|i1": [-128, 127],
    "<f2": [0.5, -65504], ">f4": [0.1, np.inf], "<f8": [1e300, np.nan],
}  # fmt: skip


def test_values_equal_h5py_s(tmp_path):
    path = tmp_path / "n.h5"
    with h5py.File(path, "w") as file:
        for name, values in VALUES.items():
            file.create_dataset(name.replace("|", "_"), data=np.array(values, name))
        packed = h5py.h5t.STD_I32LE.copy()  # 12 bits from bit 4, with a sign
        packed.set_precision(12)
        packed.set_offset(4)
        space = h5py.h5s.create_simple((3,))
        dataset = h5py.h5d.create(file.id, b"packed", packed, space)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([5, -1, 2047], "i4"))
    file = open_file(parse_location(str(path)))
    try:
        root = read_hdf5(file, "n", ignore_notice).root
        found = {v.name: read_all(v.data) for v in root.variables if v.data is not None}
    finally:
        file.close()
    assert found["packed"].tolist() == [5, -1, 2047]
    for name, values in VALUES.items():
        np.testing.assert_array_equal(found[name.replace("|", "_")], np.array(values, name))
    assert found["<f2"].dtype == "f4"
