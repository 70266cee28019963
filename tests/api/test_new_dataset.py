"""New datasets that are filled as with netCDF4, which writes the same with the same lines."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.model.data import fill_array

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")


def _records(ds: Any) -> None:
    ds.createDimension("time", None)
    ds.createDimension("x", 3)
    time = ds.createVariable("time", "f8", ("time",))
    v = ds.createVariable("v", np.float32, ("time", "x"), fill_value=-9.0, zlib=True, complevel=5)
    time[:] = [0.5, 1.5]
    v[0] = [1, 2, 3]
    v[3, 1:] = np.ma.masked_equal([5, 6], 6)
    v.units = "m"
    ds.title = "a title"


def _growth(ds: Any) -> None:
    ds.createDimension("n")
    v = ds.createVariable("v", "i4", "n")
    w = ds.createVariable("w", "i2", ("n",))
    v[0:2] = 7
    v[len(v)] = 8
    v[4:6] = [9, 10]
    w[1:4:2] = [1, 2]


def _groups(ds: Any) -> None:
    ds.createDimension("y", 2)
    group = ds.createGroup("a/b")
    group.createVariable("s", str, ("y",))[:] = np.array(["one", "två"], "O")
    ds.createVariable("c/v", "u1", ("y",))[:] = [1, 255]
    ds["a"].setncatts({"number": np.int16(4), "list": [1.5, 2.5]})


def _texts(ds: Any) -> None:
    ds.createDimension("length", 4)
    ds.createVariable("c", "S1", ("length",))[:] = np.array(list("text"), "S1")
    scalar = ds.createVariable("scalar", "i8")
    scalar[...] = 2**40
    scalar.setncattr("comment", "none")


def _packed(ds: Any) -> None:
    ds.createDimension("x", 4)
    v = ds.createVariable("v", "i2", ("x",), fill_value=-1)
    v.scale_factor, v.add_offset = 0.5, 10.0
    v[:] = np.ma.masked_equal([10.0, 11.1, 99, 12], 99)
    assert v[3] == 12


def _unwritten(ds: Any) -> None:
    ds.createDimension("x", 2)
    ds.createVariable("v", "f4", ("x",))
    ds.createVariable("w", "i2", ("x",), chunksizes=(1,))[1] = 5


@pytest.mark.parametrize("fill", [_records, _growth, _groups, _texts, _packed, _unwritten])
def test_it_equals_a_file_of_netcdf4(fill: Callable[[Any], None], tmp_path):
    for name, begin in (("theirs.nc", netCDF4.Dataset), ("ours.nc", ncz.Dataset)):
        ds = begin(tmp_path / name, "w")
        fill(ds)
        ds.close()
    assert ncz.diff(tmp_path / "ours.nc", tmp_path / "theirs.nc") == []
    with ncz.create(tmp_path / "ours.zarr") as new:
        fill(new)
    assert ncz.diff(tmp_path / "ours.zarr", tmp_path / "theirs.nc") == []


def test_arrays_are_written_as_by_h5py_and_zarr_python(tmp_path):
    with ncz.create(tmp_path / "a.nc") as ds:
        data = np.arange(6.0).reshape(2, 3)
        ds.create_dataset("v", data=data, chunks=(1, 3), compression="gzip").units = "m"
        named = ds.create_group("g").create_array(
            "w", shape=(2,), dtype="i2", dimension_names=["y"], fillvalue=-1
        )
        assert named.dimensions == ("y",)
    found = ncz.open(tmp_path / "a.nc")
    assert found["v"].dims == ("phony_dim_0", "phony_dim_1")
    assert (found["v"].chunks, found["v"].attrs) == ((1, 3), {"units": "m"})
    assert found["v"][:].tolist() == data.tolist()
    assert found["g/w"][:].tolist() == [-1, -1]


def test_codecs_chunks_and_kinds_are_as_requested(tmp_path):
    new: Any = ncz.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC")
    with new as ds:
        ds.createDimension("x", 2)
        ds.createVariable("v", "f4", ("x",))[:] = [1, 2]
    assert ncz.info(tmp_path / "a.nc").format == "classic"
    with ncz.create(tmp_path / "a.zarr", modes="v3") as ds:
        ds.createDimension("x", 4)
        ds.createVariable("v", "f4", "x", compression="zstd", complevel=7, chunksizes=(2,))
    found = ncz.open(tmp_path / "a.zarr")
    assert found["v"].chunks == (2,)
    assert "zstd(level=7" in repr(found["v"])


def test_checksums_and_one_piece_are_as_requested(tmp_path):
    with ncz.create(tmp_path / "a.nc") as ds:
        ds.createDimension("x", 4)
        ds.createVariable("g/v", "f4", "x", zlib=True, fletcher32=True, chunksizes=(2,))[:] = 1
        ds.createVariable("w", "f4", "x", contiguous=True)[:] = 2
    with netCDF4.Dataset(tmp_path / "a.nc") as found:
        assert found["g/v"].filters()["fletcher32"]
        assert found["g/v"].filters()["zlib"]
        assert found["g/v"].chunking() == [2]
        assert found["w"].chunking() == "contiguous"


def test_records_that_come_one_by_one_are_copied_few_times(tmp_path, monkeypatch):
    made = []

    def counted(shape, *others):
        made.append(shape)
        return fill_array(shape, *others)

    monkeypatch.setattr("ncz.api.new_variable.fill_array", counted)
    with ncz.create(tmp_path / "a.zarr") as ds:
        ds.createDimension("time")
        v = ds.createVariable("v", "i4", ("time",))
        for number in range(1000):
            v[number] = number
        assert v[:].tolist() == [*range(1000)]
    assert len(made) < 20
    assert ncz.open(tmp_path / "a.zarr")["v"][:].tolist() == [*range(1000)]


@pytest.mark.parametrize("begin", [ncz.create, lambda path: ncz.Dataset(path, "w")])
def test_nothing_is_written_before_the_end(begin, tmp_path):
    ds = begin(tmp_path / "a.nc")
    assert ds.isopen()
    ds.sync()
    assert not (tmp_path / "a.nc").exists()
    ds.close()
    assert not ds.isopen()
    assert (tmp_path / "a.nc").exists()


def test_nothing_is_written_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), ncz.create(tmp_path / "a.nc"):
        1 / 0  # noqa: B018
    assert not (tmp_path / "a.nc").exists()


def test_an_existing_store_is_kept_or_replaced(tmp_path):
    path = tmp_path / "a.nc"
    ncz.create(path).close()
    options: list[dict[str, Any]] = [{"mode": "x"}, {"mode": "w", "clobber": False}]
    for given in options:
        with pytest.raises(ncz.NczError, match="already exists; use overwrite=True"):
            ncz.Dataset(path, **given)
    with pytest.raises(ncz.NczError, match="already exists; use overwrite=True"):
        ncz.create(path)
    with ncz.create(path, overwrite=True) as ds:
        ds.title = "new"
    assert ncz.open(path).attrs["title"] == "new"


def test_a_dataset_that_is_not_closed_warns(tmp_path):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        ds = ncz.create(tmp_path / "a.nc")
        del ds
    assert "was not written, because it was not closed; call close()" in str(warned[0].message)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ds.createVariable('v', 'f4', ('y',))", "no dimension is named 'y'; create it"),
        ("ds.createDimension('x', 3)", "'x' already exists"),
        ("ds.createVariable('v', complex, ('x',))", "netCDF has no type for"),
        ("ds.createVariable('w', 'f4', ('x',)).units = object()", "cannot have the value"),
        ("ds.createVariable('w', 'f4', ('x',))[0, 0] = 1", "has 1 dimensions, and the index 2"),
        ("ds.history", "no attribute is named 'history'"),
        ("ds.createVariable('w', 'i1', ('x',))[:] = [1, 300]", "dtype int8 cannot represent 300"),
        ("ds.createVariable('w', 'i2', ('x',))[0] = 1.5", "dtype int16 cannot represent 1.5"),
        ("ds.createVariable('w', 'S1', ('x',))[:] = ['ab', 'c']", r"cannot represent .*ab.*string"),
        ("ds.createVariable('w', 'f4', least_significant_digit=1)", "least_significant_digit"),
        ("ds.create_dataset('w', data=[1], scaleoffset=2)", "scaleoffset"),
    ],
)
def test_impossible_requests_are_errors(line, says, tmp_path):
    ds = ncz.create(tmp_path / "a.nc")
    ds.createDimension("x", 2)
    with pytest.raises(Exception, match=says):
        exec(line, {"ds": ds})
    ds.close()
