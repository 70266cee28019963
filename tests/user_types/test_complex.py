"""Complex numbers: a compound of r and i in netCDF, and a separate data type in Zarr."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ncz
from tests.sampled import paired, share_of

h5py = pytest.importorskip("h5py")
zarr = pytest.importorskip("zarr", reason="zarr is not installed")

values = st.sampled_from(["c8", "c16"]).flatmap(
    lambda dtype: arrays.arrays(
        dtype, st.integers(1, 4), elements=arrays.from_dtype(np.dtype(dtype))
    )
)


@pytest.mark.parametrize("zarr_format", [2, 3])
@given(values)
@settings(max_examples=share_of(50), deadline=None)
def test_they_are_complex_on_all_ways(zarr_format: int, given_values: np.ndarray):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with h5py.File(folder / "a.nc", "w") as file:
            file["c"] = given_values
            file["c"].make_scale("c")
        modes = ["zarr", f"v{zarr_format}"]
        ncz.copy(folder / "a.nc", folder / "a.zarr", modes=modes, notify=lambda _: None)
        stored = zarr.open_group(folder / "a.zarr", mode="r")["c"][...]
        assert stored.dtype == given_values.dtype
        assert stored.tobytes() == given_values.tobytes()
        ncz.copy(folder / "a.zarr#mode=zarr", folder / "b.nc", notify=lambda _: None)
        for file in ("a.nc", "b.nc"):
            with h5py.File(folder / file) as read:
                assert read["c"].dtype == given_values.dtype
                assert read["c"][...].tobytes() == given_values.tobytes()


READ = """
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1], auto_complex=True) as dataset:
    print(dataset["c"][...].tolist())
"""


def test_netcdf4_reads_them(tmp_path: Path):
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    array = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3).create_array(
        "c", shape=(2,), dtype="c16", dimension_names=("x",)
    )
    array[:] = [1 + 2j, 3 - 4j]
    ncz.copy(tmp_path / "a.zarr", tmp_path / "a.nc", notify=lambda _: None)
    # In a separate process: netCDF4 and h5py bring their own libraries of HDF5.
    command = [sys.executable, "-c", READ, str(tmp_path / "a.nc")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout == "[(1+2j), (3-4j)]\n"


@pytest.mark.parametrize("names", [("r", "i"), ("real", "imag")])
@pytest.mark.parametrize("form", ["zarr,v2", "zarr,v3", "nczarr,v2", "nczarr,v3"])
def test_a_compound_keeps_the_names_of_its_fields(
    tmp_path: Path, form: str, names: tuple[str, str]
):
    dtype = np.dtype([(name, "f8") for name in names])
    with h5py.File(tmp_path / "a.nc", "w") as file:
        file["c"] = np.array([(1, 2), (3, 4)], dtype)
        file["c"].make_scale("c")
    ncz.copy(tmp_path / "a.nc", tmp_path / "a.zarr", modes=[form], notify=lambda _: None)
    assert zarr.open_group(tmp_path / "a.zarr", mode="r")["c"][...].tolist() == [1 + 2j, 3 + 4j]
    ncz.copy(tmp_path / "a.zarr", tmp_path / "b.nc", notify=lambda _: None)
    assert f"double {names[0]} ;" in ncz.dump(tmp_path / "b.nc")
    assert ncz.diff(tmp_path / "a.nc", tmp_path / "b.nc") == []


@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
@pytest.mark.parametrize(
    ("mask", "dtype", "options"),
    paired(
        [0, 1 - 2j, complex("nan")],
        ["c8", "c16"],
        [{}, {"audience": ["xarray"]}, {"cloud": True}],
    ),
    ids=str,
)
def test_xarray_opens_zarr_v3_with_their_masks(tmp_path: Path, dtype, mask, options):
    xarray = pytest.importorskip("xarray")
    values = np.array([1, 2j, 3, mask], dtype)
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    array = group.create_array("c", shape=(4,), chunks=(4,), dtype=dtype, fill_value=mask)
    array[:] = values
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    ncz.copy(tmp_path / "a.zarr", tmp_path / "b.nc", notify=lambda _: None)
    modes = [] if options.get("cloud") else ["zarr", "v3"]
    ncz.copy(tmp_path / "b.nc", tmp_path / "c.zarr", modes=modes, notify=lambda _: None, **options)
    with xarray.open_zarr(tmp_path / "c.zarr", consolidated=None) as dataset:
        found = dataset["c"].load().values
    is_value = ~((values == mask) | (np.isnan(values) & np.isnan(mask)))
    np.testing.assert_array_equal(found[is_value], values[is_value])
    ncz.copy(tmp_path / "c.zarr", tmp_path / "d.nc", notify=lambda _: None)
    assert ncz.diff(tmp_path / "b.nc", tmp_path / "d.nc") == []


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
@pytest.mark.parametrize(("dtype", "mask"), [("c8", 2j), ("c16", 2j), ("c8", complex(1, np.inf))])
@pytest.mark.parametrize("options", [{"cloud": True}, {"zarr_format": 2}], ids=["v3", "v2"])
def test_copies_keep_masks_that_xarray_writes_in_zarr_v3(tmp_path: Path, dtype, mask, options):
    xarray = pytest.importorskip("xarray")
    given = xarray.Dataset({"c": ("x", np.array([1, mask, 3], dtype))})
    encoding = {"c": {"_FillValue": np.dtype(dtype).type(mask)}}
    given.to_zarr(tmp_path / "a.zarr", zarr_format=3, encoding=encoding)
    ncz.copy(tmp_path / "a.zarr", tmp_path / "b.zarr", consolidated=True, **options)
    for name, engine in (("a", "ncz"), ("b", "zarr"), ("b", "ncz")):
        with xarray.open_dataset(tmp_path / f"{name}.zarr", engine=engine) as dataset:
            values = dataset["c"].load().values
        assert values.dtype == dtype
        np.testing.assert_array_equal(values, [1, complex("nan+nanj"), 3])


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_parts_of_pure_zarr_lose_nothing(tmp_path: Path, zarr_format: int):
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=zarr_format)
    named = {"dimension_names": ["x"]} if zarr_format == 3 else {}
    array = group.create_array("c", shape=(3,), chunks=(3,), dtype="c8", **named)
    array[:] = [1, 2j, 3]
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    ncz.copy(tmp_path / "a.zarr", tmp_path / "b.zarr", isel={"x": slice(1, 3)})
    found = zarr.open_group(tmp_path / "b.zarr", mode="r")["c"]
    assert found.dtype == "c8"
    assert found[:].tolist() == [2j, 3]
