"""Values that are assigned to variables of a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import NczError, ignore_notice

TEXT = """netcdf a { dimensions: t = 6 ; x = 4 ; s = 3 ;
variables: int v(t, x) ; float f(t) ; double d ; string name(x) ; char c(s) ;
data: v = VALUES ; f = 0, 1, 2, 3, 4, 5 ; d = 1.5 ; name = "a", "b", "c", "d" ; c = "xyz" ; }"""
CDL = TEXT.replace("VALUES", ", ".join(map(str, range(24))))


@pytest.fixture(params=["a.zarr#mode=zarr,v3", "a.zarr#mode=nczarr", "a.zarr#mode=zarr", "a.zip"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    (tmp_path / "a.cdl").write_text(CDL)
    ncz.gen(tmp_path / "a.cdl", tmp_path / "first.nc")
    target = f"{tmp_path}/{request.param}"
    ncz.copy(tmp_path / "first.nc", target, chunks="t/2,x/3", notify=ignore_notice)
    return target.partition("#")[0]


@pytest.mark.parametrize(
    ("index", "values"),
    [
        (..., 7),
        ((0, 0), 100),
        (2, [9, 8, 7, 6]),
        ((slice(1, 5, 2), slice(None, None, -1)), [[1, 2, 3, 4], [5, 6, 7, 8]]),
        (([4, 0], 1), [50, 60]),
        (([True, False, False, False, False, True], slice(2)), -1),
        ((-1, slice(0, 0)), 3),
    ],
)
def test_as_numpy_assigns(store, index, values):
    with ncz.open(store, "r+") as opened:
        variable = opened["v"]
        expected = variable[...]
        expected[index] = values
        variable[index] = values
        assert np.array_equal(variable[...], expected)
        assert np.array_equal(opened["v"][...], expected)
        assert opened["f"][:].tolist() == [0, 1, 2, 3, 4, 5]
    assert np.array_equal(ncz.open(store)["v"][...], expected)


def test_other_types(store):
    with ncz.open(store, "r+") as opened:
        opened["f"][1:3] = [0.5, float("nan")]
        opened["d"][...] = -2
        opened["name"][1] = "Ørland"
        opened["c"][:2] = [b"A", b"B"]
        values = opened["f"][:3].tolist()
        assert values[:2] == [0, 0.5]
        assert np.isnan(values[2])
        assert opened["d"][...] == -2
        assert opened["name"][:].tolist() == ["a", "Ørland", "c", "d"]
        assert opened["c"][:].tobytes() == b"ABz"


def test_xarray_sees_the_values(store):
    xarray = pytest.importorskip("xarray")
    with ncz.open(store, "r+") as opened:
        opened["v"][0] = 5
    with xarray.open_dataset(store, engine="ncz") as dataset:
        assert dataset.v[0].values.tolist() == [5] * 4


@pytest.mark.parametrize(
    ("index", "values", "error"),
    [
        ((0, 0), 1.5, TypeError),
        ((0, 0), 2**40, TypeError),
        ((0, 0), "text", TypeError),
        ((9, 0), 1, IndexError),
        ((0, slice(None)), [1, 2], ValueError),
    ],
)
def test_values_of_a_wrong_type_change_nothing(store, index, values, error):
    before = ncz.open(store)["v"][...]
    with ncz.open(store, "r+") as opened, pytest.raises(error):
        opened["v"][index] = values
    assert np.array_equal(ncz.open(store)["v"][...], before)


def test_a_dataset_open_for_reading_is_not_changed(store, tmp_path):
    opened = ncz.open(store)
    with pytest.raises(TypeError, match=r'open it with ncz.open\(url, "r\+"\)'):
        opened["v"][0] = 1
    with pytest.raises(TypeError, match="use the whole"):
        ncz.open(store, "r+").isel(t=0)["v"][...] = 1
    wrong: Any = "q"
    with pytest.raises(NczError, match="is not a mode"):
        ncz.open(store, wrong)


def test_kept_digests_match_the_new_values(tmp_path):
    (tmp_path / "a.cdl").write_text(CDL)
    store = tmp_path / "d.zarr"
    ncz.gen(tmp_path / "a.cdl", tmp_path / "a.nc")
    ncz.copy(tmp_path / "a.nc", store, digest=True, notify=ignore_notice)
    with ncz.open(store, "r+") as opened:
        opened["v"][1:3] = 0
    assert ncz.check(store, data=True).count("error") == 0
