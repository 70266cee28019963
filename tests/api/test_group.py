"""Groups of an open dataset."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.api.test_handle import groups as groups


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


def test_dimensions_include_the_ones_of_outer_groups(groups):
    ds = ncz.open(groups)
    assert ds.dims == {"time": 2, "level": 3}
    assert ds.unlimited_dims == frozenset()
    assert ds["ocean"].dims == {"time": 2, "level": 4}
    assert ds["ocean/ice/thickness"].sizes == {"time": 2, "category": 2}


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
