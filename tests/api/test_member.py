"""Attributes of groups and variables."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.api.test_dataset import store as store

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
