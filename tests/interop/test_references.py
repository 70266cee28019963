"""Reference sets that ncz wrote, read through fsspec by zarr-python and xarray.

``make test`` takes the first.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import ncz
from tests.conftest import ROOT
from tests.interop.peers.peers import absent, python_of
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


READ_BY_ZARR_2 = """
import sys
import fsspec
import xarray as xr
import zarr

files = fsspec.get_mapper("reference://", fo=sys.argv[1], remote_protocol="file")
group = zarr.open_group(files, mode="r")
assert zarr.__version__.startswith("2.")
assert group["g/y"][...].tolist() == list(range(50))
with xr.open_zarr(files, consolidated=False) as found:
    for name, array in group.arrays():
        values = found[name].variable.load()
        assert values.shape == array.shape
    print(found["t"].values.tolist())
"""


@pytest.mark.parametrize(
    ("target", "version"),
    sampled([("refs.json", 3), ("refs.json", 2), ("refs.parquet", 2)], 3),
    ids=["JSON with Zarr V3", "JSON", "Parquet"],
)
def test_they_see_the_contents_of_the_netcdf_file(tmp_path, target, version):
    if target.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    refer(tmp_path / target, version)
    arguments = [tmp_path / target, STORES / "a.nc", str(version)]
    assert printed(READ, *arguments) == "equal\n"


KERCHUNK = """
import sys, warnings
import fsspec
import xarray as xr
import zarr

warnings.simplefilter("ignore")
for netcdf in sys.argv[1:]:
    with xr.open_dataset(netcdf, engine="netcdf4") as wanted:
        wanted.load()
    for refs in (netcdf[:-3] + ".json", netcdf[:-3] + ".parquet"):
        with xr.open_dataset(refs, engine="kerchunk") as found:
            xr.testing.assert_identical(found.load(), wanted)
        target = {"asynchronous": True}
        files = fsspec.filesystem("reference", fo=refs, remote_options=target, asynchronous=True)
        with xr.open_zarr(zarr.storage.FsspecStore(files, read_only=True), zarr_format=2) as found:
            xr.testing.assert_identical(found.load(), wanted)
print("identical")
"""

EXAMPLES = ("attributes", "ensemble", "ragged", "scalars", "types")


@pytest.mark.parametrize(
    "examples", [EXAMPLES[-1:], pytest.param(EXAMPLES, marks=pytest.mark.long)], ids=len
)
def test_the_documented_call_of_kerchunk_opens_them(tmp_path, examples):
    for package in ("h5py", "netCDF4", "kerchunk", "fastparquet"):
        pytest.importorskip(package, reason=f"{package} is not installed (make setup)")
    for name in examples:
        text = ROOT / "cdl_examples" / f"{name}.cdl"
        ncz.gen(text, tmp_path / f"{name}.nc", notify=lambda _: None)
        for suffix in ("json", "parquet"):
            ncz.copy(tmp_path / f"{name}.nc", tmp_path / f"{name}.{suffix}", notify=lambda _: None)
    files = [tmp_path / f"{name}.nc" for name in examples]
    months = [_month(tmp_path, number) for number in range(4)]
    for suffix in ("json", "parquet"):
        # nothing is lost: a notice would be an error
        ncz.copy(months, tmp_path / f"year.{suffix}", concat="time")
    ncz.copy(tmp_path / "year.json", tmp_path / "year.nc")
    assert ncz.dump(tmp_path / "year.nc") == ncz.dump(tmp_path / "year.parquet")
    assert printed(KERCHUNK, *files, tmp_path / "year.nc") == "identical\n"


def _month(folder: Path, number: int) -> Path:
    """Write the file of a month: days of an unlimited time, compressed."""
    days = range(30 * number, 30 * number + 30)
    path = folder / f"month-{number}.nc"
    text = f"""netcdf m {{ dimensions: time = UNLIMITED ; x = 50 ; variables:
      double time(time) ; time:units = "days since 2020-01-01" ; time:_ChunkSizes = 30 ;
      short t(time, x) ; t:scale_factor = 0.5 ; t:valid_range = 0s, 99s ; t:_ChunkSizes = 10, 50 ;
      t:_DeflateLevel = 2 ; t:_Shuffle = "true" ; char name(x) ; data:
      time = {", ".join(map(str, days))} ; name = "abc" ;
      t = {", ".join(str((day * n) % 90) for day in days for n in range(50))} ; }}"""
    ncz.gen(io.BytesIO(text.encode()), path)
    return path


VIRTUALIZARR_READS = """
import sys, warnings

warnings.simplefilter("ignore")
import xarray as xr
from obspec_utils.registry import ObjectStoreRegistry
from obstore.store import LocalStore
from virtualizarr.parsers import KerchunkJSONParser, KerchunkParquetParser

registry = ObjectStoreRegistry({"file://": LocalStore()})
for suffix, parser in (("json", KerchunkJSONParser), ("parquet", KerchunkParquetParser)):
    store = parser()(url=f"file://{sys.argv[1]}.{suffix}", registry=registry)
    options = {"consolidated": False, "zarr_format": 3}
    with xr.open_dataset(sys.argv[1] + ".nc", engine="netcdf4") as wanted:
        with xr.open_zarr(store, **options) as found:
            xr.testing.assert_identical(found.load(), wanted.load())
print("identical")
"""


def test_virtualizarr_reads_sets_that_contain_no_data(tmp_path):
    for package in ("h5py", "netCDF4", "virtualizarr", "fastparquet"):
        pytest.importorskip(package, reason=f"{package} is not installed (make setup)")
    month = _month(tmp_path, 0)
    for suffix in ("json", "parquet"):
        ncz.copy(month, month.with_suffix(f".{suffix}"), inline=0)
    start = str(month.with_suffix(""))
    assert printed(VIRTUALIZARR_READS, start) == "identical\n"


VIRTUALIZARR = """
import sys, warnings

warnings.simplefilter("ignore")
from obspec_utils.registry import ObjectStoreRegistry
from obstore.store import LocalStore
from virtualizarr import open_virtual_dataset
from virtualizarr.parsers import HDFParser

registry = ObjectStoreRegistry({"file://": LocalStore()})
url = f"file://{sys.argv[1]}"
with open_virtual_dataset(url=url, registry=registry, parser=HDFParser()) as found:
    found.vz.to_kerchunk(sys.argv[2], format="json")
"""


@pytest.mark.long
def test_sets_of_virtualizarr_are_read(tmp_path):
    for package in ("h5py", "netCDF4", "virtualizarr"):
        pytest.importorskip(package, reason=f"{package} is not installed (make setup)")
    text = "netcdf a { dimensions: x = 3 ; variables: int s ; short v(x) ; data: s=7 ; v=1,2,3 ; }"
    (tmp_path / "a.cdl").write_text(text)
    ncz.gen(tmp_path / "a.cdl", tmp_path / "a.nc", kind="netCDF-4", notify=lambda _: None)
    printed(VIRTUALIZARR, tmp_path / "a.nc", tmp_path / "refs.json")
    assert "s/" in json.loads((tmp_path / "refs.json").read_text())["refs"]
    found = ncz.dump(tmp_path / "refs.json")
    assert " s = 7 ;" in found
    assert " v = 1, 2, 3 ;" in found


def refer(target: Path, version: int) -> None:
    """Write a reference set over the chunks of the file."""
    ncz.copy(
        STORES / "a.nc",
        target,
        modes=("reference", "zarr", f"v{version}"),
        allow_loss=True,
        notify=lambda _: None,
    )


def printed(program: str, *arguments: str | Path) -> str:
    """Return the output of a program that runs in this process, as users would start it."""
    output = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
        contextlib.redirect_stdout(output),
    ):
        warnings.simplefilter("ignore")
        patch.setattr(sys, "argv", ["program", *map(str, arguments)])
        exec(program, {"__name__": "__main__"})
    return output.getvalue()


def test_zarr_python_2_sees_it_too(tmp_path):
    if reason := absent("zarr-2"):
        pytest.skip(reason)
    python = python_of("zarr-2")
    needs = "import fsspec, xarray"
    if subprocess.run(
        [python, "-c", needs], capture_output=True, check=False, timeout=60
    ).returncode:
        pytest.skip("xarray and fsspec are not installed next to zarr-python 2 (make interop)")
    import xarray

    refer(tmp_path / "refs.json", 2)
    command = [python, "-W", "ignore", "-c", READ_BY_ZARR_2, tmp_path / "refs.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.replace("nan", "NaN"))
    with xarray.open_dataset(STORES / "a.nc", engine="netcdf4") as wanted:
        np.testing.assert_array_equal(seen, wanted["t"].values)
