"""Datasets that a program contains: objects of other libraries, and the bytes of files."""

from __future__ import annotations

import gzip
import io
import pickle
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"netcdf n { dimensions: x = 3 ; variables: int v(x) ; data: v = 5, 6, 7 ; }"


@pytest.fixture(params=["classic", "netCDF-4"])
def data(tmp_path, request):
    ncz.gen(io.BytesIO(CDL), tmp_path / "n.nc", kind=request.param, notify=ignore_notice)
    return (tmp_path / "n.nc").read_bytes()


def values_of(source: Any) -> list[int]:
    with ncz.open(source) as ds:
        found: list[int] = ds["v"][...].tolist()
        return found


@pytest.mark.parametrize(
    "held",
    [bytes, bytearray, memoryview, io.BytesIO, lambda data: io.BytesIO(gzip.compress(data)),
     lambda data: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(data)))],
    ids=["bytes", "bytearray", "memoryview", "BytesIO", "compressed", "GzipFile"],
)  # fmt: skip
def test_bytes_of_a_file(data, held):
    assert values_of(held(data)) == [5, 6, 7]


def test_bytes_can_be_read_by_another_process(data):
    ds = ncz.open(io.BytesIO(data))
    assert pickle.loads(pickle.dumps(ds))["v"][1] == 6


def test_bytes_of_a_path_are_a_path(tmp_path, data):
    assert values_of(bytes(tmp_path / "n.nc")) == [5, 6, 7]


def test_bytes_that_are_no_dataset():
    with pytest.raises(ncz.NczError):
        ncz.open(io.BytesIO(b"text"))


def test_open_files_of_fsspec(tmp_path, data):
    fsspec = pytest.importorskip("fsspec")
    path = tmp_path / "n.nc.gz"
    path.write_bytes(gzip.compress(data))
    assert values_of(fsspec.open(str(path), compression="gzip")) == [5, 6, 7]
    with fsspec.open(str(path), compression="gzip") as file:
        assert values_of(file) == [5, 6, 7]


def test_objects_of_xarray_and_pandas(tmp_path):
    xarray = pytest.importorskip("xarray")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"v": [5, 6, 7]})
    arrays = [xarray.Dataset({"v": ("x", [5, 6, 7])}), table, table["v"],
              {"v": np.array([5, 6, 7])}, {"v": ("x", [5, 6, 7])},
              xarray.DataArray([5, 6, 7], dims="x", name="v")]  # fmt: skip
    for number, each in enumerate(arrays):
        assert values_of(each) == [5, 6, 7]
        ncz.copy(each, tmp_path / f"{number}.nc")
        assert values_of(tmp_path / f"{number}.nc") == [5, 6, 7]
    assert ncz.Dataset(arrays[0])["v"].sum().item() == 18


def test_dates_of_a_table(tmp_path):
    xarray = pytest.importorskip("xarray")
    pandas = pytest.importorskip("pandas")
    index = pandas.date_range("2024-01-31", periods=2, name="time")
    ncz.copy(pandas.DataFrame({"v": [1.5, 2.5]}, index=index), tmp_path / "t.zarr")
    found = xarray.open_dataset(tmp_path / "t.zarr", engine="ncz")
    assert found["time"].values.astype("M8[ns]").tolist() == index.values.astype("M8[ns]").tolist()


@pytest.mark.parametrize("value", [{}, {1: 2}, {"v": ("x", 1)}])
def test_other_dictionaries_are_not_sources(value):
    with pytest.raises((TypeError, ncz.NczError), match=r"path or a URL|dictionary"):
        ncz.open(value)


def test_stores_of_icechunk(tmp_path):
    icechunk = pytest.importorskip("icechunk")
    pytest.importorskip("xarray")
    ncz.gen(io.BytesIO(CDL), tmp_path / "n.icechunk", notify=ignore_notice)
    storage = icechunk.local_filesystem_storage(str(tmp_path / "n.icechunk"))
    repository = icechunk.Repository.open(storage)
    session = repository.readonly_session("main")
    for each in (repository, session, session.store):
        assert values_of(each) == [5, 6, 7]


def test_references_of_fsspec(tmp_path, data):
    fsspec = pytest.importorskip("fsspec")
    path = str(tmp_path / "refs.json")
    ncz.copy(tmp_path / "n.nc", path)
    assert values_of(fsspec.get_mapper("reference://", fo=path)) == [5, 6, 7]
    options: Any = {"storage_options": {"fo": path}}
    with ncz.open("reference://", **options) as ds:
        assert ds["v"][0] == 5


@pytest.mark.parametrize("target", [{}, object(), 5])
def test_a_target_that_is_no_place_says_what_to_type(tmp_path, data, target):
    with pytest.raises(TypeError, match=r"to_xarray\(\)\.to_zarr\(store\)"):
        ncz.copy(tmp_path / "n.nc", target)
