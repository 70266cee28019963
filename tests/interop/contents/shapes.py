"""Shapes, coordinates, groups, attributes, and the layout of chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.interop.contents.writing import Version, by_xarray


def _dataset(*parts: Any, **more: Any) -> Any:
    import xarray

    return xarray.Dataset(*parts, **more)


def scalars() -> Any:
    """Shape (), of each kind."""
    return _dataset(
        {
            "i": ((), np.int32(0)),
            "f": ((), np.float64(2.5)),
            "b": ((), np.True_),
            "s": ((), "text"),
            "t": ((), np.datetime64("2000-01-01", "ns")),
            "crs": ((), np.int32(0), {"grid_mapping_name": "latitude_longitude"}),
        }
    )


def empty() -> Any:
    """Dimensions of length 0."""
    return _dataset(
        {
            "i": ("none", np.zeros(0, "i4")),
            "f": (("x", "none"), np.zeros((2, 0))),
            "s": ("none", np.zeros(0, "O")),
            "v": ("x", np.ones(2)),
        }
    )


def coordinates() -> Any:
    """Two-dimensional, scalar and text coordinates in addition to indexes."""
    lat = np.array([[50.0, 51.0], [50.5, 51.5], [51.0, 52.0]])
    return _dataset(
        {"t": (("time", "y", "x"), np.arange(6.0).reshape(1, 3, 2), {"units": "K"})},
        coords={
            "x": np.array([0, 10]),
            "y": ("y", np.array([0.0, 0.5, 1.0], "f4")),
            "lat": (("y", "x"), lat, {"units": "degrees_north"}),
            "time": ("time", np.array(["2000-01-01"], "M8[ns]")),
            "height": ((), 2.0),
            "name": ("y", ["a", "bb", ""]),
        },
    )


def several_lengths() -> Any:
    """Chunks that are larger than the shape, and clipped edges."""
    return _dataset(
        {
            "large": (("y", "x"), np.arange(15, dtype="i2").reshape(5, 3)),
            "clipped": (("y", "x"), np.arange(15, dtype="f4").reshape(5, 3)),
        }
    )


def groups(store: Path, version: Version, *, consolidated: bool = False) -> None:
    """A tree: a group that inherits a coordinate, and a group that has one."""
    import xarray

    tree = xarray.DataTree.from_dict(
        {
            "/": _dataset(coords={"x": [0, 1]}, attrs={"title": "tree"}),
            "/fine": _dataset({"v": ("x", np.array([1.5, np.nan]))}),
            "/fine/finer": _dataset({"w": ("z", np.arange(3))}, attrs={"level": 2}),
            "/other": _dataset({"w": ("z", np.arange(4, dtype="u1"))}),
            "/bare": _dataset(attrs={"note": "no variables"}),
        }
    )
    tree.to_zarr(store, mode="w", zarr_format=version, consolidated=consolidated)


def consolidated_groups(store: Path, version: Version) -> None:
    """The same tree with consolidated metadata."""
    groups(store, version, consolidated=True)


def attributes() -> Any:
    """Every form of attribute that JSON has."""
    odd = {
        "text": "words",
        "unicode": "Ørland 日本",
        "empty": "",
        "number": 3,
        "double": 2.5,
        "large": 2**40,
        "list": [1, 2, 3],
        "doubles": [0.5, 1.5],
        "one": [7],
        "texts": ["a", "b"],
        "json": '{"a": 1}',
        "nan": float("nan"),
        "infinity": float("inf"),
        "nans": [1.0, float("nan")],
    }
    return _dataset({"v": ("x", np.arange(2), odd)}, attrs=odd)


def nested_attributes() -> Any:
    """Attributes that netCDF has no type for."""
    odd = {
        "object": {"type": "Point", "coordinates": [1.5, 2]},
        "nested": [[1, 2], [3, 4]],
        "mixed": [1, "a", None],
        "true": True,
        "null": None,
        "none": [],
    }
    return _dataset({"v": ("x", np.arange(2), odd)}, attrs=odd)


def consolidated() -> Any:
    """Two arrays under consolidated metadata."""
    return _dataset({"v": ("x", np.arange(3.0))}, coords={"x": [0, 1, 2]}, attrs={"title": "t"})


def _grid() -> Any:
    return _dataset({"v": (("y", "x"), np.arange(24, dtype="i4").reshape(4, 6))})


def nested_keys(store: Path, version: Version) -> None:
    """Indices of chunks with a slash between them in V2, with a dot in V3."""
    import zarr

    group = zarr.open_group(store, mode="w", zarr_format=version)
    values = np.arange(24, dtype="i4").reshape(4, 6)
    names: dict[str, Any] = {"attributes": {"_ARRAY_DIMENSIONS": ["y", "x"]}}
    if version == 3:
        names = {"dimension_names": ["y", "x"]}
    keys = {"name": "v2", "separator": "/" if version == 2 else "."}
    array = group.create_array(
        "v", shape=(4, 6), chunks=(2, 3), dtype="i4", chunk_key_encoding=keys, fill_value=0, **names
    )
    array[...] = values


def shards(store: Path, version: Version) -> None:
    """Shards in V3, some of them missing; small chunks in V2."""
    encoding: dict[str, Any] = {"chunks": (2, 2)}
    if version == 3:
        encoding["shards"] = (4, 4)
    by_xarray(_grid, {"v": encoding}, write_empty_chunks=False)(store, version)


KINDS = {
    "scalars": by_xarray(scalars),
    "empty": by_xarray(empty),
    "coordinates": by_xarray(coordinates),
    "groups": groups,
    "attributes": by_xarray(attributes),
    "attributes-nested": by_xarray(nested_attributes),
    "consolidated": consolidated_groups,
    "shards": shards,
    "chunk-separator": nested_keys,
    "chunks-clipped": by_xarray(
        several_lengths, {"large": {"chunks": (8, 8)}, "clipped": {"chunks": (2, 2)}}
    ),
}
