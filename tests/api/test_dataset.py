"""Datasets, groups and variables as a Python program sees them."""

from __future__ import annotations

import gc
import io
import json
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

ATTRIBUTES = b"""netcdf attributes { variables: int a ; a:many = 1s, 2s ; a:one = 1.5f ;
  string a:texts = "x", "y" ; string a:text = "z" ; a:none = "" ; }"""
USER_TYPES = b"""netcdf types { types: compound c { int i ; float f(2) ; } ; int(*) v ;
  opaque(2) o ; byte enum e { a = 0, b = 1 } ;
  c :k = {1, {2.5, 3.5}} ; v :l = {1, 2}, {} ; o :o = 0x0102 ; e :e = b ; }"""
CHANGES: dict[str, Callable[[Any], object]] = {
    "a value": lambda attrs: attrs.__setitem__("title", "mine"),
    "a removal": lambda attrs: attrs.__delitem__("title"),
    "several values": lambda attrs: attrs.update(title="mine"),
    "all": lambda attrs: attrs.clear(),
    "a default": lambda attrs: attrs.setdefault("new", 1),
    "a popped value": lambda attrs: attrs.pop("title"),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    target = tmp_path_factory.mktemp("api") / "weather.zarr"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", target, notify=ignore_notice)
    return target


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    target = tmp_path_factory.mktemp("api") / "groups.zarr"
    ncz.gen(ROOT / "cdl_examples" / "groups.cdl", target)
    return target


def test_a_dataset_is_a_mapping_of_variables_and_groups(groups):
    ds = ncz.open(groups)
    assert list(ds) == ["time", "ocean", "atmosphere"]
    assert len(ds) == 3
    assert list(ds["ocean"]) == ["salinity", "exchange", "ice"]
    assert list(ds.variables) == ["time"]
    assert list(ds.groups) == ["ocean", "atmosphere"]
    assert ds["ocean"]["ice"]["thickness"].path == "/ocean/ice/thickness"
    assert ds["/ocean/ice/thickness"].path == ds["ocean/ice/thickness"].path
    assert ds["ocean"]["/time"].path == "/time"
    for name in ("time", "/ocean", "ocean/salinity"):
        assert name in ds
    for missing in ("salinity", "ocean/time", "time/x", "", 1):
        assert missing not in ds
    assert ds._ipython_key_completions_() == list(ds)
    assert {"attrs", "dims", "close"} <= set(dir(ds))


def test_dimensions_include_those_of_outer_groups(groups):
    ds = ncz.open(groups)
    assert ds.dims == {"time": 2, "level": 3}
    assert ds.unlimited_dims == frozenset()
    assert ds["ocean"].dims == {"time": 2, "level": 4}
    assert ds["ocean/ice/thickness"].sizes == {"time": 2, "category": 2}


def test_the_properties_of_a_variable(store):
    t = ncz.open(store)["temperature"]
    assert (t.name, t.path, t.dims) == ("temperature", "/temperature", ("time", "lat", "lon"))
    assert (t.shape, t.ndim, t.size, t.nbytes, len(t)) == ((4, 3, 5), 3, 60, 240, 4)
    assert t.dtype == np.float32
    assert t.chunks == (2, 3, 5)
    assert t.shards is None
    assert t.codecs == ({"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 5})
    assert t.fill_value == np.float32(-999)
    assert isinstance(t.fill_value, np.float32)
    assert t.unlimited_dims == {"time"}


def test_attributes_are_plain_values():
    ncz.gen(io.BytesIO(ATTRIBUTES), "memory://attributes", overwrite=True, notify=ignore_notice)
    attrs = ncz.open("memory://attributes")["a"].attrs
    assert repr(attrs["one"]) == "1.5"
    assert repr(attrs["many"]) == "[1, 2]"
    assert attrs["texts"] == ["x", "y"]
    assert attrs["text"] == "z"
    assert attrs["none"] == ""
    assert json.loads(json.dumps(attrs)) == attrs


def test_attributes_of_user_defined_types_are_plain_values():
    ncz.gen(io.BytesIO(USER_TYPES), "memory://types", overwrite=True, notify=ignore_notice)
    attrs = ncz.open("memory://types").attrs
    assert repr(dict(attrs)) == (
        r"{'k': (1, [2.5, 3.5]), 'l': [[1, 2], []], 'o': b'\x01\x02', 'e': 1}"
    )


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_attributes_refuse_a_change_that_would_be_lost(store, change):
    ds = ncz.open(store)
    for attrs in (ds.attrs, ds["temperature"].attrs):
        before = dict(attrs)
        with pytest.raises(TypeError, match=r"use ncz[.]edit"):
            change(attrs)
        assert attrs == before
    copied = pickle.loads(pickle.dumps(ds.attrs))
    copied["title"] = "mine"
    assert type(copied) is dict


def test_json_attributes_that_netcdf_has_no_type_for(tmp_path):
    target = tmp_path / "json.zarr"
    ncz.gen(io.BytesIO(b"netcdf j { }"), target, modes=["zarr"], consolidated=False)
    document = '{"a": {"b": [1, null]}, "t": true, "n": [1, 2], "m": [1, "x"]}'
    (target / ".zattrs").write_text(document)
    attrs = ncz.open(target).attrs
    assert attrs["a"] == {"b": [1, None]}
    assert attrs["t"] is True
    assert attrs["n"] == [1, 2]
    assert attrs["m"] == [1, "x"]


def test_values_are_those_of_the_store(store):
    ds = ncz.open(store)
    t = ds["temperature"]
    everything = np.asarray(t)
    assert everything.shape == (4, 3, 5)
    assert everything[0, 2, 3] == -999
    np.testing.assert_array_equal(t[1:, ..., ::-2], everything[1:, ..., ::-2])
    assert t[0, 2, 3] == np.float32(-999)
    assert np.asarray(t, dtype="f8").dtype == np.float64
    assert (t[...] == np.stack(list(t))).all()
    assert ds["station"][...].tolist() == ["Exeter", "Sheffield", "Ørland"]
    assert ds["station"][0] == "Exeter"
    with pytest.raises(ValueError, match="copy=False"):
        t.__array__(copy=False)  # numpy 2 calls it so for np.array(t, copy=False)


def test_only_the_chunks_that_are_touched_are_read(store, tmp_path):
    copy = tmp_path / "damaged.zarr"
    ncz.copy(store, copy)
    (copy / "temperature" / "1.0.0").write_bytes(b"not zlib")
    t = ncz.open(copy)["temperature"]
    assert t[:2].shape == (2, 3, 5)
    assert t[1::-1, 0].shape == (2, 5)
    with pytest.raises(ncz.CodecError, match=r"/temperature/1\.0\.0: .* cannot be decoded by zlib"):
        t[2]


def test_a_variable_without_values_is_fill(tmp_path):
    text = (
        b"netcdf n { dimensions: x = 2, u = UNLIMITED ;"
        b" variables: double d(x) ; string s(x) ; int e(u, x) ; }"
    )
    with (
        pytest.warns(ncz.NczWarning, match="xarray masks .* never written.*: /d, /e"),
        pytest.warns(ncz.NczWarning, match="xarray reads these strings as bytes: /s"),
    ):
        ncz.gen(io.BytesIO(text), tmp_path / "n.zarr")
    ds = ncz.open(tmp_path / "n.zarr")
    assert ds["d"][...].tolist() == [float.fromhex("0x1.ep+122")] * 2
    assert ds["s"][...].tolist() == ["", ""]
    assert ds["e"][...].shape == (0, 2)
    assert bool(ds["e"])


def test_scalars_of_every_kind_are_arrays_or_elements():
    text = b'netcdf s { variables: string s ; char c ; int i ; data: s = "ab" ; c = "x" ; i = 7 ; }'
    ncz.gen(io.BytesIO(text), "memory://scalars", overwrite=True, notify=lambda _: None)
    ds = ncz.open("memory://scalars")
    for name, value in (("s", "ab"), ("c", b"x"), ("i", 7)):
        assert ds[name][()] == value
        assert ds[name][...].shape == ()
        assert ds[name][...].tolist() == value


def test_a_variable_keeps_its_dataset_open(store):
    def variable():
        return ncz.open(store)["lat"]

    lat = variable()
    gc.collect()
    assert lat[0] == 50


def test_a_closed_dataset_cannot_be_read(store):
    with ncz.open(store) as ds:
        lat = ds["lat"]
    ds.close()
    assert ds.is_closed
    with pytest.raises(OSError, match=r"the dataset is closed; open it again with ncz\.open"):
        lat[0]
    assert lat.shape == (3,)  # metadata stay


def test_what_does_not_exist_is_an_error_at_once(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no\.zarr: no store exists at this path"):
        ncz.open(tmp_path / "no.zarr")


def test_pickles_are_opened_again(store, groups, monkeypatch, tmp_path):
    monkeypatch.chdir(store.parent)
    ds = ncz.open(store.name)
    texts = [pickle.dumps(each) for each in (ds, ds["temperature"], ncz.open(groups)["ocean/ice"])]
    monkeypatch.chdir(tmp_path)
    again, t, ice = map(pickle.loads, texts)
    assert list(again) == list(ds)
    np.testing.assert_array_equal(t[...], ds["temperature"][...])
    assert ice["thickness"].shape == (2, 2)
    ds.close()
    assert again["lat"][0] == 50


def first(variable):
    return float(variable[0])


def test_another_process_reads_a_variable(store):
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert pool.map(first, [ncz.open(store)["lat"]]) == [50.0]


@pytest.mark.parametrize("name", ["x.zarr", "x.zip"])
def test_many_threads_may_read(tmp_path, name):
    text = b"netcdf x { dimensions: x = 64, y = 64 ; variables: int v(x, y) ; " + (
        b"v:_ChunkSizes = 7, 9 ; v:_DeflateLevel = 1 ; data: v = "
        + b", ".join(b"%d" % i for i in range(64 * 64)) + b" ; }"
    )  # fmt: skip
    ncz.gen(io.BytesIO(text), tmp_path / name, audience=["netcdf-c"])
    v = ncz.open(tmp_path / name)["v"]
    expected = np.arange(64 * 64).reshape(64, 64)
    with ThreadPoolExecutor(8) as pool:
        for row, values in enumerate(pool.map(lambda i: v[i], range(64))):
            np.testing.assert_array_equal(values, expected[row])


def test_datasets_compare_by_identity(store):
    ds = ncz.open(store)
    assert ds == ds
    assert ds != ncz.open(store)
    assert len({ds, ds["lat"]}) == 2


def test_attributes_can_be_read_as_netcdf4_reads_them(store):
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    path = store.with_name("same.nc")
    ncz.copy(store, path, overwrite=True)
    with ncz.open(store) as ours, netcdf4.Dataset(path) as theirs:
        pairs = [(ours, theirs), *((ours[name], theirs[name]) for name in theirs.variables)]
        for mine, other in pairs:
            assert set(mine.ncattrs()) == set(other.ncattrs())
            for name in other.ncattrs():
                expected = np.asarray(other.getncattr(name)).tolist()
                assert mine.getncattr(name) == mine.attrs[name] == expected
                assert getattr(mine, name) == expected
        with pytest.raises(
            AttributeError, match="no attribute is named 'unit'; did you mean 'units'"
        ):
            ours["lat"].getncattr("unit")
        assert not hasattr(ours["lat"], "value")
        assert pickle.loads(pickle.dumps(ours["lat"])).units == "degrees_north"


def test_variables_are_attributes_unless_attributes_have_their_names(tmp_path):
    text = b'netcdf a { variables: int v ; int title ; :title = "t" ; group: g { int w ; } }'
    text = text.replace(b"{ int w", b"{ variables: int w")
    ncz.gen(io.BytesIO(text), tmp_path / "a.zarr", notify=ignore_notice)
    ds = ncz.open(tmp_path / "a.zarr")
    assert ds.v.path == "/v"
    assert ds.g.w.path == "/g/w"
    assert ds.title == "t"
    assert {"v", "g"} <= {*dir(ds)}
    with pytest.raises(AttributeError, match="no attribute is named 'none'"):
        ds.none  # noqa: B018


def test_an_unknown_mode_names_those_that_there_are(tmp_path):
    mode: Any = "q"
    with pytest.raises(ncz.NczError, match="use 'r', 'r\\+', or 'w' for a new dataset"):
        ncz.open(tmp_path / "new.nc", mode)
