"""Formats that can be opened as a dataset, or written from one. Each format is a package.

`FORMATS` has a record for each format, and `kinds` defines these records; `opening` opens and
creates datasets through these records. `write_plan` is the plan of a new dataset.

May import: cdl, views, model, codec, zmap, parallel, errors.
Entry points: `opening.open_dataset`, `opening.create_dataset`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ncz.errors import Callbacks, Notify
from ncz.formats.kinds import (
    ARCHIVE_SUFFIXES,
    FILE_SUFFIXES,
    TEXT_SUFFIXES,
    DatasetFormat,
    EditedFile,
    GivenDataset,
    OpenedDataset,
    OpenOptions,
    Overlay,
    Plan,
    Source,
)
from ncz.zmap import Zmap
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.edits import Request
    from ncz.formats.maintenance import Maintenance
    from ncz.formats.masters import Masters
    from ncz.formats.native_elements import NativeElements
    from ncz.formats.write_plan import WritePlan
    from ncz.model.data import Values
    from ncz.model.tree import Dataset, Provenance, Variable


def _open_zarr(
    location: Location, options: OpenOptions, notify: Notify
) -> AbstractContextManager[OpenedDataset]:
    from ncz.formats.zarr.opening.store import open_zarr

    return open_zarr(location, options, notify)


def _is_store_name(location: Location, _: CreateOptions) -> bool:
    from ncz.formats.foreign_names import foreign_name

    return foreign_name(location) is None


def _plan_zarr(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> WritePlan:
    from ncz.formats.zarr.writing.target import plan_zarr

    return plan_zarr(dataset, location, options, notify)


def _open_dap(
    location: Location, options: OpenOptions, notify: Notify
) -> AbstractContextManager[OpenedDataset]:
    from ncz.formats.dap.reader import open_dap

    return open_dap(location, options, notify)


def _is_dap(location: Location) -> bool:
    return not location.modes.isdisjoint(("dap2", "dap4"))


@contextlib.contextmanager
def _open_netcdf(
    location: Location, options: OpenOptions, notify: Notify
) -> Iterator[OpenedDataset]:
    from ncz.formats.signatures import CLASSIC
    from ncz.zmap.file import open_file
    from ncz.zmap.local.offset_reads import HAS_PREAD

    name = location.dataset_name()
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(contextlib.closing(open_file(location)))
        if file.size >= 4 and file.read(0, 4) in CLASSIC:
            from ncz.formats.netcdf.classic.reader import read_classic

            dataset = read_classic(file, name, notify, keep_going=options.keep_going)
        else:
            from ncz.formats.hdf5.reader import read_hdf5

            dataset = read_hdf5(file, name, notify)
        yield OpenedDataset(
            dataset=dataset,
            location=location,
            netcdf_kind=dataset.provenance.netcdf_kind,
            survives_fork=file.path is not None and HAS_PREAD,
            check_unchanged=file.check_unchanged,
        )


def _mode_of_netcdf(location: Location) -> str | None:
    if not location.modes:
        return None
    from ncz.formats.netcdf.names import mode_of

    return mode_of(location)


def _is_netcdf(source: Source) -> bool:
    if not source.start:
        return False
    from ncz.formats.signatures import is_netcdf

    return is_netcdf(source)


def _is_netcdf_name(location: Location, options: CreateOptions) -> bool:
    from ncz.formats.netcdf.names import is_netcdf_name

    return is_netcdf_name(location, options)


def _plan_netcdf(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> WritePlan:
    from ncz.formats.netcdf.target import plan_netcdf

    return plan_netcdf(dataset, location, options, notify)


def _edit_netcdf(
    location: Location, requests: Sequence[Request], in_place: bool, dry_run: bool
) -> EditedFile:
    from ncz.formats.netcdf.edit import edit_file

    changes, edited = edit_file(location, requests, in_place=in_place, dry_run=dry_run)
    return EditedFile(changes, edited.nodes)


def _assign_netcdf(location: Location, fqn: str, positions: Sequence[Any], values: Values) -> None:
    from ncz.formats.netcdf.assignment import assign_in_file

    assign_in_file(location, fqn, positions, values)


def _is_text(source: Source) -> bool:
    if not source.start:
        return False
    from ncz.formats.cdl.signs import is_text

    return is_text(source)


def _open_text(
    location: Location, options: OpenOptions, notify: Notify
) -> AbstractContextManager[OpenedDataset]:
    from ncz.formats.cdl.opening import open_text

    return open_text(location, Callbacks(notify, options.progress))


def _is_aggregation(location: Location, options: CreateOptions) -> bool:
    if not (location.modes or location.path.endswith(".nca")):
        return False
    from ncz.formats.aggregation.modes import is_aggregation_name

    return is_aggregation_name(location, options)


def _plan_aggregation(
    dataset: Dataset,
    location: Location,
    options: CreateOptions,
    notify: Notify,
    plan_piece: Plan,
) -> WritePlan:
    from ncz.formats.aggregation.target import plan_aggregation

    return plan_aggregation(dataset, location, options, notify, plan_piece)


def _may_be_aggregation(dataset: Dataset) -> bool:
    from ncz.model.tree import walk

    return any(
        attribute.name in ("aggregated_data", "cf_role")
        for _, group in walk(dataset.root)
        for variable in group.variables
        if not variable.dimensions
        for attribute in variable.attributes
    )


def _names_aggregations(zmap: Zmap) -> bool:
    from ncz.formats.aggregation.store_marks import names_convention

    return names_convention(zmap)


def _open_aggregation(
    opened: OpenedDataset,
    options: OpenOptions,
    notify: Notify,
    open_piece: Callable[[Location], AbstractContextManager[OpenedDataset]],
) -> AbstractContextManager[OpenedDataset]:
    from ncz.formats.aggregation.opening import open_aggregation

    return open_aggregation(opened, options, notify, open_piece)


def _zarr_elements(variable: Variable, stored: Provenance) -> NativeElements | None:
    from ncz.formats.zarr.arrays.native_elements import native_elements

    return native_elements(variable, stored)


def _has_hdf5_pieces(location: Location, options: CreateOptions) -> bool:
    from ncz.formats.aggregation.modes import has_netcdf_pieces

    return has_netcdf_pieces(location, options) and _is_hdf5(location, options)


def _is_hdf5(location: Location, options: CreateOptions) -> bool:
    from ncz.formats.netcdf.names import requested_kind

    return requested_kind(location, options.kind) not in ("classic", "64-bit offset", "cdf5")


def _as_netcdf(dataset: Dataset, stored: Provenance) -> Dataset:
    from ncz.formats.netcdf.stored_dataset import as_stored

    return as_stored(dataset, stored)


def _as_zarr(dataset: Dataset, stored: Provenance) -> Dataset:
    from ncz.formats.zarr.opening.stored_dataset import as_stored

    return as_stored(dataset, stored)


def _masters_of_aggregations() -> Masters:
    from ncz.formats.aggregation.masters import MASTERS

    return MASTERS


def _maintain_zarr() -> Maintenance:
    from ncz.formats.zarr.maintenance import MAINTENANCE

    return MAINTENANCE


def _is_archive(source: Source) -> bool:
    if not source.start:
        return False
    from ncz.formats.archive.signs import is_archive

    return is_archive(source)


def _contents(location: Location) -> AbstractContextManager[Location]:
    from ncz.formats.archive.contents import contents

    return contents(location)


_WITH_DATASETS = ("xarray", "pandas", "zarr", "icechunk")
"""Packages whose objects may be datasets."""


def _xarray_dataset(source: object) -> GivenDataset | None:
    package = type(source).__module__.partition(".")[0]
    if package not in _WITH_DATASETS and not isinstance(source, dict):
        return None
    try:
        from ncz.formats.xarray.foreign_objects import in_xarray
    except ImportError:
        return None
    from ncz.formats.xarray.tree import given_dataset

    found = in_xarray(source)
    return None if found is None else given_dataset(found)


FORMATS: Sequence[DatasetFormat] = (
    DatasetFormat(
        name="aggregation",
        recognises=lambda _: False,  # it is known by the metadata of a dataset of another format
        is_target=_is_aggregation,
        overlay=Overlay(
            mode_without="noaggregation",
            may_be=_may_be_aggregation,
            is_named=_names_aggregations,
            open=_open_aggregation,
            plan=_plan_aggregation,
        ),
        holds_hdf5=_has_hdf5_pieces,
        masters=_masters_of_aggregations,
    ),
    DatasetFormat(
        name="a dataset on an OPeNDAP server",
        recognises=lambda source: _is_dap(source.location),
        is_target=lambda location, _: _is_dap(location),
        is_addressed=_is_dap,
        open=_open_dap,
    ),
    DatasetFormat(
        name="an object of xarray",
        recognises=lambda _: False,
        is_target=lambda *_: False,
        given=_xarray_dataset,
    ),
    DatasetFormat(  # before HDF5, which may begin behind the header of a tar archive
        name="a compressed file or an archive",
        recognises=_is_archive,
        is_target=lambda *_: False,
        contents=_contents,
        suffixes=ARCHIVE_SUFFIXES,
    ),
    DatasetFormat(
        name="netCDF",
        recognises=_is_netcdf,
        mode_of=_mode_of_netcdf,
        is_target=_is_netcdf_name,
        open=_open_netcdf,
        plan=_plan_netcdf,
        suffixes=FILE_SUFFIXES,
        holds_hdf5=_is_hdf5,
        edit=_edit_netcdf,
        assign=_assign_netcdf,
        as_stored=_as_netcdf,
    ),
    DatasetFormat(
        name="CDL text",
        recognises=_is_text,
        is_target=lambda *_: False,
        open=_open_text,
        suffixes=TEXT_SUFFIXES,
    ),
    DatasetFormat(
        name="Zarr",
        recognises=lambda _: True,
        is_target=_is_store_name,
        open=_open_zarr,
        plan=_plan_zarr,
        is_stored_in_zmap=True,
        maintenance=_maintain_zarr,
        as_stored=_as_zarr,
        native_elements=_zarr_elements,
    ),
)
"""All formats, in the order of detection. Zarr is the default for everything else.

Each record has the functions of its format; no other module of the core names a format. The package
of a format is imported when a dataset of that format is opened or created."""
