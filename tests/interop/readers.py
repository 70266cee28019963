"""xarray and zarr-python in this process, as readers of a store."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tests.interop.plain import plain
from tests.interop.seen import Seen, SeenArray

Look = Literal["xarray", "xarray-raw", "zarr-3"]

LOOKS: tuple[Look, ...] = ("xarray", "xarray-raw", "zarr-3")
"""Decoded as by default; as stored, with the mask as an attribute; and as zarr-python has it."""


_DECODERS = (
    "mask_and_scale", "decode_times", "decode_timedelta", "decode_coords", "concat_characters",
)  # fmt: skip
"""Whether xarray decodes; ``decode_cf`` is without effect on ``open_groups``."""


def read(look: Look, store: Path) -> Seen:
    """Return the view of a reader, or raise its error if it does not open the store."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of types without a specification, and of zarr's plans
        if look == "zarr-3":
            return read_zarr(store)
        return read_xarray(store, decoded=look == "xarray")


def read_xarray(store: Path, *, decoded: bool = True) -> Seen:
    """Through ``xarray.open_datatree``, decoded by default or as stored."""
    import xarray

    arrays: dict[str, SeenArray] = {}
    attributes: dict[str, Any] = {}
    with _opened_zip(store) as opened:
        options: dict[str, Any] = {} if decoded else dict.fromkeys(_DECODERS, False)
        # One group at a time: a tree demands the same lengths as in the groups above.
        groups = xarray.open_groups(
            opened, engine="zarr", consolidated=False, zarr_format=zarr_format(store), **options
        )
        for group, dataset in groups.items():
            fqn = group.rstrip("/")
            attributes[fqn or "/"] = _visible(dataset.attrs)
            for name, variable in dataset.variables.items():
                path = f"{fqn}/{name}"
                dimensions = tuple(str(d) for d in variable.dims)
                arrays[path] = SeenArray(
                    dimensions, plain(variable.values), decoded and name in dataset.coords
                )
                attributes[path] = _visible(variable.attrs)
            dataset.close()
    return Seen(arrays, attributes)


def read_zarr(store: Path) -> Seen:
    """Through zarr-python: values as stored; no name of a dimension is an empty one."""
    import zarr

    arrays: dict[str, SeenArray] = {}
    attributes: dict[str, Any] = {}
    with _opened_zip(store) as opened:
        root = zarr.open_group(opened, mode="r", use_consolidated=False)
        attributes["/"] = _visible(root.attrs)
        for name, node in root.members(max_depth=None):
            visible = _visible(node.attrs)
            visible.pop("_FillValue", None)  # which xarray keeps in `fill_value` in V2
            attributes[f"/{name}"] = visible
            if isinstance(node, zarr.Array):
                noted = node.attrs.get("_ARRAY_DIMENSIONS")
                names: Any = getattr(node.metadata, "dimension_names", noted) or [""] * node.ndim
                arrays[f"/{name}"] = SeenArray(
                    tuple(n or "" for n in names), plain(np.asarray(node[...]))
                )
    return Seen(arrays, attributes)


@contextlib.contextmanager
def _opened_zip(store: Path) -> Iterator[Any]:
    """Return the argument for zarr-python: a path, or a store of a zip file."""
    if store.suffix != ".zip":
        yield str(store)
        return
    import zarr

    with zarr.storage.ZipStore(store, mode="r") as opened:
        yield opened


def zarr_format(store: Path) -> Literal[2, 3]:
    """The version of Zarr that a directory or zip has at its root."""
    if store.suffix != ".zip":
        return 3 if (store / "zarr.json").exists() else 2
    import zipfile

    with zipfile.ZipFile(store) as opened:
        return 3 if "zarr.json" in opened.namelist() else 2


def _visible(attributes: Any) -> dict[str, Any]:
    """Attributes without the attributes of the format."""
    return {
        str(name): value
        for name, value in attributes.items()
        if not str(name).lower().startswith("_nc") and name != "_ARRAY_DIMENSIONS"
    }


def told(error: BaseException, store: Path) -> str:
    """The first line of an error, without the folder of the store."""
    lines = str(error).replace(f"{store.parent}/", "").strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:120]}" if lines else type(error).__name__
