"""Functions with the names that they have in other libraries."""

from __future__ import annotations

import datetime
import io

import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"""netcdf n { dimensions: time = 3 ; variables: double time(time) ;
 time:units = "days since 2024-01-30" ; int v(time) ; data: time = 0, 1, 2 ; v = 5, 6, 7 ;
 group: g { variables: int w ; data: w = 1 ; } }"""


@pytest.fixture
def path(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "n.zarr", notify=ignore_notice)
    return tmp_path / "n.zarr"


def named(name: str):
    return getattr(ncz, name)


def test_datasets_are_opened(path, tmp_path):
    for name in ("File", "MFDataset", "Dataset", "open_group", "load"):
        with named(name)(path) as ds:
            assert ds["v"][:].tolist() == [5, 6, 7]
    assert isinstance(ncz.open(path), named("File"))
    with named("File")(path, "r", libver="latest") as ds:
        assert ds["v"][1] == 6
    assert named("open_array")(path, path="v")[2] == 7
    assert named("open_array")(path / "v")[2] == 7
    with pytest.raises(named("Error"), match="this is a group, not an array"):
        named("open_array")(path)
    ncz.consolidate(path)
    assert named("open_consolidated")(path)["v"][0] == 5


def test_bytes_of_a_file(path, tmp_path):
    ncz.copy(path, tmp_path / "n.nc", notify=ignore_notice)
    data = (tmp_path / "n.nc").read_bytes()
    with ncz.Dataset("any name", memory=data) as ds:
        assert ds["v"][:].tolist() == [5, 6, 7]


def test_functions_of_xarray(path, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("dask")
    assert named("open_zarr")(path)["v"].chunks is not None
    assert named("open_zarr")(path, chunks=None)["v"].chunks is None
    loaded = named("load_dataset")(path)
    assert loaded["v"].values.tolist() == [5, 6, 7]
    assert named("open_datatree")(path)["g/w"].item() == 1
    assert set(named("open_groups")(path)) == {"/", "/g"}
    ncz.copy(loaded[["v"]].drop_vars("time"), tmp_path / "one.nc")
    assert named("open_dataarray")(tmp_path / "one.nc").values.tolist() == [5, 6, 7]
    assert named("load_dataarray")(tmp_path / "one.nc").values.tolist() == [5, 6, 7]
    assert named("from_zarr")(path, "v").sum().compute() == 18
    named("save_mfdataset")([loaded, loaded], [tmp_path / "a.nc", tmp_path / "b.zarr"])
    for target in ("a.nc", "b.zarr"):
        assert xarray.open_dataset(tmp_path / target, engine="ncz").equals(loaded)


@pytest.mark.parametrize(
    "name", ["convert", "save", "to_zarr", "to_netcdf", "copy_store", "nccopy"]
)
def test_copies(path, tmp_path, name):
    named(name)(path, tmp_path / "o.zarr")
    assert ncz.diff(path, tmp_path / "o.zarr") == []


def test_dates(path):
    ds = ncz.open(path)
    time = ds["time"]
    dates = named("num2date")(time[:], time.units)
    assert (dates[1].year, dates[1].day) == (2024, 31)
    assert named("date2num")(datetime.datetime(2024, 2, 1), time.units) == 2
    assert named("date2index")(datetime.datetime(2024, 1, 31), time) == 1


def test_a_dataset_of_cdl(tmp_path):
    (tmp_path / "c.cdl").write_bytes(CDL)
    with ncz.Dataset.fromcdl(tmp_path / "c.cdl") as ds:
        assert ds["v"][0] == 5
    assert (tmp_path / "c.nc").is_file()
    target = tmp_path / "d.nc4"
    with ncz.Dataset.fromcdl(tmp_path / "c.cdl", ncfilename=target, mode="a") as ds:
        ds["v"].attrs["units"] = "m"
    assert ncz.open(target)["v"].units == "m"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("DataArray", "ncz.copy(xarray.Dataset({'t': (('x', 'y'), array)}), 'x.zarr')"),
        ("open_virtual_mfdataset", "ncz.copy(path, 'refs.json')"),
        ("equals", "use ncz.diff"),
        ("open_something", 'xarray.open_something(..., engine="ncz")'),
        ("nothing", "module 'ncz' has no attribute 'nothing'"),
    ],
)
def test_others_are_answered(name, says):
    with pytest.raises(AttributeError) as caught:
        named(name)
    assert says in str(caught.value)


def test_they_are_not_listed():
    assert not {"File", "open_zarr", "num2date"} & {*dir(ncz)}


def test_a_dataset_is_moved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.zarr", "b.zarr"):
        ncz.gen("netcdf m { dimensions: x = 1 ; }", name)
    named("mv")("a.zarr", "moved.zarr")
    assert not (tmp_path / "a.zarr").exists()
    assert ncz.open("moved.zarr").dims["x"] == 1
    with pytest.raises(ncz.NczError, match="already exists; use overwrite=True"):
        named("mv")("b.zarr", "moved.zarr")
    named("mv")("b.zarr", "moved.zarr", overwrite=True)
    assert not (tmp_path / "b.zarr").exists()
