"""netCDF files of netCDF4, xarray and h5netcdf: copies contain the values that these read."""

from __future__ import annotations

import itertools
import json
import warnings
from typing import Any

import numpy as np
import pytest

from ncz.formats.opening import open_dataset
from ncz.model.tree import variables_by_fqn
from ncz.model.types import Atomic
from ncz.zmap.location import parse_location
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, ncdump
from tests.formats.netcdf.values import values_of
from tests.sampled import sampled

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
xarray = pytest.importorskip("xarray", reason="xarray is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")

FILTERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "deflate": {"zlib": True},
    "level": {"zlib": True, "shuffle": False, "complevel": 9},
    "checksum": {"fletcher32": True},
    "all": {"zlib": True, "fletcher32": True, "chunksizes": (3, 8, 9)},
    "zstd": {"compression": "zstd", "complevel": 3},
    "bzip2": {"compression": "bzip2", "complevel": 9},
    "blosc": {"compression": "blosc_lz4", "complevel": 5, "blosc_shuffle": 1},
    "szip": {"compression": "szip", "szip_coding": "nn", "szip_pixels_per_block": 8},
}
TYPES = ("i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


@pytest.fixture(scope="module")
def filtered(tmp_path_factory):
    """A file with every filter, byte order and type."""
    path = tmp_path_factory.mktemp("netCDF4") / "filtered.nc"
    random = np.random.default_rng(0)
    with netCDF4.Dataset(path, "w") as root:
        for name, size in (("t", None), ("y", 30), ("x", 41)):
            root.createDimension(name, size)
        values = random.normal(size=(7, 30, 41)).astype("f4")
        for name, options in FILTERS.items():
            root.createVariable(name, "f4", ("t", "y", "x"), **options)[:] = values
        for endian in ("little", "big"):
            for kind in TYPES:
                dtype = np.dtype(f"{'<' if endian == 'little' else '>'}{kind}")
                made = root.createVariable(
                    f"{endian}_{kind}", dtype, ("y", "x"), endian=endian, zlib=endian == "big"
                )
                made[:] = random.integers(0, 100, (30, 41))
        root.createVariable("masked", "i2", ("t", "x"), fill_value=-5)[1] = 7
        strings = root.createVariable("strings", str, ("t", "y"), zlib=True)
        strings[2, 3] = "hello"
        strings[0, 0] = ""
    return path


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    """A file with groups, names that are used twice, and attributes of all kinds."""
    path = tmp_path_factory.mktemp("netCDF4") / "grouped.nc"
    with netCDF4.Dataset(path, "w") as root:
        root.createDimension("time", None)
        root.createDimension("x", 3)
        root.createDimension("lat", 4)
        outer = root.createGroup("g")
        outer.createDimension("x", 5)
        inner = outer.createGroup("h")
        inner.createDimension("time", None)
        outer.createVariable("time", "f8", ("time",))[:] = [1, 2]
        root.createVariable("x", "i4", ("x",))[:] = 1
        inner.createVariable("v", "i4", ("time", "x"), chunksizes=(4, 2))[0:3] = 3
        inner.createVariable("w", "i4", ("x", "x"))[:] = 4
        root.createVariable("lat", "f4", ("x",))[:] = 2  # not a coordinate
        root.createVariable("never", "f4", ("time", "x"))
        root.createGroup("empty")
        root.nothing = ""
        root.numbers = np.array([1, 2, 3], "i2")
        root.large = np.uint64(2**63 + 1)
        root.setncattr_string("one", "abc")
        root.setncattr("several", ["a", "", "c"])
    return path


@pytest.fixture(scope="module")
def surface(tmp_path_factory):
    """A file with a coordinate variable of two dimensions, made with h5netcdf by xarray."""
    h5netcdf = pytest.importorskip("h5netcdf", reason="h5netcdf is not installed")
    path = tmp_path_factory.mktemp("h5netcdf") / "surface.nc"
    with h5netcdf.File(path, "w") as root:
        root.dimensions = {"x": 5, "t": None}
        root.resize_dimension("t", 3)
        root.create_variable("/g/v", ("t", "x"), "f4", compression="gzip")[:] = 1
        root.create_variable("x", ("x",), "i8")[:] = np.arange(5)
        root.variables["x"].attrs["units"] = "m"
    return path


@pytest.fixture(scope="module")
def coordinates(tmp_path_factory):
    """A file with a coordinate variable of two dimensions."""
    path = tmp_path_factory.mktemp("netCDF4") / "coordinates.nc"
    with netCDF4.Dataset(path, "w") as root:
        root.createDimension("name", 4)
        root.createDimension("x", 3)
        root.createVariable("name", "S1", ("name", "x"))[:] = b"a"
        root.createVariable("d", "f4", ("x", "name"))[:] = 2
    return path


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("made", ["grouped", "surface", "coordinates"])
def test_dump_equals_ncdump(run, request, made):
    path = request.getfixturevalue(made)
    for options in ((), ("-s", "-h")):
        assert run("dump", *options, path).text == ncdump(path, *options)


@NEEDS_NETCDF_BIN
def test_the_header_with_all_filters_equals_ncdump(run, filtered):
    assert run("dump", "-hs", filtered).text == ncdump(filtered, "-hs")


def test_values_equal_netcdf4_s(filtered, grouped, coordinates):
    for path in (filtered, grouped, coordinates):
        with netCDF4.Dataset(path) as theirs, open_dataset(parse_location(str(path))) as opened:
            theirs.set_auto_maskandscale(False)
            for fqn, variable in variables_by_fqn(opened.dataset.root):
                expected = theirs[fqn][...]
                values = values_of(variable)
                if variable.type is Atomic.STRING:
                    values = np.array([v or "" for v in values.reshape(-1)], "O").reshape(
                        values.shape
                    )
                shape = values.shape
                assert values.tolist() == expected.tolist() or 0 in shape, fqn
                assert values.dtype.kind == expected.dtype.kind


def opened_by_xarray(target, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with xarray.open_zarr(target, consolidated=False, **options) as dataset:
            return dataset.load()


@pytest.mark.parametrize(
    ("mode", "decode"),
    sampled(itertools.product(["zarr,v2", "zarr,v3", "nczarr,v3"], [True, False]), 3),
)
def test_xarray_sees_equal_datasets(run, tmp_path, filtered, mode, decode):
    target = tmp_path / "x.zarr"
    options = ["--allow-loss"] if mode.startswith("zarr") else []
    ran = run("copy", *options, filtered, f"{target}#mode={mode}")
    assert ran.code == 0, ran.stderr
    with xarray.open_dataset(filtered, engine="netcdf4", decode_cf=decode) as expected:
        found = opened_by_xarray(target, decode_cf=decode)
        assert set(found.variables) == set(expected.variables)
        for name in expected.variables:
            if name == "strings":
                continue  # fixed length in pure V2, numpy's strings in V3
            theirs, ours = expected[name], found[name]
            assert ours.dtype == theirs.dtype, name
            assert ours.dims == theirs.dims
            assert {n for n in ours.attrs if not n.startswith("_nczarr")} == theirs.attrs.keys()
            np.testing.assert_array_equal(ours.values, theirs.values)


@pytest.mark.parametrize(
    ("engine", "form"),
    [
        ("netcdf4", "NETCDF4"),
        ("h5netcdf", "NETCDF4"),
        ("netcdf4", "NETCDF3_CLASSIC"),
        ("netcdf4", "NETCDF3_64BIT"),
    ],
)
def test_files_of_xarray(run, tmp_path, engine, form):
    pytest.importorskip({"netcdf4": "netCDF4"}.get(engine, engine))
    times = np.arange("2000-01-01", "2000-01-05", dtype="M8[D]").astype("M8[ns]")
    dataset = xarray.Dataset(
        {"v": (("time", "x"), np.arange(12.0).reshape(4, 3)), "flag": ("x", [True, False, True])},
        coords={"time": times, "x": np.array([1, 2, 3], "i4")},
    )
    encoding = {"v": {"_FillValue": -1.0}}
    dataset.to_netcdf(
        tmp_path / "x.nc", engine=engine, format=form, encoding=encoding, unlimited_dims=["time"]
    )
    target = tmp_path / "x.zarr"
    ran = run("copy", "--verify", tmp_path / "x.nc", f"{target}#mode=nczarr,v3")
    assert ran.code == 0, ran.stderr
    assert "time = UNLIMITED ; // (4 currently)" in run("dump", "-h", f"{target}").text
    found = opened_by_xarray(target)
    for variable in found.variables.values():  # NCZarr's annotations, which xarray shows
        variable.attrs = {k: v for k, v in variable.attrs.items() if not k.startswith("_nczarr")}
    found.attrs.clear()
    xarray.testing.assert_identical(found, dataset)


def test_most_chunks_move_raw(run, filtered, tmp_path):
    ran = run("copy", "--dry-run", "--json", filtered, tmp_path / "x.zarr")
    ways = {v["name"].strip("/"): v["way"] for v in json.loads(ran.text)["variables"]}
    assert {name for name, way in ways.items() if way != "raw"} == {"szip", "strings"}


def test_a_filter_without_a_codec_is_named(run, filtered, tmp_path):
    ran = run("copy", filtered, tmp_path / "x.zarr")
    assert "HDF5 filter 4 (szip) has no Zarr codec and is left out (/szip)" in ran.stderr
    ran = run("copy", "--mode", "nczarr", "-d", "1", filtered, tmp_path / "y.zarr")
    assert (ran.code, ran.stderr.count("\n")) == (0, 1)
    assert "xarray reads these strings as bytes: /strings" in ran.stderr
