"""Encodings of xarray as the keywords of a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.xarray_encodings import is_of_copy, keywords_of_encoding
from ncz.errors import ignore_notice
from tests.conftest import ROOT

QUIET: Any = {"notify": ignore_notice}


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ncz.gen(ROOT / "cdl_examples/weather.cdl", "w.nc", **QUIET)
    return "w.nc"


@pytest.mark.parametrize(
    ("settings", "keywords"),
    [
        ({"scale_factor": None, "add_offset": None, "dtype": None}, {}),
        ({"scale_factor": 0.5, "add_offset": None}, {"pack": {"v": "short:0.5:0.0"}}),
        ({"_FillValue": None, "missing_value": -1}, {"missing_value": {"v": -1.0}}),
        ({"chunksizes": None, "zlib": None, "complevel": None}, {}),
        ({"compressor": None}, {"codecs": ["v=none"]}),
        ({"compressor": "auto"}, {}),
        ({"significant_digits": None, "quantize_mode": None}, {}),
    ],
    ids=str,
)
def test_none_is_a_setting_that_is_not_given(settings, keywords):
    assert dict(keywords_of_encoding({"v": settings})) == keywords


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        (None, True),
        ({"v": {"chunks": (2,), "compressor": None}}, True),
        ({"v": {"dtype": "int16"}}, False),
        ({"v": {"unknown": 1}}, False),
    ],
)
def test_encodings_of_storage_are_distinguished(encoding, expected):
    assert is_of_copy(encoding) is expected


@pytest.mark.parametrize(
    ("encoding", "says"),
    [
        ({"lat": {"units": "m"}}, "the encoding of lat has 'units'"),
        ({"lat": {"add_offset": 5.0}}, "the encoding of lat has 'add_offset'"),
        ({"lat": {"dtype": "S1"}}, "'bytes8' is not a type of numbers"),
        ({"lat": {"complevel": 2}}, "the encoding of lat has 'complevel'"),
        ({"latitude": {"dtype": "int16"}}, "latitude"),
        ({"lat": "int16"}, "the encoding has no settings for each variable"),
        (["lat"], "the encoding has no settings for each variable"),
    ],
)
def test_an_encoding_that_is_not_taken_is_refused(file, encoding, says):
    theirs: Any = {"encoding": encoding, **QUIET}
    with pytest.raises(ncz.NczError, match=says):
        ncz.copy(file, "x.zarr", **theirs)


def test_the_numbers_of_a_dataset_of_xarray_are_encoded(file, tmp_path):
    dataset = ncz.open_dataset(file)
    settings = {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1, "chunks": (2,)}
    theirs: Any = {"encoding": {"lat": settings}, **QUIET}
    ncz.copy(dataset, tmp_path / "e.zarr", **theirs)
    lat = ncz.open(tmp_path / "e.zarr")["lat"]
    assert (lat.dtype, lat.chunks, lat.attrs["scale_factor"]) == ("i2", (2,), 0.5)
    assert "scale_factor" not in dataset.lat.encoding


@pytest.mark.parametrize(
    "settings",
    [
        {"dtype": "int16", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -9999},
        {"dtype": np.int32, "scale_factor": 0.001, "_FillValue": -1},
        {"dtype": "float64", "_FillValue": -1e30, "zlib": True},
    ],
)
def test_the_numbers_of_a_file_are_encoded_as_by_xarray(file, tmp_path, settings):
    xr = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    theirs: Any = {"encoding": {"temperature": settings}}
    ncz.copy(file, "ours.nc", **theirs, **QUIET)
    with xr.open_dataset(file) as dataset:
        dataset.to_netcdf("theirs.nc", **theirs)
    stored = [
        xr.open_dataset(name, mask_and_scale=False).temperature for name in ("ours.nc", "theirs.nc")
    ]
    np.testing.assert_array_equal(stored[0], stored[1])
    assert stored[0].dtype == stored[1].dtype
    for name in ("_FillValue", "scale_factor", "add_offset"):
        assert stored[0].attrs.get(name) in (stored[1].attrs.get(name), 0.0)
