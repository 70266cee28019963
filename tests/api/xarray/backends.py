"""xarray's own tests of its engines, with the engine "ncz" as the reader: ``make xarray-tests``.

They are part of the installed package xarray. Its engines write, and "ncz" reads. Tests that cannot
pass have a reason in `KNOWN`; docs/reference/python.md names those that are about ncz.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
upstream = pytest.importorskip(
    "xarray.tests.test_backends", reason="the package xarray that is installed has no tests"
)
fixtures = pytest.importorskip("xarray.tests.conftest")

default_zarr_format = upstream.default_zarr_format
use_dask = fixtures.use_dask
time_unit = fixtures.time_unit

THEIRS = "it fails with the engine of xarray too"

KNOWN = {
    "TestNetcdf4::test_byte_attrs": "Latin-1 is assumed of bytes that are not UTF-8",
    "TestH5netcdf::test_compression_encoding_h5py": "encodings have the keys of netCDF4",
    "TestH5netcdf::test_dump_encodings_h5py": "encodings have the keys of netCDF4",
    "TestH5netcdf::test_phony_dims_warning": "dimensions without names are no reason for a warning",
    "TestZarr::test_load_async[2]": THEIRS,
    "TestZarr::test_load_async[3]": THEIRS,
    "TestZarr::test_shard_encoding_with_dask[2]": THEIRS,
    "TestZarr::test_hidden_zarr_keys[3]": THEIRS,
    "TestZarr::test_dimension_names[2]": THEIRS,
    "TestZarr::test_zarr_fill_value_in_encoding_on_read[2]": THEIRS,
}
"""The tests that fail, and the reason of each."""

OF_ENGINES = ("mode", "zarr_format", "format", "auto_complex", "use_zarr_fill_value_as_mask")
"""Options of xarray's engines that "ncz" does not have."""


@pytest.fixture(autouse=True)
def ours(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Open every path with the engine "ncz", whatever engine a test names."""
    reason = KNOWN.get(f"{request.node.parent.name}::{request.node.name}")
    if reason is not None:
        strict = reason is not THEIRS
        request.applymarker(pytest.mark.xfail(reason=reason, strict=strict))
    opens = xr.open_dataset

    def opened(source: Any, *, engine: str | None = None, **options: Any) -> Any:
        if not isinstance(source, str | os.PathLike) or not os.path.exists(source):
            return opens(source, engine=engine, **options)
        own = {**(options.pop("backend_kwargs", None) or {}), **options}
        return opens(source, engine="ncz", **{k: v for k, v in own.items() if k not in OF_ENGINES})

    monkeypatch.setattr(xr, "open_dataset", opened)
    monkeypatch.setattr(upstream, "open_dataset", opened)


class TestNetcdf4(upstream.TestNetCDF4Data):  # type: ignore[name-defined,misc]
    """Files that netCDF4 writes."""


class TestClassic(upstream.TestNetCDF3ViaNetCDF4Data):  # type: ignore[name-defined,misc]
    """Files of the classic formats."""


class TestH5netcdf(upstream.TestH5NetCDFData):  # type: ignore[name-defined,misc]
    """Files that h5netcdf writes."""


class TestZarr(upstream.TestZarrDirectoryStore):  # type: ignore[name-defined,misc]
    """Stores that zarr writes."""
