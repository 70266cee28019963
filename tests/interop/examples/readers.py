"""Views of a store through other readers, in the form of `tests.interop.examples.view`."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tests.interop.examples.view import Seen, SeenAttribute, SeenDimension, SeenVariable

WORDS = {
    "i1": "byte", "u1": "ubyte", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint",
    "i8": "int64", "u8": "uint64", "f4": "float", "f8": "double",
}  # fmt: skip

PRIVATE = ("_ARRAY_DIMENSIONS", "_nczarr_", "_NCProperties")
"""Attributes that carry the format, not the data."""


def word_of(dtype: np.dtype[Any]) -> str | None:
    """Return the CDL name of a numeric dtype, or None for text."""
    return WORDS.get(f"{dtype.kind}{dtype.itemsize}")


def read_netcdf4(url: str) -> Seen:
    """Read through netCDF-C, with its own types, dimensions and attributes."""
    import netCDF4

    point_at_plugins()
    seen: dict[str, Any] = {}
    with netCDF4.Dataset(url) as root:
        root.set_auto_maskandscale(False)
        root.set_auto_chartostring(False)
        _netcdf4_group(root, "", seen)
    return seen


def point_at_plugins() -> None:
    """Set the folder of codec plugins that netCDF4 from PyPI contains."""
    import netCDF4

    os.environ.setdefault("HDF5_PLUGIN_PATH", str(Path(netCDF4.__file__).parent / "plugins"))


def _netcdf4_group(group: Any, fqn: str, seen: dict[str, Any]) -> None:
    for name, dimension in group.dimensions.items():
        seen[f"{fqn}#{name}"] = SeenDimension(len(dimension), dimension.isunlimited())
    for name in group.ncattrs():
        seen[f"{fqn}@{name}"] = _netcdf4_attribute(group.getncattr(name))
    for name, variable in group.variables.items():
        path = f"{fqn}/{name}"
        kind = variable.dtype
        word = "string" if kind is str else "char" if kind == "S1" else word_of(np.dtype(kind))
        try:
            values = np.asarray(variable[...])
        except (RuntimeError, IndexError):
            pass  # this variable cannot be read: it is missing from the view
        else:
            seen[path] = SeenVariable(word, variable.dimensions, values)
        for attribute in variable.ncattrs():
            seen[f"{path}@{attribute}"] = _netcdf4_attribute(variable.getncattr(attribute))
    for name, child in group.groups.items():
        _netcdf4_group(child, f"{fqn}/{name}", seen)


def _netcdf4_attribute(value: Any) -> SeenAttribute:
    if isinstance(value, str):
        return SeenAttribute("text", (value,))
    if isinstance(value, list):
        return SeenAttribute("text", tuple(value))
    array = np.atleast_1d(value)
    if array.dtype.kind == "S":
        return SeenAttribute("text", (array.tobytes().decode(),))
    return SeenAttribute(word_of(array.dtype), tuple(array.tolist()))


def read_zarr(path: str, version: Literal[2, 3] = 2) -> Seen:
    """Read through zarr-python: arrays, and attributes as JSON values."""
    with warnings.catch_warnings():
        if version == 3:
            warnings.simplefilter("ignore")  # of codecs and types that no specification has yet
        return _read_zarr(path, version)


def _read_zarr(path: str, version: Literal[2, 3]) -> Seen:
    import zarr

    root = zarr.open_group(path, mode="r", zarr_format=version, use_consolidated=False)
    seen: dict[str, Any] = {}
    _json_attributes(dict(root.attrs), "", seen)
    for name, node in root.members(max_depth=None):
        attributes = dict(node.attrs)
        told = _with_plain_fill(attributes) if version == 3 else attributes
        _json_attributes(told, f"/{name}", seen)
        if isinstance(node, zarr.Array):
            dimensions = attributes.get("_ARRAY_DIMENSIONS")
            if version == 3:
                dimensions = getattr(node.metadata, "dimension_names", None) or ()
            values = np.asarray(node[...])
            seen[f"/{name}"] = SeenVariable(
                word_of(values.dtype), None if dimensions is None else tuple(dimensions), values
            )
    return seen


def _with_plain_fill(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the view without the fill value, which xarray encodes differently in Zarr V3."""
    return {name: value for name, value in attributes.items() if name != "_FillValue"}


def read_xarray(path: str, version: int = 2) -> Seen:
    """Read the stored values through xarray's zarr engine, without CF decoding."""
    import xarray

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # xarray warns of zarr's plans
        groups = xarray.open_groups(
            path,
            engine="zarr",
            mask_and_scale=False,
            decode_times=False,
            decode_coords=False,
            concat_characters=False,
            consolidated=False,
            zarr_format=version,
        )
    seen: dict[str, Any] = {}
    for group, dataset in groups.items():
        fqn = group.rstrip("/")
        with dataset:
            _json_attributes(dataset.attrs, fqn, seen)
            for name, variable in dataset.variables.items():
                dimensions = tuple(str(d) for d in variable.dims)
                values = variable.values
                seen[f"{fqn}/{name}"] = SeenVariable(word_of(values.dtype), dimensions, values)
                # For xarray every Zarr fill_value is a _FillValue; netCDF's is read by the others.
                rest = {k: v for k, v in variable.attrs.items() if k != "_FillValue"}
                _json_attributes(rest, f"{fqn}/{name}", seen)
    return seen


def _json_attributes(attributes: dict[Any, Any], path: str, seen: dict[str, Any]) -> None:
    for name, value in attributes.items():
        if not str(name).startswith(PRIVATE):
            seen[f"{path}@{name}"] = json_attribute(value)


def json_attribute(value: Any) -> SeenAttribute:
    """Convert a JSON value. JSON has only numbers and strings; an object becomes its text."""
    values = value if isinstance(value, list) else [value]
    if values and all(isinstance(v, str) for v in values):
        return SeenAttribute("text", tuple(values))
    if values and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        return SeenAttribute(None, tuple(values))
    return SeenAttribute("text", (json.dumps(value, ensure_ascii=False),))
