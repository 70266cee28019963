"""A netCDF file at a location, opened as a dataset."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ncz.errors import Notify
from ncz.formats.hdf5.isolation import open_hdf5_dataset, prepare_isolation
from ncz.formats.kinds import OpenedDataset
from ncz.formats.netcdf.classic import read_classic
from ncz.formats.netcdf.names import CLASSIC
from ncz.zmap.file import open_file
from ncz.zmap.local.content import HAS_PREAD
from ncz.zmap.location import Location


@contextlib.contextmanager
def open_netcdf(location: Location, notify: Notify) -> Iterator[OpenedDataset]:
    """Open the file at `location`; see `ncz.formats.opening.open_dataset`."""
    name = location.dataset_name()
    if location.kind == "remote":
        prepare_isolation()
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(contextlib.closing(open_file(location)))
        if file.size >= 4 and file.read(0, 4) in CLASSIC:
            dataset = read_classic(file, name)
        else:
            dataset = stack.enter_context(open_hdf5_dataset(file, name, notify))
        yield OpenedDataset(
            dataset=dataset,
            location=location,
            netcdf_kind=dataset.provenance.netcdf_kind,
            survives_fork=file.path is not None and HAS_PREAD,
            check_unchanged=file.check_unchanged,
        )
