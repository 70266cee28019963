"""Names of zarr-python, netCDF4 and h5py on datasets, groups and variables."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"""netcdf n { dimensions: time = UNLIMITED ; x = 4 ;
 variables: double time(time) ; time:units = "days since 2024-01-30" ;
 float v(time, x) ; v:_ChunkSizes = 1, 2 ; v:_DeflateLevel = 3 ; v:_Shuffle = "true" ;
   v:units = "K" ; v:_FillValue = -1.f ;
 short p(x) ; p:scale_factor = 0.5 ; p:_FillValue = -9s ;
 :title = "t" ;
 data: time = 0, 1, 2 ; v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ; p = 2, 4, 6, _ ;
 group: g { dimensions: y = 2 ; variables: int w(y) ; w:units = "m" ; data: w = 1, 2 ;
  group: h { variables: int deep ; data: deep = 5 ; } } }"""


@pytest.fixture
def path(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "n.nc", notify=ignore_notice)
    return tmp_path / "n.nc"


@pytest.fixture
def ds(path):
    return ncz.open(path, notify=ignore_notice)


def test_netcdf4_says_the_same(ds, path):
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(path) as theirs:
        assert {*ds.dimensions} == {*theirs.dimensions}
        for name, dimension in theirs.dimensions.items():
            ours = ds.dimensions[name]
            assert (ours.name, ours.size, len(ours)) == (name, dimension.size, len(dimension))
            assert ours.isunlimited() == dimension.isunlimited()
        for name in ("data_model", "file_format", "disk_format"):
            assert getattr(ds, name) == getattr(theirs, name)
        for name, variable in theirs.variables.items():
            mine = ds[name]
            for each in ("chunking", "filters", "get_fill_value"):
                assert getattr(mine, each)() == getattr(variable, each)()
            assert mine.dimensions == variable.dimensions
            assert mine.datatype == variable.datatype
            assert [d.name for d in mine.get_dims()] == [d.name for d in variable.get_dims()]
            assert mine.group().path == variable.group().path
        found = theirs.get_variables_by_attributes(units="K")
        assert [v.name for v in ds.get_variables_by_attributes(units="K")] == ["v"]
        assert [v.name for v in found] == ["v"]
        assert ds["g/h"].parent.path == theirs["g/h"].parent.path == "/g"
        assert ds.parent is theirs.parent is None
    by_call = ds.get_variables_by_attributes(units=lambda each: each and "since" in each)
    assert [v.name for v in by_call] == ["time"]


def test_h5py_says_the_same(ds, path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path) as theirs:
        v = theirs["v"]
        for name in ("compression", "compression_opts", "shuffle", "fletcher32", "maxshape",
                     "fillvalue", "is_virtual", "chunks", "shape"):  # fmt: skip
            assert getattr(ds["v"], name) == getattr(v, name)
        assert [*ds["v"].iter_chunks()] == [*v.iter_chunks()]
        target, other = np.zeros((2, 4), "f4"), np.zeros((2, 4), "f4")
        ds["v"].read_direct(target, np.s_[1], np.s_[0])
        v.read_direct(other, np.s_[1], np.s_[0])
        assert target.tolist() == other.tolist()
        assert ds["v"].len() == v.len()
    seen: list[str] = []
    ds.visit(seen.append)
    assert {"g", "g/w", "g/h", "g/h/deep"} <= {*seen}
    assert ds.visititems(lambda name, _: name if name.endswith("deep") else None) == "g/h/deep"
    assert ds["v"].file.path == "/"
    assert (ds.filename, ds.mode) == (ds.filepath(), "r")


@pytest.mark.parametrize("mode", ["v2", "v3"])
def test_zarr_says_the_same(ds, tmp_path, mode):
    zarr = pytest.importorskip("zarr")
    ncz.copy(ds, tmp_path / "n.zarr", modes=["zarr", mode], notify=ignore_notice)
    ours, theirs = ncz.open(tmp_path / "n.zarr"), zarr.open_group(tmp_path / "n.zarr", mode="r")
    for name in ("array_keys", "group_keys"):
        assert {*getattr(ours, name)()} == {*getattr(theirs, name)()}
    for name in ("arrays", "groups", "members"):
        assert {*dict(getattr(ours, name)())} == {*dict(getattr(theirs, name)())}
    assert ours.nmembers() == theirs.nmembers()
    assert ours.nmembers(max_depth=None) == theirs.nmembers(max_depth=None)
    v, array = ours["v"], theirs["v"]
    for name in ("cdata_shape", "nchunks", "nchunks_initialized", "basename", "order"):
        assert getattr(v, name) == getattr(array, name)
    assert v.nbytes_stored() > 0
    assert v.metadata.shape == array.metadata.shape
    assert v.get_basic_selection((0, slice(1, 3))).tolist() == array[0, 1:3].tolist()
    assert v.attrs.asdict()["units"] == "K"
    assert zarr.open_group(ours.store, mode="r")["v"].shape == (3, 4)
    assert ours.read_only


def test_a_tree(ds):
    lines = str(ds.tree()).splitlines()
    assert lines[0] == "n"
    assert "├── v (time: 3, x: 4) float32" in lines
    assert "└── g" in lines
    assert "    └── h" in lines
    assert "        └── deep () int32" in lines
    assert repr(ds["g"].tree()).startswith("/g\n")
    tree: Any = ncz.tree
    assert repr(tree(ds.filepath())) == repr(ds.tree())


def test_printed_text(ds, capsys):
    ds.info()
    assert capsys.readouterr().out == f"{ds!r}\n"
    assert repr(ds["v"].info) == repr(ds["v"])
    assert ds.tocdl() == ncz.dump(ds.filepath(), header_only=True)


def test_values_are_unpacked_on_request(ds):
    v = ds["p"]
    v.set_auto_maskandscale(True)
    assert v[:].tolist()[:3] == [1, 2, 3]
    assert np.isnan(v[3])
    v.set_auto_scale(False)
    assert v[:].tolist() == [2, 4, 6, -9]
    ds.set_auto_mask(True)
    assert ds["p"][0] == 1
    assert ds["p"].dtype.kind == "f"
    ds.set_auto_mask(False)
    assert ds["p"][:].tolist() == [2, 4, 6, -9]


@pytest.mark.parametrize("target", ["n.nc", "n.zarr"])
def test_names_are_changed(ds, tmp_path, target):
    place = tmp_path / "new" / target
    place.parent.mkdir()
    ncz.copy(ds, place, notify=ignore_notice)
    with ncz.open(place, "a", notify=ignore_notice) as mine:
        mine.renameVariable("v", "u")
        mine.renameAttribute("title", "name")
        mine["u"].renameAttribute("units", "unit")
        mine.renameGroup("g", "k")
        mine.update_attributes({"more": 1})
        mine["u"].attrs.modify("unit", "C")
        mine.sync()
        assert mine.name != ""
        assert mine["u"].unit == "C"
        assert mine["k/w"][1] == 2
    again = ncz.open(place)
    assert {"u", "k"} <= {*again}
    assert again.attrs == {"name": "t", "more": 1}
    assert again["u"].attrs["unit"] == "C"
    with pytest.raises(TypeError, match="open to read"):
        again.renameVariable("u", "v")
    with pytest.raises(AttributeError, match="no attribute is named 'none'"):
        again.renameAttribute("none", "x")


def test_attributes_are_replaced_as_zarr_does(ds, tmp_path):
    ncz.copy(ds, tmp_path / "m.zarr", notify=ignore_notice)
    with ncz.open(tmp_path / "m.zarr", "r+") as mine:
        attributes: Any = mine.attrs
        attributes.put({"a": "b"})
        assert mine.attrs == {"a": "b"}


def test_attributes_come_before_names(tmp_path):
    text = b"""netcdf a { variables: int v ; v:order = "third" ; v:len = 5 ; :tree = "oak" ; }"""
    ncz.gen(io.BytesIO(text), tmp_path / "a.nc", notify=ignore_notice)
    ds = ncz.open(tmp_path / "a.nc")
    assert (ds.tree, ds["v"].order, ds["v"].len) == ("oak", "third", 5)
