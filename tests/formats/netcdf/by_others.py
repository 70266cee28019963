"""Files that h5netcdf, h5py and xarray make."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np


def h5netcdf_types(path: Path) -> None:
    """An enum, a compound, complex numbers, strings, and HDF5's own compressor."""
    import h5netcdf
    import h5py

    with h5netcdf.File(path, "w") as root:
        root.dimensions = {"x": 4, "t": None}
        colours = root.create_enumtype(np.uint8, "colour", {"red": 0, "green": 1, "blue": 2})
        root.create_variable("e", ("x",), colours, fillvalue=0)[:] = [0, 1, 2, 0]
        pair = root.create_cmptype(np.dtype([("a", "i4"), ("b", "f8")]), "pair")
        root.create_variable("p", ("x",), pair)[:] = np.zeros(4, pair.dtype)
        root.create_variable("c", ("x",), "c16")[:] = [1 + 2j, 2, 3, 4j]
        root.create_variable("c8", ("x",), "c8")[:] = [1 + 2j, 2, 3, 4j]
        root.attrs["complex"] = np.complex128(1 + 1j)
        s = root.create_variable("s", ("t",), h5py.string_dtype(), chunks=(2,))
        root.resize_dimension("t", 3)
        s[:] = np.array(["a", "bé", "c"], object)
        root.create_variable("/g/h/deep", ("x",), "i2", fillvalue=-1)[:] = 5


def h5netcdf_invalid(path: Path) -> None:
    """Types of h5py that netCDF does not have by themselves: bool, and half precision."""
    import h5netcdf

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with h5netcdf.File(path, "w", invalid_netcdf=True) as root:
            root.dimensions = {"x": 4}
            root.create_variable("b", ("x",), bool)[:] = [True, False, True, True]
            root.create_variable("h", ("x",), "f2")[:] = [1, 2, 3, 4]
            root.create_variable("v", ("x",), "f4")[:] = 1
            root.attrs["flag"] = True


def h5py_left_out(path: Path) -> None:
    """References without dimensions: ncz invents none for omitted variables."""
    import h5py

    with h5py.File(path, "w") as file:
        file["v"] = np.arange(3.0)
        file["b"] = np.array([file["v"].ref] * 2, h5py.ref_dtype)
        file["refs"] = np.array([file["v"].ref] * 5, h5py.ref_dtype)
        file["v"].attrs["target"] = file["v"].ref


def h5py_layouts(path: Path) -> None:
    """Compact, contiguous and chunked data, a user block, hard and soft links, empty attributes."""
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        kind, space = h5py.h5t.py_create(np.dtype(">f8")), h5py.h5s.create_simple((4,))
        compact = h5py.h5d.create(file.id, b"compact", kind, space, properties)
        compact.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(4, dtype=">f8"))
        file["contiguous"] = np.arange(4, dtype="<u2")
        file.create_dataset(
            "chunked", data=np.arange(12.0).reshape(3, 4), chunks=(2, 3), fletcher32=True,
            shuffle=True, compression="gzip",
        )  # fmt: skip
        file.create_dataset("records", (0, 4), "f4", maxshape=(None, 4), chunks=(1, 4))
        file["hard"], file["soft"] = file["contiguous"], h5py.SoftLink("/compact")
        file["scalar"], file["text"] = np.float32(1.5), "héé"
        attributes = file["contiguous"].attrs
        attributes["empty"] = np.array([], "i4")
        attributes["null"] = h5py.Empty("f4")
        attributes["big"] = np.array([1, 2], ">f4")
        attributes["fixed"] = np.array([b"a", b"bc"], "S2")
        attributes["texts"] = ["a", "bc"]


def _by_version(path: Path, oldest: str, newest: str) -> None:
    import h5py

    with h5py.File(path, "w", libver=(oldest, newest), track_order=True) as file:
        for name in "zyx":
            file.create_dataset(name, data=np.arange(6.0), chunks=(2,), maxshape=(None,))
        file["x"].attrs["b"] = 1
        file["x"].attrs["a"] = "t"


def h5py_earliest(path: Path) -> None:
    """The oldest form of HDF5's structures."""
    _by_version(path, "earliest", "v110")


def h5py_latest(path: Path) -> None:
    """The newest form that netCDF-C of Debian reads."""
    _by_version(path, "v110", "v110")


def _dataset() -> Any:
    import xarray

    random = np.random.default_rng(0)
    return xarray.Dataset(
        {
            "t2m": (
                ("time", "lat", "lon"),
                280 + random.integers(-500, 500, (3, 4, 5)) / 100,
                {"units": "K", "standard_name": "air_temperature"},
            ),
            "text": ("lat", np.array(["a", "bb", "ccc", "é"], object)),
            "bytes": ("lat", np.array(["a", "bb", "ccc", "dd"], "S3")),
            "fixed": ("lat", np.array(["a", "bb", "ccc", "é"], "U3")),
            "flag": ("lon", [True, False, True, True, False]),
            "step": ("time", np.array([1, 2, 3], "m8[D]").astype("m8[ns]")),
        },
        coords={
            "time": np.arange("2000-01-01", "2000-01-04", dtype="M8[D]").astype("M8[ns]"),
            "lat": [1.0, 2, 3, 4],
            "lon": np.arange(5, dtype="i4"),
            "member": np.int32(7),
        },
        attrs={"title": "text", "numbers": np.array([1, 2], "i4")},
    )


_PACKED = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32767}
_CHUNKED = {"zlib": True, "complevel": 4, "chunksizes": (1, 4, 5)}
_TIME = {"units": "hours since 1990-01-01", "dtype": "f8"}


def _by_xarray(path: Path, engine: str, form: str) -> None:
    packed = _PACKED if form.startswith("NETCDF3") else _PACKED | _CHUNKED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of strings in the classic model
        _dataset().to_netcdf(
            path, engine=engine, format=form, encoding={"t2m": packed, "time": _TIME},
            unlimited_dims=["time"],
        )  # fmt: skip


def xarray_netcdf4(path: Path) -> None:
    """Packed numbers, dates, durations, bools and texts, written with netCDF4."""
    _by_xarray(path, "netcdf4", "NETCDF4")


def xarray_h5netcdf(path: Path) -> None:
    """The same, written with h5netcdf."""
    _by_xarray(path, "h5netcdf", "NETCDF4")


def xarray_classic_model(path: Path) -> None:
    """The same in the classic model."""
    _by_xarray(path, "netcdf4", "NETCDF4_CLASSIC")


def xarray_classic(path: Path) -> None:
    """The same as a classic file."""
    _by_xarray(path, "netcdf4", "NETCDF3_CLASSIC")


def xarray_offset(path: Path) -> None:
    """The same with 64-bit offsets."""
    _by_xarray(path, "netcdf4", "NETCDF3_64BIT")


def xarray_tree(path: Path) -> None:
    """Groups."""
    import xarray

    inner = xarray.Dataset({"z": ("q", np.array([1, 2, 3], "i4"))})
    xarray.DataTree.from_dict({"/": _dataset()[["flag"]], "/a/b": inner}).to_netcdf(path)


FILES = (
    h5netcdf_types, h5netcdf_invalid, h5py_left_out, h5py_layouts, h5py_earliest, h5py_latest,
    xarray_netcdf4, xarray_h5netcdf, xarray_classic_model, xarray_classic, xarray_offset,
    xarray_tree,
)  # fmt: skip
