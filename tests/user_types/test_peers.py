"""User-defined types in zarr-python, xarray and netCDF-C."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from tests.user_types.test_corpus import CORPUS

zarr = pytest.importorskip("zarr", minversion="3")
xarray = pytest.importorskip("xarray")

TEXT = """netcdf t {
types: ubyte enum e_t {low = 1, high = 2, none = 255} ; opaque(2) o_t ;
  compound in_t { double lat ; short n ; } ;
  compound c_t { int id ; in_t where ; float wind(2) ; char name(4) ; } ;
  compound s_t { string s ; int n ; } ;
dimensions: n = 2 ;
variables: e_t e(n) ; e_t e:_FillValue = none ; o_t o(n) ; o_t o:_FillValue = 0xffff ;
  c_t c(n) ; s_t s(n) ; e_t c:levels = low, high ; o_t c:mark = 0x0102 ;
data: e = high, none ; o = 0x0102, 0xffff ; s = {"one", 1}, {"two", 2} ;
  c = {7, {1.5, -3}, {2, 3}, {"ab"}}, {8, {2.5, 4}, {0, 0.5}, {"wxyz"}} ;
}
"""


def made(tmp_path: Path, version: str) -> Path:
    source = tmp_path / "t.cdl"
    source.write_text(TEXT)
    ncz.gen(source, tmp_path / "t.zarr", modes=["nczarr", version], notify=ignore_notice)
    return tmp_path / "t.zarr"


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_zarr_python_reads_values(tmp_path: Path, version: str):
    group: Any = zarr.open_group(made(tmp_path, version), mode="r")
    assert group["e"][:].tolist() == [2, 255]
    assert [bytes(v) for v in group["o"][:]] == [b"\x01\x02", b"\xff\xff"]
    assert list(group["s"][:]) == ['["one", 1]', '["two", 2]']
    c = group["c"][:]
    assert c["id"].tolist() == [7, 8]
    assert c["name"].tolist() == [b"ab", b"wxyz"]
    assert c["wind"].copy().view("<f4").reshape(2, 2).tolist() == [[2, 3], [0, 0.5]]
    where = c["where"] if version == "v3" else c[["where.lat", "where.n"]]
    assert np.asarray(where).tolist() == [(1.5, -3), (2.5, 4)]
    assert group["c"].attrs["levels"] == [1, 2]
    assert group["c"].attrs["mark"] == '["0102"]'


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_xarray_opens_a_store_with_masks(tmp_path: Path, version: str):
    store = made(tmp_path, version)
    with xarray.open_zarr(store, consolidated=False) as dataset:
        e = dataset["e"].load()
        assert e.values[0] == 2
        assert np.isnan(e.values[1])
        assert dataset["c"].load().values["id"].tolist() == [7, 8]


@pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3")
@pytest.mark.filterwarnings("ignore:Missing 'endian' for structured dtype")
@pytest.mark.parametrize("version", ["v2", "v3"])
def test_xarray_opens_the_corpus(tmp_path: Path, version: str):
    for path in CORPUS:
        store = tmp_path / f"{path.stem}.zarr"
        ncz.gen(path, store, modes=["nczarr", version], notify=ignore_notice)
        with xarray.open_datatree(store, engine="zarr", consolidated=False) as tree:
            tree.load()


def test_netcdf_c_opens_a_store_with_enums(tmp_path: Path):
    netcdf = pytest.importorskip("netCDF4")
    source = next(path for path in CORPUS if path.stem == "enum_attributes")
    store = tmp_path / "t.zarr"
    ncz.gen(source, store, notify=ignore_notice)
    with netcdf.Dataset(f"file://{store}#mode=nczarr,file") as dataset:
        assert dataset["v"][...] == 3
        assert dataset["v"].flags.tolist() == [1, 4, 1]
        assert dataset.all == 2


def test_readers_that_cannot_open_a_new_store_are_named(tmp_path: Path):
    notices: list[Notice] = []
    source = next(path for path in CORPUS if path.stem == "vlen_int")
    ncz.gen(source, tmp_path / "t.zarr", notify=notices.append)
    (notice,) = [n for n in notices if n.code == "reader-excluded"]
    assert "netcdf-c cannot open vlen values as text (/ragged)" in str(notice)
    assert "xarray" not in str(notice)


@pytest.mark.parametrize("options", [{}, {"modes": ["nczarr"]}, {"cloud": True}], ids=str)
@pytest.mark.parametrize("stem", ["vlen_int", "vlen_of_enum", "vlen_of_opaque", "vlen_unlimited"])
def test_xarray_opens_copies_of_files_with_vlens_that_lose_nothing(tmp_path, stem, options):
    source = next(path for path in CORPUS if path.stem == stem)
    ncz.gen(source, tmp_path / "a.nc", notify=ignore_notice)
    ncz.copy(tmp_path / "a.nc", tmp_path / "t.zarr", notify=ignore_notice, **options)
    with xarray.open_datatree(tmp_path / "t.zarr", engine="zarr", consolidated=False) as tree:
        tree.load()
        if stem == "vlen_int":
            assert tree["ragged"].values[2] == "[30, 31, 32]"
    ncz.copy(tmp_path / "t.zarr", tmp_path / "b.nc", notify=ignore_notice)
    assert ncz.diff(tmp_path / "a.nc", tmp_path / "b.nc") == []


def test_vlens_of_an_earlier_store_become_text(tmp_path: Path):
    numcodecs = pytest.importorskip("numcodecs")
    source = next(path for path in CORPUS if path.stem == "vlen_int")
    store, copy = tmp_path / "a.zarr", tmp_path / "t.zarr"
    ncz.gen(source, store, modes=["nczarr"], notify=ignore_notice)
    text = ncz.dump(store, name="a")
    document = json.loads((store / "ragged" / ".zarray").read_text())
    rows = [np.array(json.loads(t), "<i4") for t in zarr.open_array(store / "ragged", mode="r")[:]]
    values = np.empty(len(rows), object)
    values[:] = rows
    (chunk,) = [p for p in (store / "ragged").iterdir() if p.name[0].isdigit()]
    chunk.write_bytes(numcodecs.VLenArray("<i4").encode(values))
    document |= {"filters": [{"id": "vlen-array", "dtype": "<i4"}], "fill_value": None}
    (store / "ragged" / ".zarray").write_text(json.dumps(document))
    attributes = json.loads((store / "ragged" / ".zattrs").read_text())
    attributes["_nczarr_array"]["fill_value"] = []
    (store / "ragged" / ".zattrs").write_text(json.dumps(attributes))
    assert ncz.dump(store, name="a") == text
    assert [
        f.message for f in ncz.check(store, audience=["xarray"]).findings if "vlen" in f.message
    ]
    ncz.copy(store, copy, notify=ignore_notice)
    assert ncz.dump(copy, name="a") == text
    assert not [f for f in ncz.check(copy, audience=["xarray"]).findings if f.severity == "error"]
