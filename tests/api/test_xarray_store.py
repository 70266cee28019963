"""A group as a data store of xarray."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

xarray = pytest.importorskip("xarray", reason="xarray is not installed")

from ncz.api.xarray_store import GroupStore, LazyArray  # noqa: E402

CDL = b"""netcdf s { dimensions: t = UNLIMITED ; x = 3 ;
variables: short v(t, x) ; v:scale_factor = 0.5 ; string s(x) ; :title = "t" ;
data: v = 1, 2, 3, 4, 5, 6 ; s = "a", "b", "c" ; group: g { variables: int w(x) ; } }"""


@pytest.fixture
def dataset(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "s.zarr", notify=ignore_notice)
    with ncz.open(tmp_path / "s.zarr") as opened:
        yield opened


def test_variables_attributes_and_dimensions(dataset):
    store = GroupStore(dataset)
    assert {**store.get_attrs()}["title"] == "t"
    assert {**store.get_dimensions()} == {"t": 2, "x": 3}
    assert store.get_encoding()["unlimited_dims"] == {"t"}
    variables = store.get_variables()
    assert list(variables) == ["v", "s"]
    assert variables["v"].dims == ("t", "x")
    assert variables["v"].attrs["scale_factor"] == 0.5


def test_values_are_read_when_they_are_indexed(dataset):
    lazy = LazyArray(dataset["v"])
    assert (lazy.shape, lazy.dtype) == ((2, 3), np.dtype("i2"))
    key = xarray.core.indexing.BasicIndexer((slice(1, 2), 2))
    assert np.asarray(lazy[key]).tolist() == [6]
    again = pickle.loads(pickle.dumps(lazy))
    assert np.asarray(again[key]).tolist() == [6]


def test_closing():
    closed: list[bool] = []
    GroupStore(None, lambda: closed.append(True)).close()  # type: ignore[arg-type]
    assert closed == [True]
    GroupStore(None).close()  # type: ignore[arg-type]
