"""Attributes that are set and deleted in an open dataset."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.api.attribute_changes import attribute_of
from ncz.errors import NczError, ignore_notice
from ncz.model.types import Atomic

CDL = b"""netcdf a { dimensions: x = 2 ;
variables: float t(x) ; t:units = "K" ; t:_FillValue = -9.f ; t:n = 1s ;
:title = "a title" ;
data: t = 1, 2 ;
group: g { variables: int v(x) ; v:units = "m" ; data: v = 3, 4 ; } }"""


@pytest.fixture(params=["a.zarr", "a.zarr#mode=zarr,v2", "a.zip", "a.nc"])
def path(request, tmp_path):
    ncz.gen(io.BytesIO(CDL), f"{tmp_path}/{request.param}", notify=ignore_notice)
    return f"{tmp_path}/{request.param}".partition("#")[0]


def test_they_are_written_immediately(path):
    with ncz.open(path, "r+") as ds:
        variable = ds["t"]
        variable.attrs["units"] = "kelvin"
        ds["g/v"].attrs.update(units="km", scale=np.float32(0.5))
        ds.attrs["numbers"] = [1, 2]
        assert variable.attrs["units"] == variable.units == ds["/t"].units == "kelvin"
        assert variable[:].tolist() == [1, 2]
        assert ncz.open(path)["t"].attrs["units"] == "kelvin"
    again = ncz.open(path)
    assert again["g/v"].attrs == {"units": "km", "scale": 0.5}
    assert again.attrs["numbers"] == [1, 2]
    assert again["t"].attrs == {"units": "kelvin", "_FillValue": -9, "n": 1}


def test_they_are_set_as_netcdf4_and_xarray_set_them(path):
    with ncz.open(path, "a") as ds:
        ds["t"].long_name = "temperature"
        ds.title = "another title"
        ds["g"].history = "made"
        del ds["t"].n
        ds["t"].setncattr("standard_name", "air_temperature")
        ds["t"].setncatts({"a": 1, "b": 2.5})
        ds["t"].delncattr("standard_name")
        ds["g/v"].attrs = {"units": "m", "source": "a model"}
    again = ncz.open(path)
    assert again["t"].attrs == {
        "units": "K", "_FillValue": -9, "long_name": "temperature", "a": 1, "b": 2.5,
    }  # fmt: skip
    assert again.title == "another title"
    assert again["g"].history == "made"
    assert again["g/v"].attrs == {"units": "m", "source": "a model"}


def test_other_libraries_see_them(path):
    pytest.importorskip("xarray")
    with ncz.open(path, "r+") as ds:
        ds["t"].attrs["units"] = "degC"
        assert ds.to_xarray()["t"].attrs["units"] == "degC"
        assert ds["t"].to_xarray().attrs["units"] == "degC"
        ds.attrs["title"] = "new"
        assert ds.to_xarray().attrs["title"] == "new"
        assert ds.root.attributes == ds.record.root.attributes


def test_all_of_a_dictionary(path):
    with ncz.open(path, "r+") as ds:
        attributes = ds["t"].attrs
        assert attributes.pop("none", None) is None
        assert attributes.pop("n") == 1
        assert attributes.setdefault("units", "m") == "K"
        assert attributes.setdefault("note", "new") == "new"
        attributes |= {"more": 1.5}
        assert attributes.popitem() == ("more", 1.5)
        with pytest.raises(KeyError):
            del attributes["none"]
        with pytest.raises(KeyError):
            attributes.pop("none")
        ds.attrs.clear()
        assert ds.attrs == {}
        assert type(copy.copy(attributes)) is type(pickle.loads(pickle.dumps(attributes))) is dict
    assert ncz.open(path)["t"].attrs == {"units": "K", "_FillValue": -9, "note": "new"}


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (lambda t: t.attrs.update(a=1, b=object()), TypeError, "b cannot have the value"),
        (lambda t: t.attrs.update(a={}), TypeError, "use text, numbers, or lists of them"),
        (lambda t: t.attrs.update(a=[[1], [2, 3]]), TypeError, "use text, numbers"),
        (lambda t: t.attrs.update(_FillValue=1), NczError, "describes how data are stored"),
        (lambda t: t.attrs.update({1: 2}), TypeError, "the name of an attribute is a text"),
        (lambda t: setattr(t, "shape", (3,)), AttributeError, "'shape' cannot be assigned"),
        (lambda t: delattr(t, "none"), AttributeError, "no attribute is named 'none'"),
    ],
)
def test_an_invalid_change_changes_nothing(path, change, error, says):
    with ncz.open(path, "r+") as ds:
        before = dict(ds["t"].attrs)
        with pytest.raises(error, match=says):
            change(ds["t"])
        assert ds["t"].attrs == before
    assert ncz.open(path)["t"].attrs == before


@pytest.mark.parametrize("name", ["units", "note"])
def test_a_dataset_that_is_read_keeps_them(path, name):
    with ncz.open(path) as ds:
        for member in (ds, ds["t"]):
            with pytest.raises(TypeError, match="the dataset is open to read"):
                setattr(member, name, "m")
            with pytest.raises(TypeError, match=r"or use ncz\.edit"):
                member.attrs[name] = "m"
    with ncz.open(path, "r+", isel={"x": 0}) as part, pytest.raises(TypeError, match="of a part"):
        part["t"].units = "m"
    assert ncz.open(path)["t"].units == "K"


@given(
    st.one_of(
        st.text(min_size=1), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False),
        st.lists(st.text(), min_size=2), st.lists(st.integers(-9, 9), min_size=2),
    )
)  # fmt: skip
def test_a_value_is_kept(value):
    expected = value if isinstance(value, list) else [value]
    assert list(attribute_of("a", value).values) == expected


@pytest.mark.parametrize("each", [each for each in Atomic if each.kind in "iuf"])
def test_numbers_of_numpy_keep_their_types(each: Atomic):
    assert attribute_of("a", np.ones(2, each.dtype)).type is each
    assert attribute_of("a", np.ones(1, each.dtype)[0]).type is each
