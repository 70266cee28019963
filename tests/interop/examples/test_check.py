"""`ncz check` finds nothing in current stores of other programs, except errors of netcdf-c."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import ncz
from ncz.model.tree import Dataset
from tests.interop.examples.between import CASES
from tests.interop.examples.readers import point_at_plugins
from tests.interop.examples.test_matrix import parsed
from tests.interop.examples.view import Seen
from tests.interop.examples.writers import write_netcdf4, write_xarray, write_zarr, write_zarr_v3
from tests.sampled import sampled

Write = Callable[[Dataset, Seen, Path], None]

WRITERS: dict[str, tuple[str, Write]] = {
    "zarr-python V2": ("zarr", write_zarr),
    "zarr-python V3": ("zarr", write_zarr_v3),
    "xarray V2": ("xarray", write_xarray),
    "xarray V3": ("xarray", lambda dataset, seen, path: write_xarray(dataset, seen, path, 3)),
    "NCZarr of netCDF4": ("netCDF4", lambda d, seen, path: write_netcdf4(d, seen, path, "nczarr")),
    "Zarr of netCDF4": ("netCDF4", lambda d, seen, path: write_netcdf4(d, seen, path, "zarr")),
}
"""Programs with the package that they need."""

FAULTS = {
    "attribute-not-text", "document-not-strict", "dtype-byte-order", "elementsize-zero",
}  # fmt: skip
"""Stores of netcdf-c that other programs do not read, or read wrongly."""

LENGTHS = {"groups": "dimension-inferred"}
"""Cases where pure Zarr cannot distinguish two dimensions of the same name of a variable."""


@pytest.mark.parametrize("case", sampled(CASES, 10))
@pytest.mark.parametrize("who", WRITERS)
def test_nothing_is_found(who, case, tmp_path):
    package, write = WRITERS[who]
    pytest.importorskip(package)
    point_at_plugins()
    store = tmp_path / "s.zarr"
    try:
        write(*parsed(case), store)
    except Exception as error:
        pytest.skip(f"{who} cannot write it: {error}")
    findings = ncz.check(store, data=True).findings
    grave = {f.code for f in findings if f.severity != "note" and not f.code.startswith("reader-")}
    expected = FAULTS if package == "netCDF4" else {LENGTHS.get(case, "")}
    assert grave <= expected, [str(f) for f in findings]
