"""Names and modes of new netCDF files."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.errors import UrlError
from ncz.formats.create_options import CreateOptions
from ncz.formats.netcdf.names import is_netcdf_name, mode_of, requested_kind
from ncz.zmap.location import parse_location


@pytest.mark.parametrize(
    ("name", "kind", "answer"),
    [
        ("a.nc", None, True),
        ("A.NC4", None, True),
        ("a.h5", None, True),
        ("a.zarr", None, False),
        ("a", None, False),
        ("a", "classic", True),
        ("a.zarr", "classic", False),
        ("a.nc#mode=zarr", None, False),
        ("a.nc#mode=nczarr,file", "classic", False),
        ("a#mode=netcdf-4", None, True),
        ("a.zarr#mode=netcdf-3", None, True),
        ("s3://b/a", "classic", False),
        ("s3://b/a.nc", None, True),
        ("memory://a", "classic", False),
    ],
)
def test_a_name_a_kind_or_a_mode_make_a_file(name: str, kind: Any, answer: bool):
    assert is_netcdf_name(parse_location(name), CreateOptions(kind=kind)) == answer


@pytest.mark.parametrize(
    ("name", "kind", "found"),
    [
        ("a.nc", None, None),
        ("a.nc", "cdf5", "cdf5"),
        ("a#mode=netcdf-3", None, "classic"),
        ("a#mode=netcdf-3", "cdf5", "cdf5"),
        ("a#mode=netcdf-4", "netCDF-4 classic model", "netCDF-4 classic model"),
    ],
)
def test_an_option_and_a_mode_may_agree(name: str, kind: Any, found: str | None):
    assert requested_kind(parse_location(name), kind) == found


@pytest.mark.parametrize(("mode", "kind"), [("netcdf-3", "netCDF-4"), ("netcdf-4", "classic")])
def test_or_they_contradict_each_other(mode: str, kind: Any):
    location = parse_location(f"a#mode={mode}")
    assert mode_of(location) == mode
    with pytest.raises(UrlError, match=f"mode={mode} asks for"):
        requested_kind(location, kind)
