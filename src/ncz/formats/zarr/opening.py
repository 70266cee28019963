"""A Zarr store at a location, opened as a dataset."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from ncz.errors import Notify, ignore_notice
from ncz.formats.kinds import OpenedDataset, OpenOptions, no_prefetch
from ncz.formats.zarr.hierarchy import report_misnamed
from ncz.formats.zarr.reader import open_dataset
from ncz.model.tree import Variable
from ncz.zmap import Zmap
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

NETCDF_KIND = "netCDF-4"
"""Every Zarr store corresponds to this kind of netCDF file."""


@contextlib.contextmanager
def open_zarr(location: Location, options: OpenOptions, notify: Notify) -> Iterator[OpenedDataset]:
    """Open the store at `location`; see `ncz.formats.opening.open_dataset`."""
    with contextlib.closing(open_zmap(location)) as zmap:
        consolidated = options.consolidated
        if consolidated is False and not zmap.can_list:
            consolidated = None

        def prefetch(variables: Iterable[Variable]) -> None:
            from ncz.formats.zarr.prefetch import expect_data

            expect_data(zmap, variables)

        dataset = open_dataset(
            zmap,
            name=location.dataset_name(),
            array=_folder_of(zmap, location),
            modes=location.modes,
            consolidated=consolidated,
            notify=notify,
        )
        known = report_misnamed(zmap, ignore_notice)

        def check_unchanged() -> None:
            nonlocal known
            known = report_misnamed(zmap, notify, known)
            zmap.check_unchanged()

        yield OpenedDataset(
            dataset=dataset,
            location=location,
            netcdf_kind=NETCDF_KIND,
            survives_fork=zmap.survives_fork,
            prefetch=prefetch if zmap.is_distant else no_prefetch,
            check_unchanged=check_unchanged,
            refuse_newer=zmap.refuse_newer,
        )
        report_misnamed(zmap, notify, known)


def _folder_of(zmap: Zmap, location: Location) -> str | None:
    """Return the name of the store's folder if that is alone in a folder at the location."""
    above, name = os.path.split(zmap.url)
    return name if os.path.normpath(above) == os.path.normpath(location.path) else None
