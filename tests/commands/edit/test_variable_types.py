"""Attributes that get the type of their variable, compared with netCDF4."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

CDL = """netcdf t { dimensions: x = 1 ;
variables: float f(x) ; short p(x) ; p:scale_factor = 0.5 ; byte flag(x) ; double d(x) ;
  char c(x) ;
data: f = 1 ; p = 1 ; flag = 1 ; d = 1 ; c = "a" ; }"""


@pytest.fixture(params=["t.nc", "t.zarr#mode=nczarr,file", "t.zarr#mode=zarr,file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name: str = request.param
    ncz.gen(CDL, f"{tmp_path}/{name}", notify=ignore_notice, annotations="mode=zarr" in name)
    return tmp_path / name.partition("#")[0]


def type_of(store: Path, variable: str, attribute: str) -> str:
    record = ncz.find(ncz.open(store), variable)
    found = next(each for each in record.attributes if each.name == attribute)
    return getattr(found.type, "word", "")


def test_numbers_without_a_type_get_the_type_of_the_variable(store):
    ncz.edit(
        store,
        rename="d=e",
        set={
            "f:missing_value": -9999.0,
            "f:valid_min": 281.4,
            "p:valid_range": [-10, 10],
            "flag": {"flag_values": [0, 1], "level": 5},
            "e:valid_max": 5,
        },
    )
    assert type_of(store, "f", "missing_value") == type_of(store, "f", "valid_min") == "float"
    assert type_of(store, "p", "valid_range") == "short"
    assert type_of(store, "flag", "flag_values") == "byte"
    assert type_of(store, "flag", "level") == "int"
    assert type_of(store, "e", "valid_max") == "double"


def test_a_type_that_is_written_stays(store):
    ncz.edit(store, set=["double f:missing_value = -9999", "f:valid_min = 5s"])
    assert type_of(store, "f", "missing_value") == "double"
    assert type_of(store, "f", "valid_min") == "short"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("p:missing_value=40000", "has the type int, as the variable's type short cannot"),
        ("flag:flag_values=0,1.5", "has the type double, as the variable's type byte cannot"),
        ("f:valid_max=1.23456789012", "has the type double, as the variable's type float cannot"),
        ("f:valid_max=1e40", r"cannot represent 1e\+40"),
    ],
)
def test_numbers_that_the_type_does_not_have(tmp_path, text, says):
    ncz.gen(CDL, tmp_path / "t.nc")
    with pytest.warns(ncz.NczWarning, match=says):
        ncz.edit(tmp_path / "t.nc", set=text)
    assert type_of(tmp_path / "t.nc", *text.partition("=")[0].split(":")) in ("int", "double")


def test_numbers_of_a_variable_of_texts(tmp_path):
    ncz.gen(CDL, tmp_path / "t.nc")
    ncz.edit(tmp_path / "t.nc", set="c:flag_values=1")
    assert type_of(tmp_path / "t.nc", "c", "flag_values") == "int"


def test_netcdf4_masks_by_them(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4")
    ncz.gen(CDL, tmp_path / "t.nc")
    ncz.edit(tmp_path / "t.nc", set="f:missing_value=1")
    with netcdf4.Dataset(tmp_path / "t.nc") as theirs:
        assert theirs["f"].missing_value.dtype == np.dtype("f4")
        assert theirs["f"][:].mask.tolist() == [True]
