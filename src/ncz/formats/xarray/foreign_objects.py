"""Convert objects of pandas and zarr-python, and dictionaries of arrays, to xarray's."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import xarray

from ncz.errors import NczError


def in_xarray(source: Any) -> Any:
    """Return an object as one of xarray; None if it means no dataset.

    A table of pandas has a variable for each column. A dictionary has arrays of numpy by name, or
    what `xarray.Dataset` takes. A store of zarr-python without a path gives stored values.
    """
    package = type(source).__module__.partition(".")[0]
    if package == "xarray":
        return source
    if package == "pandas" and hasattr(source, "to_xarray"):
        return source.to_xarray()
    if isinstance(source, Mapping):
        return _of_arrays(source)
    session = getattr(source, "readonly_session", None)
    if package == "icechunk" and session is not None:
        source = session("main")
    return _of_store(getattr(source, "store", source)) if package in ("zarr", "icechunk") else None


def _of_arrays(arrays: Mapping[Any, Any]) -> xarray.Dataset | None:
    if not arrays or not all(isinstance(name, str) for name in arrays):
        return None
    variables: dict[str, Any] = {}
    for name, value in arrays.items():
        is_array = hasattr(value, "dtype") and not isinstance(value, xarray.DataArray)
        dims = tuple(f"{name}_{axis}" for axis in range(getattr(value, "ndim", 0)))
        variables[name] = (dims, value) if is_array else value
    try:
        return xarray.Dataset(variables)
    except (ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise NczError(f"the dictionary is not a dataset: {reason}") from error


def _of_store(store: Any) -> xarray.DataTree | None:
    if not hasattr(store, "list_dir"):
        return None
    with warnings.catch_warnings():
        # A program can do nothing about a store without consolidated metadata.
        warnings.filterwarnings("ignore", "Failed to open Zarr store with consolidated metadata")
        return xarray.open_datatree(
            store, engine="zarr", mask_and_scale=False, decode_times=False, chunks=None,
            concat_characters=False, decode_coords=False,
        )  # fmt: skip
