"""The engine "ncz" of xarray: an entry point of the group ``xarray.backends``.

xarray uses it only if it is asked to, by ``engine="ncz"``. Paths and URLs are those of `ncz.open`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import xarray
from xarray.backends import BackendEntrypoint, StoreBackendEntrypoint

from ncz.api.arguments import Path
from ncz.api.dataset.dataset import Dataset
from ncz.api.dataset.group import Group
from ncz.api.dataset.opening import open as open_dataset
from ncz.api.xarray.store import GroupStore
from ncz.errors import FormatError


class NczBackendEntrypoint(BackendEntrypoint):  # type: ignore[misc]
    """Opens everything that ncz reads."""

    description = "Open Zarr, NCZarr, netCDF files and reference sets using ncz in Xarray"
    supports_groups = True
    open_dataset_parameters = (
        "filename_or_obj", "mask_and_scale", "decode_times", "concat_characters", "decode_coords",
        "drop_variables", "use_cftime", "decode_timedelta", "group", "consolidated",
    )  # fmt: skip

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Return False: xarray's own engines open what they did before ncz was installed."""
        return False

    def open_dataset(
        self,
        filename_or_obj: Path,
        *,
        drop_variables: str | Iterable[str] | None = None,
        group: str | None = None,
        consolidated: bool | None = None,
        **decoding: Any,
    ) -> xarray.Dataset:
        """Open the variables of one group.

        Parameters
        ----------
        filename_or_obj
            A path or a URL, as for `ncz.open`.
        drop_variables
            Names of variables that are left out.
        group
            The group; by default the root.
        consolidated
            Whether to use consolidated metadata, as for `ncz.open`.
        **decoding
            How xarray decodes values, as for `xarray.open_dataset`.
        """
        with _opened(filename_or_obj, consolidated) as dataset:
            store = GroupStore(_group(dataset, group), dataset.close)
            return _decoded(store, drop_variables, decoding)

    def open_groups_as_dict(
        self,
        filename_or_obj: Path,
        *,
        drop_variables: str | Iterable[str] | None = None,
        group: str | None = None,
        consolidated: bool | None = None,
        **decoding: Any,
    ) -> dict[str, xarray.Dataset]:
        """Open a group and all groups below it, by their paths from it."""
        with _opened(filename_or_obj, consolidated) as dataset:
            top = _group(dataset, group)
            return {
                path: _decoded(GroupStore(each, dataset.close), drop_variables, decoding)
                for path, each in _walk(top, "/")
            }

    def open_datatree(self, filename_or_obj: Path, **options: Any) -> xarray.DataTree:
        """Open a group and all groups below it as a tree; options are those of `open_dataset`."""
        groups = self.open_groups_as_dict(filename_or_obj, **options)
        tree = xarray.DataTree.from_dict(groups)
        tree.set_close(groups["/"].close)
        return tree


@contextlib.contextmanager
def _opened(source: Path, consolidated: bool | None) -> Iterator[Dataset]:
    """Open a dataset, and close it again if it cannot be shown in xarray."""
    dataset = open_dataset(source, consolidated=consolidated)
    try:
        yield dataset
    except BaseException:
        dataset.close()
        raise


def _group(dataset: Dataset, path: str | None) -> Group:
    if path is None or not path.strip("/"):
        return dataset
    found = dataset[path]
    if not isinstance(found, Group):
        raise FormatError(f"{path!r} is a variable, not a group", dataset.source)
    return found


def _walk(group: Group, path: str) -> Iterable[tuple[str, Group]]:
    yield path, group
    for name, below in group.groups.items():
        yield from _walk(below, f"{path.rstrip('/')}/{name}")


def _decoded(
    store: GroupStore, drop_variables: str | Iterable[str] | None, decoding: dict[str, Any]
) -> xarray.Dataset:
    opened = StoreBackendEntrypoint().open_dataset(store, drop_variables=drop_variables, **decoding)
    result: xarray.Dataset = opened
    return result
