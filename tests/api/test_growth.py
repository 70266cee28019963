"""Variables of an open dataset that become longer: append and resize."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ncz
from tests.api.test_new_members import CDL, FORMS, opened, path

__all__ = ["path"]

FILL = float(np.float32(9.969209968386869e36))


def test_one_more_value_for_each_array(path: Path):
    with opened(path) as group:
        assert group["temp"].append(np.full((1, 3), 9, "f4"), axis=0) == (3, 3)
        assert group["time"].append([4.0]) == (3,)
        assert group["temp"].append(np.full((2, 3), 8)) == (5, 3)
        group["time"].append([5.0])
        group["time"].append([6.0])
    with opened(path, "r") as group:
        assert group["time"][:].tolist() == [0, 1, 4, 5, 6]
        assert group["temp"][:, 0].tolist() == [1, 4, 9, 8, 8]
        assert group.dims == {"time": 5, "lat": 3}
    assert not [each for each in ncz.check(path) if each.severity == "error"]


def test_other_variables_get_fill_values(path: Path):
    with opened(path) as group:
        group["lat"].append([4, 5])
        assert group["temp"].shape == (2, 5)
        assert group["temp"][0].tolist() == [1, 2, 3, FILL, FILL]
    with opened(path) as group:  # the lengths equal the dataset's
        group["temp"].append(np.zeros((2, 1), "f4"), axis=1)
        assert group["lat"].shape == (6,)


def test_a_variable_is_resized(path: Path):
    with opened(path) as group:
        group["temp"].resize((4, 3))
        group["time"].resize(4, axis=0)
        group["time"].append([7.0])
        assert group["time"][:2].tolist() == [0, 1]
        assert group["time"].shape == (5,)
        assert group["time"][4] == 7
        with pytest.raises(ncz.NczError, match=r"cannot become shorter.*isel={'lat': slice\(2\)}"):
            group["temp"].resize(5, 2)


def test_other_programs_see_the_new_length(path: Path):
    with opened(path) as group:
        group["temp"].append(np.full((1, 3), 9, "f4"))
        group["time"].append([2])
    if path.suffix == ".nc":
        netcdf4 = pytest.importorskip("netCDF4")
        with netcdf4.Dataset(path) as other:
            assert other["temp"][:, 0].tolist() == [1, 4, 9]
            assert other.dimensions["time"].isunlimited()
        return
    zarr = pytest.importorskip("zarr", minversion="3")
    other = zarr.open_group(path, mode="r")
    assert other["temp"][:, 0].tolist() == [1, 4, 9]
    assert other["time"][:].tolist() == [0, 1, 2]


def test_kept_digests_stay_right(tmp_path: Path):
    (tmp_path / "m.cdl").write_bytes(CDL)
    ncz.copy(tmp_path / "m.cdl", tmp_path / "m.zarr", digest=True, **FORMS["nczarr.zarr"])
    with opened(tmp_path / "m.zarr") as group:
        group["temp"].append(np.full((1, 3), 9, "f4"))
    found = ncz.check(tmp_path / "m.zarr", data=True)
    assert [each.code for each in found] == ["coordinate-missing"]  # of the time without a value


def test_records_are_written_one_by_one(path: Path):
    ds = ncz.Dataset(path, "a")
    for number in range(2, 4):
        ds["time"][number] = number
        ds["temp"][number, :] = [number] * 3
    ds["temp"][4:6] = np.arange(6).reshape(2, 3)
    ds["time"][4:] = [4, 5]
    with opened(path, "r") as again:
        assert again["time"][:].tolist() == [0, 1, 2, 3, 4, 5]
        assert again["temp"][:, 1].tolist() == [2, 5, 2, 3, 1, 4]
    if path.name == "plain.zarr":  # pure Zarr does not record unlimited dimensions
        ds["lat"][3] = 4
    else:
        with pytest.raises(IndexError):
            ds["lat"][3] = 4
    with pytest.raises(IndexError):
        ds["time"][9] = 4


def test_values_of_another_shape_are_refused(path: Path):
    with opened(path) as group:
        with pytest.raises(ValueError, match=r"shape \(1, 2\) cannot be appended to /temp"):
            group["temp"].append(np.zeros((1, 2)))
        with pytest.raises(ValueError, match="has 2 dimensions, not 1"):
            group["temp"].resize(3)
        with pytest.raises(TypeError, match="cannot represent"):
            group["temp"].append([["a", "b", "c"]])
        assert group["temp"].shape == (2, 3)
    with opened(path, "r") as group, pytest.raises(TypeError, match="open to read"):
        group["temp"].append(np.zeros((1, 3)))
