"""Functions of zarr-python that create arrays and groups, and write them immediately."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ncz.api.dataset import open as open_any
from ncz.api.group import Group
from ncz.api.places import new_in_memory, place_of
from ncz.api.variable import Variable
from ncz.errors import FormatError, NczError, StoreExists
from ncz.late import numpy as np
from ncz.zmap.foreign_stores import with_storage_options
from ncz.zmap.location import location_of

if TYPE_CHECKING:
    from ncz.api.new_dataset import NewGroup

_NEW = ("w", "w-", "x")
"""Modes that create a store."""

_OF_ZARR = frozenset({
    "order", "config", "write_data", "serializer", "synchronizer", "cache_metadata", "cache_attrs",
    "chunk_store", "read_only", "object_codec", "write_empty_chunks", "meta_array",
    "chunk_key_encoding", "dimension_separator", "storage_options", "use_consolidated",
})  # fmt: skip
"""Options of zarr-python that do not change the stored data."""


def open_group(
    store: Any = None,
    mode: str = "r",
    *,
    path: str | None = None,
    zarr_format: int | None = None,
    attributes: Mapping[str, Any] | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Group:
    """Open a group, a new one with the modes "w", "w-" and "x", and with "a" if it is missing."""
    place = _place(store, storage_options)
    if mode not in _NEW and (mode != "a" or _exists(place)):
        given = {name: each for name, each in options.items() if name not in _OF_ZARR}
        dataset = open_any(place, cast(Any, mode), **given)
    else:
        _write_empty(place, zarr_format, overwrite=mode == "w")
        dataset = open_any(place, "r+")
        _forget_unnamed_store(store, dataset, place)
    found: Group = dataset
    if path and path.strip("/"):
        found = dataset.require_group(path) if mode != "r" and mode != "r+" else dataset[path]
    if attributes:
        found.attrs.update(attributes)
    return found


def group(
    store: Any = None, *, path: str | None = None, overwrite: bool = False, **options: Any
) -> Group:
    """Open a group, which is created if it is missing."""
    return open_group(store, "w" if overwrite else "a", path=path, **options)


def create_group(
    store: Any, *, path: str | None = None, overwrite: bool = False, **options: Any
) -> Group:
    """Create a group. Raises `StoreExists` if there is a store."""
    return open_group(store, "w" if overwrite else "w-", path=path, **options)


def create(
    shape: Sequence[int] | int | None = None,
    *,
    store: Any = None,
    path: str | None = None,
    mode: str | None = None,
    overwrite: bool = False,
    zarr_format: int | None = None,
    compressor: Any = "auto",
    compressors: Any = "auto",
    filters: Any = "auto",
    chunk_shape: Sequence[int] | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Variable:
    """Create an array: in a group of a store, or as the root of a store if it has no path.

    Parameters
    ----------
    shape
        The shape (default: the shape of the option ``data``).
    store
        The path or URL of the store (default: a store in memory).
    path
        The path of the array.
    mode, overwrite
        Whether an existing array or group is replaced.
    zarr_format
        The version of Zarr of a new store; by default 3.
    compressor, compressors, filters
        Codecs of zarr-python or numcodecs.
    chunk_shape
        The shape of the chunks.
    storage_options
        Options of a URL, as in fsspec.
    **options
        Options of the method ``create_array`` of a group.

    Returns
    -------
    Variable
        The array, which can be changed.
    """
    place = _place(store, storage_options)
    replaces = overwrite or mode == "w"
    given = {name: each for name, each in options.items() if name not in _OF_ZARR}
    codecs = [
        codec
        for several in (filters, compressors, compressor)
        if several not in ("auto", None, ())
        for codec in (several if isinstance(several, list | tuple) else [several])
    ]
    given |= {"shape": shape, "compressors": codecs or "auto"}
    if chunk_shape is not None:
        given["chunks"] = chunk_shape
    if path and path.strip("/"):
        root = open_group(place, "a", zarr_format=zarr_format)
        above, _, name = path.strip("/").rpartition("/")
        owner: Any = root.require_group(above) if above else root
        array: Variable = owner.create_array(name, overwrite=replaces, **given)
        return array
    if not replaces and _exists(place):
        raise StoreExists("already exists", place, "use overwrite=True to replace it")
    _write_array(place, given, zarr_format, overwrite=replaces)
    found = open_array(place, "r+")
    _forget_unnamed_store(store, found, place)
    return found


def create_array(store: Any, *, name: str | None = None, **options: Any) -> Variable:
    """Create an array, as zarr-python does; see `create`."""
    return create(options.pop("shape", None), store=store, path=name, **options)


def open_array(
    store: Any = None, mode: str = "r", *, path: str = "", shape: Any = None, **options: Any
) -> Variable:
    """Open an array of a store; with a shape, the modes "w", "w-" and "a" create it."""
    if mode in _NEW or (mode == "a" and shape is not None and not _has(store, path)):
        return create(shape, store=store, path=path, mode=mode, **options)
    place = _place(store, options.pop("storage_options", None))
    own = {name: each for name, each in options.items() if name not in _ONLY_NEW}
    dataset = open_any(place, cast(Any, mode), **own)
    found = dataset[path] if path.strip("/") else dataset
    if isinstance(found, Variable):
        return found
    if isinstance(found, Group) and len(found.variables) == 1:
        return next(iter(found.variables.values()))
    hint = "use ncz.open(...)['NAME']"
    raise FormatError("this is a group, not an array", dataset.filepath(), hint)


_ONLY_NEW = _OF_ZARR | {"chunks", "dtype", "fill_value", "zarr_format"}
"""Options of an array that need not be said of one that exists."""


def zeros(shape: Any, **options: Any) -> Variable:
    """Create an array of zeros."""
    return full(shape, 0, **options)


def ones(shape: Any, **options: Any) -> Variable:
    """Create an array of ones."""
    return full(shape, 1, **options)


def empty(shape: Any, **options: Any) -> Variable:
    """Create an array without values, which are zeros until they are written."""
    return full(shape, 0, **options)


def full(shape: Any, fill_value: Any, **options: Any) -> Variable:
    """Create an array of one value."""
    return create(shape, fill_value=fill_value, **{"dtype": "f8", **options})


def zeros_like(a: Any, **options: Any) -> Variable:
    """Create an array of zeros with the shape, the dtype and the chunks of another."""
    return full_like(a, fill_value=0, **options)


def ones_like(a: Any, **options: Any) -> Variable:
    """Create an array of ones with the shape, the dtype and the chunks of another."""
    return full_like(a, fill_value=1, **options)


def empty_like(a: Any, **options: Any) -> Variable:
    """Create an array without values, with the shape, the dtype and the chunks of another."""
    return full_like(a, **{"fill_value": 0, **options})


def full_like(a: Any, **options: Any) -> Variable:
    """Create an array of one value with the shape, the dtype and the chunks of another."""
    like = a if hasattr(a, "shape") and hasattr(a, "dtype") else np.asarray(a)
    own = {"dtype": like.dtype, "chunks": getattr(like, "chunks", None)}
    return create(like.shape, **{**own, **options})


def array(data: Any, **options: Any) -> Variable:
    """Create an array of values."""
    values = np.asarray(data)
    return create(values.shape, data=values, **{"chunks": getattr(data, "chunks", None), **options})


def from_array(store: Any, *, data: Any, name: str | None = None, **options: Any) -> Variable:
    """Create an array of values in a store."""
    given = {key: each for key, each in options.items() if each not in ("keep", "auto")}
    return array(data, store=store, path=name, **given)


def save_array(store: Any, arr: Any, *, path: str | None = None, **options: Any) -> None:
    """Write values as an array of a store, which is replaced."""
    array(arr, store=store, path=path, overwrite=True, **options)


def save_group(store: Any, *args: Any, path: str | None = None, **arrays: Any) -> None:
    """Write several arrays into a store; those without names are ``arr_0``, ``arr_1``, ..."""
    options = {
        name: arrays.pop(name) for name in ("zarr_format", "storage_options") if name in arrays
    }
    made: Any = open_group(store, "a", path=path, **options)
    for name, values in {**{f"arr_{at}": each for at, each in enumerate(args)}, **arrays}.items():
        made.create_array(name, data=np.asarray(values), overwrite=True)


def save(store: Any, *args: Any, **options: Any) -> Any:
    """Write arrays into a store, as zarr-python does, or copy a dataset to a target."""
    from ncz.commands.copy.command import copy

    if args and not all(hasattr(each, "__array__") for each in args):
        return copy(store, *args, **options)
    is_single = len(args) == 1 and not any(hasattr(each, "__array__") for each in options.values())
    return save_array(store, *args, **options) if is_single else save_group(store, *args, **options)


def _place(store: Any, storage_options: Mapping[str, Any] | None) -> str:
    """Return the path or the URL of a store; a new one in memory for None."""
    if store is None:
        return new_in_memory("array")
    found = place_of(store)
    if found is None:
        raise TypeError(f"a path or a URL of a store is expected, not {type(store).__name__}")
    is_typed = isinstance(store, str | bytes | os.PathLike)
    return with_storage_options(found, storage_options or {}) if is_typed else found


def _forget_unnamed_store(store: Any, member: Group | Variable, place: str) -> None:
    """Remove a store in memory that has no name when nothing uses it any more."""
    if store is None:
        from ncz.zmap.memory import STORES

        weakref.finalize(member._handle, STORES.pop, location_of(place).path, None)


def _exists(place: str) -> bool:
    """Return whether a store or something else is at a place."""
    if "://" not in place:
        return os.path.lexists(location_of(place).path)
    try:
        with open_any(place):
            return True
    except NczError:
        return False


def _has(store: Any, path: str) -> bool:
    """Return whether a store has an array at a path."""
    place = _place(store, None)
    if not _exists(place):
        return False
    with open_any(place) as dataset:
        return not path.strip("/") or path in dataset


def _modes(place: str, zarr_format: int | None) -> list[str]:
    """Return the modes of a new store; none for a file."""
    from ncz.formats.create_options import AS_DEFAULT
    from ncz.formats.opening import target_format

    is_store = target_format(location_of(place), AS_DEFAULT).is_stored_in_zmap
    return ["zarr", f"v{zarr_format or 3}"] if is_store else []


def _write_empty(place: str, zarr_format: int | None, *, overwrite: bool) -> None:
    """Write a store with an empty root group."""
    from ncz.api.new_dataset import create as begin

    begin(place, overwrite=overwrite, consolidated=False, modes=_modes(place, zarr_format)).close()


def _write_array(
    place: str, options: Mapping[str, Any], zarr_format: int | None, *, overwrite: bool
) -> None:
    """Write a store whose root is an array."""
    from ncz.api.new_dataset import create as begin
    from ncz.commands.copy.command import copy
    from ncz.zmap.memory import STORES

    modes = _modes(place, zarr_format)
    name = location_of(place).dataset_name() or "array"
    draft = new_in_memory("draft") if modes else place
    made: NewGroup
    with begin(draft, overwrite=overwrite, modes=modes) as made:
        made.create_array(name, **options)
    if modes:
        key, prefix = location_of(draft).path, f"{name}/"
        objects = STORES.pop(key)
        STORES[key] = {
            each.removeprefix(prefix): data
            for each, data in objects.items()
            if each.startswith(prefix)
        }
        copy(draft, place, verbatim=True, overwrite=overwrite)
        del STORES[key]
