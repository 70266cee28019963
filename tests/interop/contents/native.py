"""Contents of zarr-python that xarray does not write: types, codecs, axes, dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import zarr

from tests.interop.contents.writing import Version

Options = dict[str, Any]


def _group(store: Path, version: Version) -> Any:
    return zarr.open_group(store, mode="w", zarr_format=version)


def _named(version: Version, *names: str) -> Options:
    """The names of dimensions, where the format has them."""
    if version == 3:
        return {"dimension_names": list(names)}
    return {"attributes": {"_ARRAY_DIMENSIONS": list(names)}}


def types(store: Path, version: Version) -> None:
    """bool, datetime64 and timedelta64 of Zarr."""
    group = _group(store, version)
    values = {
        "bool": np.array([True, False, True, False]),
        "when": np.array(["1970-01-01", "NaT", "2000-01-01", "2000-01-02"], "M8[s]"),
        "lag": np.array([0, "NaT", 5, 6], "m8[s]"),
    }
    for name, array in values.items():
        fill = None if version == 2 else np.array(0, array.dtype)[()]
        made = group.create_array(
            name,
            shape=(4,),
            chunks=(2,),
            dtype=array.dtype,
            fill_value=fill,
            **_named(version, "x"),
        )
        made[...] = array


def missing_times(store: Path, version: Version) -> None:
    """Missing chunks of times: NaT, by a null fill in V2 and by NaT in V3."""
    group = _group(store, version)
    for name, dtype in (("when", "M8[s]"), ("lag", "m8[s]")):
        fill = None if version == 2 else np.array("NaT", dtype)[()]
        made = group.create_array(
            name, shape=(4,), chunks=(2,), dtype=dtype, fill_value=fill, **_named(version, "x")
        )
        made[:2] = np.array([0, 1], dtype)


def missing_structures(store: Path, version: Version) -> None:
    """Missing chunks of complex, compound and raw elements: a null fill in V2, zero in V3."""
    group = _group(store, version)
    pair = np.dtype([("a", "<i2"), ("b", "<f8")])
    dtypes = {"complex": np.dtype("c16"), "pair": pair, "raw": np.dtype("V3")}
    for name, dtype in dtypes.items():
        fill = None if version == 2 else np.zeros((), dtype)[()]
        made = group.create_array(
            name, shape=(4,), chunks=(2,), dtype=dtype, fill_value=fill, **_named(version, "x")
        )
        made[:2] = np.arange(2 * dtype.itemsize, dtype="u1").view(dtype)[:2]


def variable_bytes(store: Path, version: Version) -> None:
    """Bytes of any length, with a fill that is not empty; a chunk is missing."""
    group = _group(store, version)
    made = group.create_array(
        "blob",
        shape=(4,),
        chunks=(2,),
        dtype=zarr.core.dtype.VariableLengthBytes(),
        fill_value=b"fill",
        **_named(version, "x"),
    )
    made[:2] = np.array([b"ab", b""], "O")


def orders(store: Path, version: Version) -> None:
    """Big-endian elements, and axes turned around: order F in V2, transpose in V3."""
    group = _group(store, version)
    values = np.arange(6).reshape(2, 3)
    turned: Options = {"order": "F"}
    big: Options = {"dtype": ">i4"}
    if version == 3:
        turned = {"filters": [zarr.codecs.TransposeCodec(order=(1, 0))]}
        big = {"dtype": "i4", "serializer": zarr.codecs.BytesCodec(endian="big")}
    for name, options in (("turned", {"dtype": "i4", **turned}), ("big", big)):
        made = group.create_array(
            name, shape=(2, 3), chunks=(2, 2), fill_value=-1, **options, **_named(version, "y", "x")
        )
        made[...] = values


def codecs(store: Path, version: Version) -> None:
    """Compressors and filters of every common kind."""
    group = _group(store, version)
    choices: dict[str, Options] = {
        "none": {"compressors": None},
        "gzip": {"compressors": [zarr.codecs.GzipCodec()]},
        "zstd": {"compressors": [zarr.codecs.ZstdCodec(level=3, checksum=True)]},
        "blosc": {"compressors": [zarr.codecs.BloscCodec(cname="lz4", typesize=4)]},
        "crc": {"compressors": [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()]},
    }
    if version == 2:
        choices = {
            "none": {"compressors": None},
            "zlib": {"compressors": [numcodecs.Zlib(4)]},
            "gzip": {"compressors": [numcodecs.GZip(2)]},
            "zstd": {"compressors": [numcodecs.Zstd(3)]},
            "blosc": {"compressors": [numcodecs.Blosc("lz4", 5, 1)]},
            "lz4": {"compressors": [numcodecs.LZ4()]},
            "shuffle": {"filters": [numcodecs.Shuffle(4)], "compressors": [numcodecs.Zlib(1)]},
            "delta": {"filters": [numcodecs.Delta("<i4")], "compressors": [numcodecs.Zstd(1)]},
        }
    for name, options in choices.items():
        made = group.create_array(
            name,
            shape=(8,),
            chunks=(4,),
            dtype="i4",
            fill_value=-1,
            **options,
            **_named(version, "x"),
        )
        made[...] = np.arange(8)


def pyramid(store: Path, version: Version) -> None:
    """An image at three resolutions: each dimension has three lengths in one group."""
    group = _group(store, version)
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    scales = [{"version": "0.4", "axes": axes, "datasets": [{"path": p} for p in "012"]}]
    group.attrs.update(
        {"multiscales": scales}
        if version == 2
        else {"ome": {"version": "0.5", "multiscales": scales}}
    )
    for name, length in (("0", 8), ("1", 4), ("2", 2)):
        made = group.create_array(
            name,
            shape=(length, length),
            chunks=(2, 2),
            dtype="u2",
            fill_value=0,
            **_named(version, "y", "x"),
        )
        made[...] = np.arange(length * length).reshape(length, length)


def unnamed(store: Path, version: Version) -> None:
    """Arrays whose dimensions have no names, in a group and at its root."""
    group = _group(store, version)
    for name in ("a", "inner/b"):
        made = group.create_array(name, shape=(2, 3), chunks=(2, 3), dtype="i2", fill_value=0)
        made[...] = np.arange(6).reshape(2, 3)


KINDS = {
    "native-types": types,
    "native-missing-times": missing_times,
    "native-missing-structures": missing_structures,
    "native-bytes": variable_bytes,
    "axis-order": orders,
    "codecs": codecs,
    "pyramid": pyramid,
    "unnamed": unnamed,
}
