"""A Zarr store at a location, opened as a dataset."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from ncz.errors import Notify
from ncz.formats.kinds import OpenedDataset, OpenOptions, no_prefetch, nothing_changes
from ncz.formats.zarr.reader import open_dataset
from ncz.model.tree import Variable
from ncz.zmap import DistantZmap, SteadyZmap, Zmap, can_list, survives_fork
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

NETCDF_KIND = "netCDF-4"
"""Every Zarr store corresponds to this kind of netCDF file."""


@contextlib.contextmanager
def open_zarr(location: Location, options: OpenOptions, notify: Notify) -> Iterator[OpenedDataset]:
    """Open the store at `location`; see `ncz.formats.opening.open_dataset`."""
    with contextlib.closing(open_zmap(location)) as zmap:
        consolidated = options.consolidated
        if consolidated is False and not can_list(zmap):
            consolidated = None

        def prefetch(variables: Iterable[Variable]) -> None:
            from ncz.formats.zarr.array.prefetch import expect_data

            expect_data(zmap, variables)

        yield OpenedDataset(
            dataset=open_dataset(
                zmap,
                name=location.dataset_name(),
                array=_folder_of(zmap, location),
                modes=location.modes,
                consolidated=consolidated,
                notify=notify,
            ),
            location=location,
            netcdf_kind=NETCDF_KIND,
            survives_fork=survives_fork(zmap),
            prefetch=prefetch if isinstance(zmap, DistantZmap) else no_prefetch,
            check_unchanged=(
                zmap.check_unchanged if isinstance(zmap, SteadyZmap) else nothing_changes
            ),
        )


def _folder_of(zmap: Zmap, location: Location) -> str | None:
    """Return the name of the store's folder if that is alone in a folder at the location."""
    above, name = os.path.split(zmap.url)
    return name if os.path.normpath(above) == os.path.normpath(location.path) else None
