"""Reference sets that ncz wrote, read through fsspec by zarr-python and xarray.

``make test`` takes the first.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

import ncz
from tests.conftest import ROOT
from tests.sampled import sampled

pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
pytest.importorskip("zarr", reason="zarr-python is not installed (make setup)")

STORES = ROOT / "tests" / "stores" / "kerchunk"

READ = """
import sys
import fsspec
import numpy as np
import xarray as xr
import zarr
from zarr.storage import FsspecStore

path, netcdf, version = sys.argv[1], sys.argv[2], int(sys.argv[3])
engine = "pyarrow" if path.endswith(".parquet") else None
if engine:
    from fsspec.implementations.reference import LazyReferenceMapper
    path = LazyReferenceMapper(path, fs=fsspec.filesystem("file"), engine=engine)
files = fsspec.filesystem("reference", fo=path, remote_protocol="file", asynchronous=True)
store = FsspecStore(files, read_only=True, path="")
options = {"engine": "zarr", "consolidated": False, "zarr_format": version}
found = xr.open_dataset(store, **options)
with xr.open_dataset(netcdf, engine="netcdf4") as wanted:
    for name in wanted.variables:
        np.testing.assert_array_equal(found[name].values, wanted[name].values, err_msg=name)
        assert found[name].dims == wanted[name].dims
    assert found.attrs["title"] == wanted.attrs["title"]
group = zarr.open_group(store, mode="r", zarr_format=version)
assert group["g/y"][...].tolist() == list(range(50))
print("equal")
"""


@pytest.mark.parametrize(
    ("target", "version"),
    sampled([("refs.json", 3), ("refs.json", 2), ("refs.parquet", 2)], 3),
    ids=["JSON with Zarr V3", "JSON", "Parquet"],
)
def test_they_see_what_is_in_the_netcdf_file(tmp_path, target, version):
    pytest.importorskip("h5py", reason="h5py is not installed (ncz[netcdf])")
    if target.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    ncz.copy(
        STORES / "a.nc",
        tmp_path / target,
        modes=("reference", "zarr", f"v{version}"),
        allow_loss=True,
        notify=lambda _: None,
    )
    arguments = [str(tmp_path / target), str(STORES / "a.nc"), str(version)]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READ, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "equal\n", done.stderr
