"""A dataset written to a new Zarr store at a location."""

from __future__ import annotations

from ncz.errors import Notify
from ncz.formats.kinds import CreateOptions
from ncz.formats.zarr.options import WriteOptions
from ncz.formats.zarr.writer import write_dataset
from ncz.model.tree import Dataset
from ncz.zmap.location import Location
from ncz.zmap.opening import create_zmap


def create_zarr(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> None:
    """Write a dataset to a new store; see `ncz.formats.opening.create_dataset`."""
    with create_zmap(location, overwrite=options.overwrite) as zmap:
        write_dataset(dataset, zmap, write_options(location, options), notify)


def write_options(location: Location, options: CreateOptions) -> WriteOptions:
    """Return how a store is written, given the modes of its location."""
    return WriteOptions(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=3 if "v3" in location.modes else 2,
        xarray="noxarray" not in location.modes,
        consolidated="consolidated" in location.modes,
        separator=options.separator,
        char=options.char,
        truncate_strings=options.truncate_strings,
    )
