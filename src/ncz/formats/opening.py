"""Open or create a dataset of any format at a location."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

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
from ncz.formats import FORMATS
from ncz.formats.kinds import (
    DatasetFormat,
    DescribedZmap,
    EditedFile,
    OpenedDataset,
    OpenOptions,
    Overlay,
    Source,
)
from ncz.record import replace
from ncz.zmap import Zmap
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.errors import Progress
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.edits import Request
    from ncz.formats.findings import CheckReport, CheckRequest, Finding
    from ncz.formats.growth import Growth
    from ncz.formats.key_roles import KeyRoles
    from ncz.formats.keys import DatasetKeys
    from ncz.formats.kinds import GivenDataset
    from ncz.formats.maintenance import Maintenance
    from ncz.formats.masters import Masters
    from ncz.formats.native_elements import NativeElements
    from ncz.formats.write_plan import WritePlan
    from ncz.model.data import Values
    from ncz.model.tree import Dataset, Provenance, Variable


_T = TypeVar("_T")


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
    """Return the stored elements of a variable; None if it is in no store."""
    asked = (known.native_elements for known in FORMATS if known.native_elements is not None)
    found = (elements(variable, stored) for elements in asked)
    return next((elements for elements in found if elements is not None), None)


def given_dataset(source: object) -> GivenDataset | None:
    """Return an object of a program as the source of a command; None if no format knows it."""
    asked = (known.given(source) for known in FORMATS if known.given is not None)
    return next((given for given in asked if given is not None), None)


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
    with _open_at(location, location, options, notify) as opened:
        yield opened


@contextlib.contextmanager
def _open_at(
    location: Location, how: Location, options: OpenOptions, notify: Notify
) -> Iterator[OpenedDataset]:
    """Open the dataset at a location, or a group of the file that the location leads into.

    `how` is the same location, with the modes for opening it.
    """
    found = _file_above(location)
    if found is not None:
        file, group = found
        with _open_at(file, replace(file, modes=how.modes), options, notify) as whole:
            yield _group_of(whole, group, location)
        return
    open_by = partial(_open_as, place=how, options=options, notify=notify)
    with _open_by_format(location, open_by) as opened:
        yield opened


def _file_above(location: Location) -> tuple[Location, str] | None:
    """Return the file whose group a location names; None for most, without an import."""
    if location.kind is None and os.path.lexists(location.path):
        return None
    if location.kind not in (None, "remote"):
        return None
    if any(known.is_addressed(location) for known in FORMATS):
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
    if known.contents is not None:
        with _opened_contents(known.contents, place, options, notify) as opened:
            yield opened
        return
    assert known.open is not None
    with contextlib.ExitStack() as stack:
        opened = stack.enter_context(known.open(place, options, notify))
        for overlay in _overlays(place):
            if overlay.may_be(opened.dataset):
                open_piece = partial(_opened_piece, overlay, options=options, notify=notify)
                described = overlay.open(opened, options, notify, open_piece)
                opened = stack.enter_context(described)
        yield opened


@contextlib.contextmanager
def _opened_contents(
    contents: Callable[[Location], AbstractContextManager[Location]],
    place: Location,
    options: OpenOptions,
    notify: Notify,
) -> Iterator[OpenedDataset]:
    """Open the copy of a dataset in a file."""
    with contents(place) as inside, open_copy(inside, place, options, notify=notify) as opened:
        yield opened


@contextlib.contextmanager
def open_copy(
    copy: Location, place: Location, options: OpenOptions, *, notify: Notify = ignore_notice
) -> Iterator[OpenedDataset]:
    """Open the temporary copy of a remote file; errors name its original place."""
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(_open_at(copy, copy, options, notify))
        except NczError as error:
            where = error.location and error.location.replace(copy.path, place.display)
            is_named = place.kind == "remote" or os.path.lexists(place.path)
            hint = error.hint and error.hint.replace(
                copy.path, place.display if is_named else "FILE"
            )
            if isinstance(error, ForeignFile):  # which nothing else opens
                raise FormatError(error.message, where, hint) from error
            error.location, error.hint = where, hint
            raise
        provenance = replace(opened.dataset.provenance, is_copied=True)
        yield replace(
            opened, location=place, dataset=replace(opened.dataset, provenance=provenance)
        )


def _overlays(place: Location) -> Iterator[Overlay]:
    """Yield the overlays that the modes of a location do not exclude."""
    for known in FORMATS:
        if known.overlay is not None and known.overlay.mode_without not in place.modes:
            yield known.overlay


def _opened_piece(
    overlay: Overlay, piece: Location, *, options: OpenOptions, notify: Notify
) -> AbstractContextManager[OpenedDataset]:
    how = replace(piece, modes=piece.modes | {overlay.mode_without})
    return _open_at(piece, how, options, notify)


def edit_file(
    location: Location, requests: Sequence[Request], *, in_place: bool = True, dry_run: bool
) -> EditedFile | None:
    """Change attributes and names of a file; None if a store, or nothing, is at the location.

    All requests are carried out, or none; a `dry_run` only finds out whether the file can be
    changed `in_place`, or else whether a copy can. Raises `NczError` if it cannot.
    """
    known = _format_at(location)
    return None if known.edit is None else known.edit(location, requests, in_place, dry_run)


def is_store(location: Location) -> bool:
    """Return whether a store, rather than a file of another format, is at a location."""
    return _format_at(location).is_stored_in_zmap


def _format_at(location: Location) -> DatasetFormat:
    """Return the format of the dataset at a location."""
    source = Source(location, tuple(suffix for known in FORMATS for suffix in known.suffixes))
    return next(known for known in FORMATS if known.recognises(source))


def assign_in_file(location: Location, fqn: str, positions: Sequence[Any], values: Values) -> bool:
    """Give elements of a variable of a file new values; return False without a file.

    Parameters
    ----------
    location
        The file.
    fqn
        The variable.
    positions
        The indices along each axis.
    values
        The values at the product of these indices.

    Raises
    ------
    NczError
        If the file does not support the change; it is then unchanged.
    """
    known = _format_at(location)
    if known.assign is None:
        return False
    known.assign(location, fqn, positions, values)
    return True


def check_dataset(location: Location, request: CheckRequest, progress: Progress) -> CheckReport:
    """Return the findings in a dataset of any format at a location.

    Raises `NczError` if the location cannot be opened at all.
    """

    def names_master(zmap: Zmap) -> bool:
        with contextlib.suppress(NczError):  # the report names unreadable parts
            return any(overlay.is_named(zmap) for overlay in _overlays(location))
        return False

    @contextlib.contextmanager
    def check_by(known: DatasetFormat) -> Iterator[CheckReport]:
        if known.maintenance is not None:
            asked = replace(request, names_master=names_master)
            report = known.maintenance().check(location, asked, progress)
            is_master = report.may_be_master
            yield _with_pieces(report, location, request, progress) if is_master else report
        else:
            yield check_open(partial(_open_as, known))

    def check_open(opening: Callable[..., AbstractContextManager[OpenedDataset]]) -> CheckReport:
        from ncz.formats.dataset_check import check_opened, unreadable_report

        notices: list[Notice] = []
        how = OpenOptions(keep_going=True)
        try:
            with opening(location, how, notify=notices.append) as opened:
                report = check_opened(opened, notices, request, progress)
                is_master = opened.dataset.provenance.aggregation is not None
        except FormatError as error:
            return unreadable_report(location, error)
        return _with_pieces(report, location, request, progress) if is_master else report

    if _file_above(location) is not None:
        return check_open(open_dataset)
    with _open_by_format(location, check_by) as report:
        return report


def _with_pieces(
    report: CheckReport, location: Location, request: CheckRequest, progress: Progress
) -> CheckReport:
    """Add the findings in the pieces of a master to its report."""
    from ncz.formats.findings import in_order
    from ncz.formats.piece_findings import check_pieces

    found: list[Finding] = []
    # The report says why it cannot be opened. No piece that cannot be read is skipped.
    with contextlib.suppress(NczError), open_dataset(location) as opened:
        found = [*check_pieces(opened, request, progress)]
    return replace(report, findings=in_order((*report.findings, *found))) if found else report


@contextlib.contextmanager
def open_keys(location: Location) -> Iterator[Zmap]:
    """Open a dataset for listing: a store as its zmap, another format as a `DescribedZmap`.

    A store that is the master of an aggregation is a `DescribedZmap`, too. Raises `NczError` if the
    location cannot be opened.
    """

    def open_by(known: DatasetFormat) -> AbstractContextManager[Zmap]:
        if not known.is_stored_in_zmap:
            return _open_dataset_keys(known, location)
        return _open_store_keys(known, location)

    found = _file_above(location)
    if found is not None:
        from ncz.formats.keys import DatasetKeys

        with open_dataset(location) as opened:
            yield DatasetKeys(location.address, opened.dataset)
        return
    with _open_by_format(location, open_by) as keys:
        yield keys


def key_roles(zmap: Zmap) -> KeyRoles:
    """Return the kind of the keys that `open_keys` has opened."""
    if isinstance(zmap, DescribedZmap):
        from ncz.formats.keys import DescribedRoles

        return DescribedRoles(zmap)
    return maintenance().roles(zmap)


@contextlib.contextmanager
def _open_store_keys(known: DatasetFormat, place: Location) -> Iterator[Zmap]:
    """Open a store as its keys, or as the aggregation that it describes."""
    from ncz.zmap.opening import open_zmap

    with contextlib.ExitStack() as stack:
        keys: Zmap = stack.enter_context(contextlib.closing(open_zmap(place)))
        with contextlib.suppress(NczError):  # a broken store is listed without interpretation
            if any(overlay.is_named(keys) for overlay in _overlays(place)):
                described = stack.enter_context(_open_dataset_keys(known, place))
                keys = described if described.is_aggregation else keys
        yield keys


@contextlib.contextmanager
def _open_dataset_keys(known: DatasetFormat, place: Location) -> Iterator[DatasetKeys]:
    """Open a dataset as keys."""
    from ncz.formats.keys import DatasetKeys

    with _open_as(known, place, OpenOptions(), ignore_notice) as opened:
        yield DatasetKeys(place.address, opened.dataset)


@contextlib.contextmanager
def _open_by_format(
    place: Location,
    open_by: Callable[[DatasetFormat], AbstractContextManager[_T]],
) -> Iterator[_T]:
    """Open a location with the format that recognises its name or its contents."""
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
    """Raise `UrlError` if a mode selects another format than the store's."""
    found = (known.mode_of(place) for known in FORMATS if known.mode_of is not None)
    mode = next((each for each in found if each is not None), None)
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
        If the name of the location belongs to a format that cannot be written.
    LossError
        If the format cannot represent the dataset at all, or loses something of it and
        `options.allow_loss` is not set.
    """
    from ncz.formats.create_options import AS_DEFAULT

    options = options or AS_DEFAULT
    plan = plan_dataset(dataset, location, options, notify=notify)
    plan.check_codecs({array.fqn for array in plan.arrays})
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
) -> WritePlan:
    """Plan a new dataset at a location; nothing is written.

    The parameters are as for `create_dataset`. The form of a new Zarr store follows from the
    dataset, if that is stored as Zarr.

    Raises
    ------
    LossError
        If the format cannot represent the dataset at all.
    """
    from ncz.formats.create_options import AS_DEFAULT

    options = options or AS_DEFAULT
    kind = target_format(location, options)
    if options.asks_for_pieces and kind.overlay is None:
        raise UrlError(
            "only an aggregation has pieces",
            location.display,
            f"add {option('modes', 'cfa')}, cfa0.4 or cf",
        )
    if kind.overlay is not None:
        return kind.overlay.plan(dataset, location, options, notify, plan_stored_dataset)
    return _plan(kind, dataset, location, options, notify)


def plan_stored_dataset(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> WritePlan:
    """Plan a dataset that is stored in one place: a master, or a piece."""
    stored = [known for known in FORMATS if known.overlay is None]
    return _plan(target_format(location, options, stored), dataset, location, options, notify)


def _plan(
    kind: DatasetFormat,
    dataset: Dataset,
    location: Location,
    options: CreateOptions,
    notify: Notify,
) -> WritePlan:
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
    """Write new pieces of an aggregation; see `ncz.formats.masters.Masters.grow`."""
    return masters().grow(dataset, location, growths, options, plan_stored_dataset, check, progress)


def target_format(
    location: Location,
    options: CreateOptions,
    formats: Sequence[DatasetFormat] | None = None,
) -> DatasetFormat:
    """Return the format of a new dataset at a location, by its name, its modes and the options.

    Raises `UrlError` if the name belongs to a format that cannot be written.
    """
    known_formats = FORMATS if formats is None else formats
    found = next((known for known in known_formats if known.is_target(location, options)), None)
    if found is None:
        from ncz.formats.foreign_names import foreign_name_error

        raise foreign_name_error(location)
    return found
