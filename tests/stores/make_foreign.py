"""Write the stores in tests/stores/foreign with other programs; run this by hand.

``python tests/stores/make_foreign.py FOLDER``, with zarr-python 3.1.6, xarray 2026.9,
tensorstore 0.1 and zarrs 0.2.3. GDAL 3.6.2 writes the store of GDAL:
``gdal_translate -of Zarr -mo title="by GDAL" -co COMPRESS=ZLIB
-co ARRAY_NAME=band -co BLOCKSIZE=1,2 grid.asc gdal-v2``.
"""

import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import tensorstore
import xarray as xr
import zarr
from zarr.codecs import GzipCodec, TransposeCodec

warnings.simplefilter("ignore")


def by_xarray(path, version):
    """Coordinates, CF-encoded times, strings, a bool, a scalar and no elements at all."""
    dataset = xr.Dataset(
        {
            "t2m": (
                ("time", "y", "station"),
                np.arange(12, dtype="f4").reshape(2, 2, 3) / 4,
                {"units": "K"},
            ),
            "count": (("station",), np.array([1, 2, 3], "i2")),
            "land": (("y",), np.array([True, False])),
            "scalar": ((), np.float64(2.5)),
            "empty": (("none",), np.zeros(0, "i4")),
        },
        coords={
            "time": np.array(["2000-01-01", "2000-01-02T12"], "M8[ns]"),
            "station": ["Exeter", "Ørland", ""],
            "lag": ("time", np.array([1, 36], "m8[h]").astype("m8[ns]")),
        },
        attrs={"title": "by xarray", "levels": [1, 2.5]},
    )
    dataset.to_zarr(path, zarr_format=version, consolidated=True)


def by_datatree(path, version):
    """Groups that inherit a coordinate."""
    tree = xr.DataTree.from_dict(
        {
            "/": xr.Dataset(coords={"x": [1, 2]}),
            "/fine": xr.Dataset({"v": ("x", np.array([1.5, np.nan]))}),
            "/fine/finer": xr.Dataset({"w": ("z", np.arange(3))}),
        }
    )
    tree.to_zarr(path, zarr_format=version)


def by_zarr_python(path, version):
    """The types that netCDF has not, missing chunks, and in V3 shards and axes turned around."""
    group = zarr.open_group(path, mode="w", zarr_format=version)
    group.attrs["made"] = "by zarr-python"
    arrays = {
        "bool": np.array([True, False, True]),
        "c8": np.array([1 + 2j, 0, -1j], "c8"),
        "half": np.array([0.5, 1, 2], "f2"),
        "rec": np.array([(1, 2.5), (2, -1), (3, 0)], [("a", "i2"), ("b", "f8")]),
        "raw": np.array([b"\1\2", b"\3\4", b"\0\0"], "V2"),
        "when": np.array(["1970-01-02", "NaT", "2000-01-01"], "M8[D]"),
        "big": np.array([1, 2, 3], ">i4"),
        "text": np.array(["a", "éé", ""], "U2"),
        "blob": np.array([b"x", b"yz", b""], "S3"),
    }
    for name, values in arrays.items():
        array = group.create_array(name, shape=values.shape, chunks=(2,), dtype=values.dtype)
        array[...] = values
    strings = group.create_array("strings", shape=(3,), chunks=(2,), dtype=str)
    strings[...] = np.array(["one", "", "three"], dtype=object)
    shards = {"shards": (4, 4)} if version == 3 else {}
    grid = group.create_array(
        "grid", shape=(5, 6), chunks=(2, 2), dtype="u1", fill_value=255, **shards
    )
    grid[:4, :3] = np.arange(12).reshape(4, 3)
    if version == 3:
        turned = group.create_array(
            "turned",
            shape=(2, 3),
            chunks=(2, 3),
            dtype="i4",
            filters=[TransposeCodec(order=(1, 0))],
            compressors=[GzipCodec()],
            dimension_names=["row", None],
        )
        turned[...] = np.arange(6).reshape(2, 3)


def as_ome(path, version):
    """An image at two resolutions, its axes named in the group: OME-Zarr 0.4 and 0.5."""
    axes = [
        {"name": "c", "type": "channel"},
        {"name": "y", "type": "space", "unit": "micrometer"},
        {"name": "x", "type": "space"},
    ]
    datasets = [{"path": "0"}, {"path": "1"}]
    image = [{"version": "0.4", "axes": axes, "datasets": datasets, "name": "cells"}]
    group = zarr.open_group(path, mode="w", zarr_format=version)
    group.attrs.update(
        {"multiscales": image}
        if version == 2
        else {"ome": {"version": "0.5", "multiscales": image}}
    )
    for name, length in (("0", 4), ("1", 2)):
        array = group.create_array(name, shape=(1, length, length), chunks=(1, 2, 2), dtype="u2")
        array[...] = np.arange(length * length).reshape(1, length, length)


def by_tensorstore(path, version):
    """TensorStore (C++): it has no groups; shards with their index first, axes turned."""
    zarr.open_group(path, mode="w", zarr_format=version)  # it makes arrays alone
    values = {
        "bool": np.array([True, False, True]),
        "half": np.array([0.5, 1, -2], "f2"),
        "single": np.array([0.1, np.nan, np.inf], "f4"),
        "c16": np.array([1 + 2j, 0, -1j]),
        "u64": np.array([0, 1, 2**64 - 1], "u8"),
        "grid": np.arange(30, dtype="i2").reshape(5, 6),
    }
    for name, array in values.items():
        metadata: dict[str, Any] = {"shape": list(array.shape)}
        if version == 2:
            metadata |= {"chunks": [2] * array.ndim, "dtype": array.dtype.str, "fill_value": None}
            metadata["compressor"] = {"id": "zstd", "level": 3}
            metadata["dimension_separator"] = "/"
            if name == "grid":
                metadata |= {"order": "F", "fill_value": -1}
        else:
            metadata["data_type"] = array.dtype.name
            codecs: list[dict[str, Any]] = [
                {"name": "bytes", "configuration": {"endian": "big"}},
                {"name": "crc32c"},
            ]
            if array.dtype.itemsize == 1:
                codecs[0] = {"name": "bytes"}
            if name == "grid":
                inner = [
                    {"name": "transpose", "configuration": {"order": [1, 0]}},
                    {"name": "bytes", "configuration": {"endian": "little"}},
                    {"name": "zstd", "configuration": {"level": 3}},
                ]
                sharding = {"chunk_shape": [1, 2], "codecs": inner, "index_location": "start"}
                codecs = [{"name": "sharding_indexed", "configuration": sharding}]
                metadata |= {"dimension_names": ["y", "x"], "attributes": {"units": "m"}}
            shape = [2, 4] if name == "grid" else [2]
            grid = {"name": "regular", "configuration": {"chunk_shape": shape}}
            keys = {"name": "v2", "configuration": {"separator": "."}}
            metadata |= {"codecs": codecs, "chunk_grid": grid}
            metadata["chunk_key_encoding"] = keys if name == "half" else {"name": "default"}
        spec = {
            "driver": "zarr" if version == 2 else "zarr3",
            "kvstore": {"driver": "file", "path": str(path / name)},
            "metadata": metadata,
        }
        store = tensorstore.open(spec, create=True).result()
        if name == "grid":
            store[:3, :4] = array[:3, :4]  # the others stay missing
        else:
            store[...] = array


def by_zarrs(path, version):
    """zarrs (Rust): its codecs, with the documents of zarr-python, whose pipeline it replaces."""
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
        group = zarr.open_group(path, mode="w", zarr_format=version)
        values = np.linspace(0, 1, 20, dtype="f4").reshape(4, 5)
        codecs: dict[str, Any] = {
            "blosc": zarr.codecs.BloscCodec(cname="lz4", shuffle="bitshuffle", typesize=4),
            "zstd": zarr.codecs.ZstdCodec(level=5, checksum=True),
            "gzip": GzipCodec(level=9),
        }
        if version == 2:
            codecs = {
                "blosc": numcodecs.Blosc(cname="zstd", clevel=5, shuffle=1),
                "zstd": numcodecs.Zstd(level=3),
                "gzip": numcodecs.GZip(level=2),
            }
        for name, codec in codecs.items():
            array = group.create_array(
                name, shape=(4, 5), chunks=(2, 2), dtype="f4", compressors=[codec]
            )
            array[...] = values
        if version == 3:
            sharded = group.create_array(
                "sharded",
                shape=(4, 5),
                chunks=(2, 1),
                shards=(4, 2),
                dtype="f4",
                filters=[TransposeCodec(order=(1, 0))],
                compressors=[codecs["zstd"], zarr.codecs.Crc32cCodec()],
                dimension_names=["a", "b"],
            )
            sharded[...] = values


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    for version in (2, 3):
        by_xarray(folder / f"xarray-v{version}", version)
        by_datatree(folder / f"datatree-v{version}", version)
        by_zarr_python(folder / f"zarr-python-v{version}", version)
        by_tensorstore(folder / f"tensorstore-v{version}", version)
        by_zarrs(folder / f"zarrs-v{version}", version)
        as_ome(folder / f"ome-v{version}", version)
