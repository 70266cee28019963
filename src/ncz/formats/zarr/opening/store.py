"""A store at a location, opened as a dataset."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from ncz.errors import Notify, ignore_notice
from ncz.formats.kinds import OpenedDataset, OpenOptions, no_prefetch
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.opening.reader import read_tree, root_of
from ncz.model.tree import Variable
from ncz.zmap import Zmap, report_misnamed_objects
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

NETCDF_KIND = "netCDF-4"
"""Every Zarr store corresponds to this kind of netCDF file."""

_LARGEST_SHARD = 64 << 20
"""Decoded bytes of the largest shard that is fetched whole; chunks of larger ones are fetched
singly."""


@contextlib.contextmanager
def open_zarr(location: Location, options: OpenOptions, notify: Notify) -> Iterator[OpenedDataset]:
    """Open the store at `location`; see `ncz.formats.opening.open_dataset`."""
    with contextlib.ExitStack() as stack:
        zmap = stack.enter_context(contextlib.closing(open_zmap(location)))
        name, within = location.dataset_name(), ""
        consolidated = options.consolidated
        if consolidated is False and not zmap.can_list:
            consolidated = None
        root = root_of(zmap, location.modes, consolidated, notify)
        part = None
        if not root.has_superblock and "zarr" not in location.modes:
            from ncz.formats.zarr.opening.part import part_of

            part = part_of(root, location)
        if part is not None:
            zmap, within = stack.enter_context(contextlib.closing(open_zmap(part.store))), part.key
            root = root_of(zmap, location.modes, consolidated, notify)
        array = _folder_of(zmap, location) or name
        dataset = read_tree(root, within, name, array, location.modes, consolidated, notify)

        def prefetch(variables: Iterable[Variable]) -> None:
            zmap.expect(_objects(zmap, variables))

        misnamed = report_misnamed_objects(zmap, ignore_notice)

        def check_unchanged() -> None:
            nonlocal misnamed
            misnamed = report_misnamed_objects(zmap, notify, misnamed)
            zmap.check_unchanged()

        yield OpenedDataset(
            dataset=dataset,
            location=location,
            netcdf_kind=NETCDF_KIND,
            survives_fork=zmap.survives_fork,
            prefetch=prefetch if zmap.is_distant else no_prefetch,
            check_unchanged=check_unchanged,
            sources=zmap.sources,
            refuse_newer=zmap.refuse_newer,
        )
        report_misnamed_objects(zmap, notify, misnamed)


def _folder_of(zmap: Zmap, location: Location) -> str | None:
    """Return the name of the store's folder if that is alone in a folder at the location."""
    above, name = os.path.split(zmap.url)
    return name if os.path.normpath(above) == os.path.normpath(location.path) else None


def _objects(zmap: Zmap, variables: Iterable[Variable]) -> Iterator[tuple[str, int]]:
    """Yield the key of each object that contains values, in the order of printing.

    The decoded size in bytes is next to it. A remote store fetches many announced objects in
    parallel (`ncz.zmap.remote.prefetch`).
    """
    for variable in variables:
        source = variable.data
        if not isinstance(source, ZarrArray) or source.zmap is not zmap:
            continue
        size = source.layout.chunk_size * max(1, source.item_size)
        if not source.is_sharded or size <= _LARGEST_SHARD:
            yield from ((key, size) for key in _object_keys(source, variable))


def _object_keys(source: ZarrArray, variable: Variable) -> Iterator[str]:
    from ncz.model.slabs import slabs_of
    from ncz.model.sparse_source import SparseSource, lists_many

    last = None
    listed = SparseSource(source, patience=0) if lists_many(source) else source
    for box in slabs_of(variable, source.grid.shape):
        for index in listed.indices_in(box):
            key = source.key_of(index)
            if key != last:
                yield key
            last = key
