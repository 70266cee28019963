"""xarray's own tests of its engines, with the engine "ncz" as the reader: ``make xarray-tests``.

They are part of the installed package xarray. Its engines write, and "ncz" reads. Tests that cannot
pass have a reason in `KNOWN`; docs/reference/python.md names the tests that are about ncz.
"""

from __future__ import annotations

import os
from pathlib import Path
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
    **dict.fromkeys(
        ("TestNetCDF4Data::test_byte_attrs", "TestNetCDF4ViaDaskData::test_byte_attrs"),
        "Latin-1 is assumed of bytes that are not UTF-8",
    ),
    **dict.fromkeys(
        ("TestScipyFilePath::test_nc4_scipy", "TestGenericNetCDFData::test_engine"),
        "it is about an engine that cannot read a file, or that does not exist",
    ),
    "test_phony_dims_warning": "dimensions without names do not cause a warning",
    **dict.fromkeys(
        ("test_shard_encoding_with_dask", "test_hidden_zarr_keys", "test_dimension_names",
         "test_zarr_fill_value_in_encoding_on_read", "test_load_async", "test_indexing",
         "test_dataarray_to_zarr_no_name", "test_dataarray_to_zarr_with_name",
         "test_dataarray_to_zarr_coord_name_clash", "test_open_dataarray_options",
         "test_dataarray_to_zarr_compute_false", "test_dataarray_to_zarr_align_chunks_true"),
        THEIRS,
    ),
}  # fmt: skip
"""The tests that fail, and the reason of each; some of the last fail with a part of parameters."""

OF_ENGINES = (
    "mode", "zarr_format", "format", "auto_complex", "use_zarr_fill_value_as_mask", "lock",
    "invalid_netcdf", "phony_dims", "decode_vlen_strings",
)  # fmt: skip
"""Options of xarray's engines that "ncz" does not have."""

WITHOUT_FILES = (
    "test_use_cftime", "test_h5netcdf", "test_open_fsspec", "test_open_mfdataset", "test_batchdap4",
)  # fmt: skip
"""Tests that open no files, or need a network."""


# It passes with ncz, and is expected to fail with the engine of scipy.
upstream.TestGenericNetCDFData.test_roundtrip_via_file_object = None


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run each test in its folder, because some write files with relative names."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def ours(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Open every path with the engine "ncz", even if a test names another one."""
    name = request.node.originalname
    reason = KNOWN.get(f"{request.node.parent.name}::{name}") or KNOWN.get(name)
    if reason is not None:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=reason is not THEIRS))
    opens = xr.open_dataset

    def opened(source: Any, *, engine: str | None = None, **options: Any) -> Any:
        if not isinstance(source, str | os.PathLike) or not os.path.exists(source):
            return opens(source, engine=engine, **options)
        own = {**(options.pop("backend_kwargs", None) or {}), **options}
        return opens(source, engine="ncz", **{k: v for k, v in own.items() if k not in OF_ENGINES})

    monkeypatch.setattr(xr, "open_dataset", opened)
    monkeypatch.setattr(upstream, "open_dataset", opened)


for label, member in vars(upstream).items():
    is_fixture = type(member).__name__ == "FixtureFunctionDefinition"
    is_test = label.startswith(("Test", "test_")) and not label.startswith(WITHOUT_FILES)
    if is_fixture or is_test:
        globals()[label] = member
