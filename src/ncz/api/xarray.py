"""The engine "ncz" of xarray: an entry point of the group ``xarray.backends``.

xarray uses it only on request, by ``engine="ncz"``. Paths and URLs are as for `ncz.open`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from errno import ENOENT
from typing import Any

import xarray
from xarray.backends import BackendEntrypoint, StoreBackendEntrypoint

from ncz.api.dataset import Dataset
from ncz.api.dataset import open as open_dataset
from ncz.api.group import Group, NameMissing, group_of, name_missing
from ncz.api.variable import Variable
from ncz.api.xarray_store import GroupStore
from ncz.formats.kinds import TEXT_SUFFIXES
from ncz.zmap.location import Path


class NczBackendEntrypoint(BackendEntrypoint):  # type: ignore[misc]
    """Opens everything that ncz reads."""

    description = "Open Zarr, NCZarr, netCDF files and reference sets using ncz in Xarray"
    supports_groups = True
    open_dataset_parameters = (
        "filename_or_obj", "mask_and_scale", "decode_times", "concat_characters", "decode_coords",
        "drop_variables", "use_cftime", "decode_timedelta", "group", "consolidated",
        "storage_options", "zarr_format",
    )  # fmt: skip

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Return whether an object is the path of CDL text, which no engine of xarray opens.

        The others open the same files as before ncz was installed.
        """
        is_path = isinstance(filename_or_obj, str | os.PathLike)
        return is_path and os.fspath(filename_or_obj).lower().endswith(TEXT_SUFFIXES)

    def open_dataset(
        self,
        filename_or_obj: Path | Group | Variable,
        *,
        drop_variables: str | Iterable[str] | None = None,
        group: str | None = None,
        consolidated: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
        zarr_format: int | None = None,
        **decoding: Any,
    ) -> xarray.Dataset:
        """Open the variables of one group.

        Parameters
        ----------
        filename_or_obj
            A path or a URL, as for `ncz.open`, or an open group or variable, which stays open.
        drop_variables
            Names of variables that are left out.
        group
            The group; by default the root.
        consolidated
            Whether to use consolidated metadata, as for `ncz.open`.
        storage_options
            Options of a file system of fsspec, as for `ncz.open`.
        zarr_format
            Has no effect: the version of Zarr is found.
        **decoding
            How xarray decodes values, as for `xarray.open_dataset`.
        """
        with _open(filename_or_obj, consolidated, storage_options) as dataset:
            store = GroupStore(_group(dataset, group), _close_of(dataset, filename_or_obj))
            return _decode(store, drop_variables, decoding)

    def open_groups_as_dict(
        self,
        filename_or_obj: Path | Group | Variable,
        *,
        drop_variables: str | Iterable[str] | None = None,
        group: str | None = None,
        consolidated: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
        zarr_format: int | None = None,
        **decoding: Any,
    ) -> dict[str, xarray.Dataset]:
        """Open a group and all groups below it, by their paths from it."""
        with _open(filename_or_obj, consolidated, storage_options) as dataset:
            top = _group(dataset, group)
            close = _close_of(dataset, filename_or_obj)
            return {
                path: _decode(GroupStore(each, close), drop_variables, decoding)
                for path, each in _walk(top, "/")
            }

    def open_datatree(
        self, filename_or_obj: Path | Group | Variable, **options: Any
    ) -> xarray.DataTree:
        """Open a group and all groups below it as a tree; takes the options of `open_dataset`."""
        groups = self.open_groups_as_dict(filename_or_obj, **options)
        tree = xarray.DataTree.from_dict(groups)
        tree.set_close(groups["/"].close)
        return tree


@contextlib.contextmanager
def _open(
    source: Path | Group | Variable,
    consolidated: bool | None,
    storage_options: Mapping[str, Any] | None,
) -> Iterator[Group]:
    """Open a dataset, and close it again if it cannot be shown in xarray.

    For an open variable, its group is opened.
    """
    if isinstance(source, Variable):
        yield group_of(source)
        return
    if isinstance(source, Group):
        yield source
        return
    options: Any = {} if storage_options is None else {"storage_options": storage_options}
    dataset = open_dataset(source, consolidated=consolidated, **options)
    try:
        yield dataset
    except BaseException:
        dataset.close()
        raise


def _close_of(dataset: Group, source: Path | Group | Variable) -> Callable[[], None] | None:
    """Return a function that closes a dataset if the engine opened it; None for other datasets."""
    return dataset.close if isinstance(dataset, Dataset) and dataset is not source else None


def _group(dataset: Group, path: str | None) -> Group:
    if not isinstance(path, str | None):
        raise ValueError(f"a group must be a string, not {path!r}")
    if path is None or not path.strip("/"):
        return dataset
    member = dataset.get(path)
    if isinstance(member, Group):
        return member
    place = dataset.filepath()
    if member is not None:
        raise GroupMissing(f"{path!r} is a variable, not a group", place)
    missing = name_missing(path, dataset, place)
    raise GroupMissing(missing.message, place, missing.hint)


class GroupMissing(NameMissing, FileNotFoundError):
    """A group that does not exist: an `OSError`, as for the engine netcdf4."""

    errno = ENOENT


def _walk(group: Group, path: str) -> Iterable[tuple[str, Group]]:
    yield path, group
    for name, below in group.groups.items():
        yield from _walk(below, f"{path.rstrip('/')}/{name}")


def _decode(
    store: GroupStore, drop_variables: str | Iterable[str] | None, decoding: dict[str, Any]
) -> xarray.Dataset:
    decoded = StoreBackendEntrypoint().open_dataset(
        store, drop_variables=drop_variables, **decoding
    )
    result: xarray.Dataset = decoded
    return result
