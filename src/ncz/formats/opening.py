"""Open or create a dataset at a location, whatever its format."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ncz.errors import (
    ForeignFile,
    FormatError,
    NczError,
    Notice,
    Notify,
    UrlError,
    ignore_notice,
    option,
)
from ncz.formats.kinds import (
    FILE_SUFFIXES,
    DatasetFormat,
    DescribedZmap,
    EditedFile,
    OpenedDataset,
    OpenOptions,
    Source,
)
from ncz.model.tree import Dataset, Group, Provenance, walk
from ncz.record import replace
from ncz.zmap import Zmap
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.errors import Progress
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.edits import Request
    from ncz.formats.findings import CheckReport, CheckRequest
    from ncz.formats.growth import Growth
    from ncz.formats.key_roles import KeyRoles
    from ncz.formats.keys import DatasetKeys
    from ncz.formats.kinds import GivenDataset
    from ncz.formats.maintenance import Maintenance
    from ncz.formats.masters import Masters
    from ncz.formats.native_elements import NativeElements
    from ncz.formats.write_plan import WritePlan
    from ncz.model.tree import Variable


_T = TypeVar("_T")


def _open_zarr(
    location: Location, options: OpenOptions, notify: Notify
) -> AbstractContextManager[OpenedDataset]:
    from ncz.formats.zarr.store import open_zarr

    return open_zarr(location, options, notify)


def _is_store_name(location: Location, _: CreateOptions) -> bool:
    from ncz.formats.foreign_names import foreign_name

    return foreign_name(location) is None


def _plan_zarr(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> WritePlan:
    from ncz.formats.zarr.target import plan_zarr

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
    from ncz.zmap.local.positioned import HAS_PREAD

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


def _edit_netcdf(location: Location, requests: Sequence[Request], dry_run: bool) -> EditedFile:
    from ncz.formats.netcdf.edit import edit_file

    changes, edited = edit_file(location, requests, dry_run=dry_run)
    return EditedFile(changes, edited.nodes)


def _is_aggregation(location: Location, options: CreateOptions) -> bool:
    if not (location.modes or location.path.endswith(".nca")):
        return False
    from ncz.formats.aggregation.modes import is_aggregation_name

    return is_aggregation_name(location, options)


def _plan_aggregation(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> WritePlan:
    from ncz.formats.aggregation.target import plan_aggregation

    return plan_aggregation(dataset, location, options, notify, _plan_stored)


def _zarr_elements(variable: Variable, stored: Provenance) -> NativeElements | None:
    from ncz.formats.zarr.native_elements import native_elements

    return native_elements(variable, stored)


def _has_hdf5_pieces(location: Location, options: CreateOptions) -> bool:
    from ncz.formats.aggregation.modes import has_netcdf_pieces

    return has_netcdf_pieces(location, options) and _is_hdf5(location, options)


def _is_hdf5(location: Location, options: CreateOptions) -> bool:
    from ncz.formats.netcdf.names import kind_asked

    return kind_asked(location, options.kind) not in ("classic", "64-bit offset", "cdf5")


def _as_netcdf(dataset: Dataset, stored: Provenance) -> Dataset:
    from ncz.formats.netcdf.stored_dataset import as_stored

    return as_stored(dataset, stored)


def _as_zarr(dataset: Dataset, stored: Provenance) -> Dataset:
    from ncz.formats.zarr.stored_dataset import as_stored

    return as_stored(dataset, stored)


def _plan_stored(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> WritePlan:
    """Plan a dataset that is stored in one place: a master, or a piece."""
    return plan_dataset(dataset, location, options, notify=notify, formats=FORMATS[1:])


def _masters_of_aggregations() -> Masters:
    from ncz.formats.aggregation.masters import MASTERS

    return MASTERS


def _maintain_zarr() -> Maintenance:
    from ncz.formats.zarr.maintenance import MAINTENANCE

    return MAINTENANCE


FORMATS: Sequence[DatasetFormat] = (
    DatasetFormat(
        name="aggregation",
        recognises=lambda _: False,  # it is known by the metadata of a dataset of another format
        is_target=_is_aggregation,
        plan=_plan_aggregation,
        holds_hdf5=_has_hdf5_pieces,
        masters=_masters_of_aggregations,
    ),
    DatasetFormat(
        name="a dataset on an OPeNDAP server",
        recognises=lambda source: _is_dap(source.location),
        is_target=lambda location, _: _is_dap(location),
        open=_open_dap,
    ),
    DatasetFormat(
        name="netCDF",
        recognises=_is_netcdf,
        is_target=_is_netcdf_name,
        open=_open_netcdf,
        plan=_plan_netcdf,
        suffixes=FILE_SUFFIXES,
        holds_hdf5=_is_hdf5,
        edit=_edit_netcdf,
        as_stored=_as_netcdf,
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
"""All formats, in the order in which a location is tried. Zarr takes what no other recognises.

The package of a format is imported when a dataset of that format is opened or created."""


def maintenance() -> Maintenance:
    """Return the maintenance of stores, by their format."""
    return next(form.maintenance() for form in FORMATS if form.maintenance is not None)


def as_stored(dataset: Dataset, stored: Provenance) -> Dataset:
    """Return a dataset as it reads after it was written to one of another provenance."""
    for known in FORMATS:
        if known.as_stored is not None:
            dataset = known.as_stored(dataset, stored)
    return dataset


def native_elements(variable: Variable, stored: Provenance) -> NativeElements | None:
    """Return the elements of a variable as its store has them; None if it is in no store."""
    asked = (known.native_elements for known in FORMATS if known.native_elements is not None)
    found = (elements(variable, stored) for elements in asked)
    return next((elements for elements in found if elements is not None), None)


def given_dataset(source: object) -> GivenDataset | None:
    """Return an object of a program as the source of a command; None if no format holds it."""
    if type(source).__module__.partition(".")[0] != "xarray":
        return None
    from ncz.formats.xarray.tree import given_dataset as given

    return given(source)


def masters() -> Masters:
    """Return the writer of aggregation files over the files of others, by its format."""
    return next(form.masters() for form in FORMATS if form.masters is not None)


@contextlib.contextmanager
def open_dataset(
    location: Location,
    options: OpenOptions = OpenOptions(),  # noqa: B008 (a frozen record)
    *,
    notify: Notify = ignore_notice,
) -> Iterator[OpenedDataset]:
    """Open the dataset at a location; its format is detected automatically.

    Metadata is read now, values are read on demand until the context ends.

    Parameters
    ----------
    location
        Where the dataset is; see `ncz.zmap.location.parse_location`.
    options
        How to open it.
    notify
        Receives notices.

    Yields
    ------
    OpenedDataset
        The dataset, closed when the context ends.

    Raises
    ------
    UrlError, StoreMissing, ZmapError
        If the location cannot be opened.
    FormatError
        If no dataset exists there, or its root is broken.
    """
    with _opened(location, location, options, notify) as opened:
        yield opened


@contextlib.contextmanager
def _opened(
    location: Location, how: Location, options: OpenOptions, notify: Notify
) -> Iterator[OpenedDataset]:
    """Open what is at a location, or a group of the file that the location leads into.

    `how` is the same location, with the modes in which it is opened.
    """
    found = _file_above(location)
    if found is not None:
        file, group = found
        with _opened(file, replace(file, modes=how.modes), options, notify) as whole:
            yield _group_of(whole, group, location)
        return
    open_by = partial(_open_as, place=how, options=options, notify=notify)
    with _recognised(location, open_by) as opened:
        yield opened


def _file_above(location: Location) -> tuple[Location, str] | None:
    """Return the file whose group a location names; None for most, without an import."""
    if location.kind is None and os.path.lexists(location.path):
        return None
    if location.kind not in (None, "remote") or _is_dap(location):
        return None
    from ncz.formats.groups import file_above

    return file_above(location)


def _group_of(opened: OpenedDataset, group: str, location: Location) -> OpenedDataset:
    from ncz.formats.groups import group_in

    dataset = group_in(opened.dataset, group, opened.location, location.dataset_name())
    return replace(opened, dataset=dataset, location=location)


@contextlib.contextmanager
def _open_as(
    known: DatasetFormat,
    place: Location,
    options: OpenOptions,
    notify: Notify,
) -> Iterator[OpenedDataset]:
    """Open a dataset of a known format; an aggregation as the dataset that it describes."""
    assert known.open is not None
    with known.open(place, options, notify) as opened:
        if "noaggregation" in place.modes or not _has_marks(opened.dataset.root):
            yield opened
            return
        from ncz.formats.aggregation.opening import open_aggregation

        def open_piece(piece: Location) -> AbstractContextManager[OpenedDataset]:
            how = replace(piece, modes=piece.modes | {"noaggregation"})
            return _opened(piece, how, options, notify)

        with open_aggregation(opened, options, notify, open_piece) as described:
            yield described


def _has_marks(root: Group) -> bool:
    """Return whether a dataset may be an aggregation, without importing its package."""
    return any(
        attribute.name in ("aggregated_data", "cf_role")
        for _, group in walk(root)
        for variable in group.variables
        if not variable.dimensions
        for attribute in variable.attributes
    )


def edit_file(
    location: Location, requests: Sequence[Request], *, dry_run: bool
) -> EditedFile | None:
    """Change attributes and names of a file; None if a store, or nothing, is at the location.

    All requests are carried out, or none. Raises `NczError` if the file cannot be changed so.
    """
    source = Source(location, tuple(suffix for known in FORMATS for suffix in known.suffixes))
    known = next(known for known in FORMATS if known.recognises(source))
    return None if known.edit is None else known.edit(location, requests, dry_run)


def check_dataset(location: Location, request: CheckRequest, progress: Progress) -> CheckReport:
    """Return what is wrong or suspicious in the dataset at a location, whatever its format.

    Raises `NczError` if the location cannot be opened at all.
    """

    @contextlib.contextmanager
    def check_by(known: DatasetFormat) -> Iterator[CheckReport]:
        if known.maintenance is not None:
            yield known.maintenance().check(location, request, progress)
        else:
            yield check_open(partial(_open_as, known))

    def check_open(opening: Callable[..., AbstractContextManager[OpenedDataset]]) -> CheckReport:
        from ncz.formats.dataset_check import check_opened, report_of_broken

        notices: list[Notice] = []
        how = OpenOptions(keep_going=True)
        try:
            with opening(location, how, notify=notices.append) as opened:
                return check_opened(opened, notices, request, progress)
        except FormatError as error:
            return report_of_broken(location, error)

    if _file_above(location) is not None:
        return check_open(open_dataset)
    with _recognised(location, check_by) as report:
        return report


@contextlib.contextmanager
def open_keys(location: Location) -> Iterator[Zmap]:
    """Open a dataset for listing: a store as its zmap, another format as a `DescribedZmap`.

    A store that is the master of an aggregation is a `DescribedZmap`, too. Raises `NczError` if the
    location cannot be opened.
    """

    def open_by(known: DatasetFormat) -> AbstractContextManager[Zmap]:
        if not known.is_stored_in_zmap:
            return _described(known, location)
        return _stored(known, location)

    found = _file_above(location)
    if found is not None:
        from ncz.formats.keys import DatasetKeys

        with open_dataset(location) as opened:
            yield DatasetKeys(location.address, opened.dataset)
        return
    with _recognised(location, open_by) as keys:
        yield keys


def key_roles(zmap: Zmap) -> KeyRoles:
    """Return the kind of the keys that `open_keys` has opened."""
    if isinstance(zmap, DescribedZmap):
        from ncz.formats.keys import DescribedRoles

        return DescribedRoles(zmap)
    return maintenance().roles(zmap)


@contextlib.contextmanager
def _stored(known: DatasetFormat, place: Location) -> Iterator[Zmap]:
    """Open a store as its keys, or as the aggregation that it describes."""
    from ncz.formats.aggregation.marks import names_convention
    from ncz.zmap.opening import open_zmap

    with contextlib.ExitStack() as stack:
        keys: Zmap = stack.enter_context(contextlib.closing(open_zmap(place)))
        with contextlib.suppress(NczError):  # a broken store is listed as it is
            if "noaggregation" not in place.modes and names_convention(keys):
                described = stack.enter_context(_described(known, place))
                keys = described if described.is_aggregation else keys
        yield keys


@contextlib.contextmanager
def _described(known: DatasetFormat, place: Location) -> Iterator[DatasetKeys]:
    """Open a dataset as keys."""
    from ncz.formats.keys import DatasetKeys

    with _open_as(known, place, OpenOptions(), ignore_notice) as opened:
        yield DatasetKeys(place.address, opened.dataset)


@contextlib.contextmanager
def _recognised(
    place: Location,
    open_by: Callable[[DatasetFormat], AbstractContextManager[_T]],
) -> Iterator[_T]:
    """Open a location by the format that recognises it, from its name or when it is read."""
    source = Source(place, tuple(suffix for known in FORMATS for suffix in known.suffixes))
    kind = next(known for known in FORMATS if known.recognises(source))
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(open_by(kind))
        except ForeignFile as error:
            source.start = error.start
            other = next(known for known in FORMATS if known.recognises(source))
            if other is kind:
                raise
            kind, opened = other, stack.enter_context(open_by(other))
        if kind.is_stored_in_zmap and place.modes:
            _check_mode(place, kind)
        yield opened


def _check_mode(place: Location, kind: DatasetFormat) -> None:
    """Raise `UrlError` if a mode says that the store is a netCDF file."""
    from ncz.formats.netcdf.names import mode_of

    mode = mode_of(place)
    if mode is not None:
        raise UrlError(
            f"the URL has mode={mode}, but this is a {kind.name} store",
            place.address,
            "leave out the mode: the format is detected automatically",
        )


def create_dataset(
    dataset: Dataset,
    location: Location,
    options: CreateOptions | None = None,
    *,
    notify: Notify = ignore_notice,
) -> None:
    """Write a dataset to a location, completely or not at all.

    The format follows from the name and the mode of the location.

    Parameters
    ----------
    dataset
        The dataset. Its values are read a chunk at a time.
    location
        Where to create it; see `ncz.zmap.location.parse_location`.
    options
        How it is stored; by default as `AS_DEFAULT`.
    notify
        Receives notices, such as for information that the format does not record.

    Raises
    ------
    StoreExists
        If something exists at the location that is not to be overwritten.
    UrlError
        If the name of the location is that of a format that cannot be written.
    LossError
        If the format cannot hold the dataset at all, or loses something of it and
        `options.allow_loss` is not set.
    """
    from ncz.formats.create_options import AS_DEFAULT

    options = options or AS_DEFAULT
    plan = plan_dataset(dataset, location, options, notify=notify, formats=FORMATS)
    plan.check_codecs([array.fqn for array in plan.arrays])
    from ncz.formats.write_plan import refuse_losses

    refuse_losses(plan.losses, options.allow_loss, notify)
    plan.write(overwrite=options.overwrite)
    for notice in plan.remarks(None):
        notify(notice)


def plan_dataset(
    dataset: Dataset,
    location: Location,
    options: CreateOptions | None = None,
    *,
    notify: Notify = ignore_notice,
    formats: Sequence[DatasetFormat] = FORMATS,
) -> WritePlan:
    """Plan a new dataset at a location; nothing is written.

    The parameters are those of `create_dataset`. The form of a new Zarr store follows from the
    dataset, if that is stored as Zarr.

    Raises
    ------
    LossError
        If the format cannot hold the dataset at all.
    """
    from ncz.formats.create_options import AS_DEFAULT

    options = options or AS_DEFAULT
    kind = target_format(location, options, formats)
    if options.asks_for_pieces and kind.name != "aggregation" and formats is FORMATS:
        raise UrlError(
            "only an aggregation has pieces",
            location.display,
            f"add {option('modes', 'cfa')}, cfa0.4 or cf",
        )
    if kind.plan is None:
        raise UrlError(f"{kind.name} can only be read", location.display)
    return kind.plan(dataset, location, options, notify)


def grow_aggregation(
    dataset: Dataset,
    location: Location,
    growths: Sequence[Growth],
    options: CreateOptions,
    *,
    check: Callable[[], None],
    progress: Progress,
) -> int:
    """Write new pieces of an aggregation; see `ncz.formats.aggregation.growth.grow`."""
    from ncz.formats.aggregation.growth import grow

    return grow(dataset, location, growths, options, _plan_stored, check=check, progress=progress)


def target_format(
    location: Location, options: CreateOptions, formats: Sequence[DatasetFormat] = FORMATS
) -> DatasetFormat:
    """Return the format of a new dataset at a location, by its name, its modes and the options.

    Raises `UrlError` if the name is that of a format that cannot be written.
    """
    found = next((known for known in formats if known.is_target(location, options)), None)
    if found is None:
        from ncz.formats.foreign_names import not_written

        raise not_written(location)
    return found
