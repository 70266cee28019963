"""copy: one store becomes another, as with netCDF's nccopy.

The copy is planned first: what the target cannot hold, and for each variable whether its chunks are
copied raw, recoded or rechunked. The plan is then shown, or carried out. Source and target may be
CDL text instead of stores.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.copy.options import CopyOptions, Summary, for_cloud
from ncz.commands.copy.plan import CopyPlan, change_notice, plan_copy
from ncz.commands.copy.reshape import with_data
from ncz.commands.copy.source import open_source
from ncz.commands.references import (
    referable,
    refuse_large,
    refuse_query,
    remarks,
    trusted,
    with_options,
)
from ncz.commands.sources import Source, SourceCheck, threads_for
from ncz.errors import (
    NO_CALLBACKS,
    Callbacks,
    CodecError,
    LossError,
    NczError,
    Notice,
    Notify,
    Progress,
    StoreExists,
    StoreMissing,
    counted,
    ignore_notice,
    note_if_interrupted,
    option,
)
from ncz.model.encoded import ArrayStore, EncodedSource, TargetArray
from ncz.model.sources import watched_source
from ncz.model.tree import (
    Attribute,
    Dataset,
    Variable,
    dimensions_by_fqn,
    each_variable,
    shape_of,
    variables_by_fqn,
)
from ncz.record import replace
from ncz.text.names import RequestedData
from ncz.zmap.location import Location
from ncz.zmap.opening import is_reference_set

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.move import Keep, Moved


def copy(
    options: CopyOptions,
    callbacks: Callbacks = NO_CALLBACKS,
    on_plan: Callable[[CopyPlan], bool] = lambda _: True,
) -> Summary:
    """Copy a dataset; if that fails, the target is as it was before.

    Parameters
    ----------
    options
        What to copy where, and how.
    callbacks
        Receives a notice of everything that the user should know, every chunk that is written, and
        every value that is compared.
    on_plan
        Called with the plan. The copy ends there, without writing anything, if it returns False.

    Returns
    -------
    Summary
        What was written and compared.

    Raises
    ------
    LossError
        If the target cannot hold something, and `options.allow_loss` is not set.
    NczError
        If the source cannot be read, the target cannot be written, or they differ.
    """
    options = for_cloud(options) if options.cloud else options
    if not isinstance(options.target, Location):
        return copy_to_cdl(options, callbacks)
    location = _target(options.target, options, callbacks.notify)
    target = location
    if is_reference_set(location):
        target = location = with_options(location, options)
        for source in _stored(options):
            refuse_query(source)
            target = trusted(target, source)
    # The form of the target follows from the source, which is opened later.
    exists = options.verify and not options.overwrite and not options.resume and _exists(location)
    summary = Summary() if exists else _copy_store(options, location, callbacks, on_plan)
    if options.verify and summary is not None and not summary.compared:
        with note_if_interrupted(
            f"{location.display} was written, but not verified; run the same command again"
        ):
            summary.compared = verify(options, target, callbacks)
    if options.verify and summary is not None and options.audience:
        summary.read_by = _read_by_others(options, target, callbacks)
    return summary or Summary()


_SKIPPED = ("file-truncated", "piece-unreadable")
"""Notices of what ``--keep-going`` leaves out. The rest is copied."""


def _copy_store(
    options: CopyOptions,
    location: Location,
    callbacks: Callbacks,
    on_plan: Callable[[CopyPlan], bool],
) -> Summary | None:
    """Plan the copy and carry it out; return None if `on_plan` declines it."""
    from ncz.formats.write_plan import refuse_losses
    from ncz.transfer.move import report_unknown_codecs

    unread: list[Notice] = []

    def sort(notice: Notice) -> None:
        is_skipped = options.keep_going and notice.code in _SKIPPED
        if notice.is_left_behind and not is_skipped:
            unread.append(notice)
        else:
            callbacks.notify(notice)

    is_set = is_reference_set(location)
    check = SourceCheck()
    with (
        note_if_interrupted(f"{location.display} was not changed"),
        open_source(options, replace(callbacks, notify=sort), location, check) as dataset,
    ):
        if is_set:
            dataset = referable(dataset)
        plan = plan_copy(dataset, location, options, callbacks.notify)
        if is_set:
            refuse_large(plan)
        for variable in plan.variables:
            if variable.transfer is not None:
                report_unknown_codecs(variable.transfer, sort)

        def check_source() -> None:
            before = len(unread)
            check()
            if unread[before:] and not options.allow_loss:  # found while chunks were listed
                refuse_losses((*unread[before:], *plan.target.losses), False, callbacks.notify)

        plan = replace(plan, unread=tuple(unread), check_source=check_source)
        refuse_losses(plan.losses, options.allow_loss, callbacks.notify)
        changed = change_notice(plan.changes)
        if changed is not None:
            callbacks.notify(changed)
        if not on_plan(plan):
            return None
        callbacks.progress.expect(sum(variable.chunks for variable in plan.variables))
        try:
            summary = carry_out(plan, location, options, callbacks)
        except StoreExists:
            if not options.resume or options.overwrite or not _is_complete(plan, location):
                raise
            compared = verify(options, location)
            if not plan.target.has_metadata():  # what `verify` compares only where all can hold it
                raise
            return Summary(variables=len(plan.variables), compared=compared)
        for notice in unread[len(plan.unread) :]:  # found while data were read
            callbacks.notify(notice)
        sources = _stored(options)
        notices = (
            remarks(dataset, plan, location, sources)
            if is_set
            else plan.target.remarks(next(iter(sources), None))
        )
        for notice in notices:
            callbacks.notify(notice)
        return summary


def _stored(options: CopyOptions) -> list[Location]:
    """Return the sources that are not text."""
    return [source for source in options.sources if isinstance(source, Location)]


def _target(target: Location, options: CopyOptions, notify: Notify) -> Location:
    """Return the location of the target, which is a reference set if its name says so."""
    from ncz.commands.gen import writable
    from ncz.formats.foreign_names import is_name_of_set

    location = target.with_modes(options.modes)
    if is_name_of_set(location):
        location = location.with_modes(["reference"])
    return writable(location, options.kind, notify)


def _exists(location: Location) -> bool:
    from ncz.formats.opening import open_dataset

    try:
        with open_dataset(location):
            return True
    except StoreMissing:
        return False


def _is_complete(plan: CopyPlan, location: Location) -> bool:
    """Return whether the target exists, and is stored as it is planned.

    An earlier run may have completed it. Whether it has the same values is not known.
    """
    from ncz.formats.opening import open_dataset
    from ncz.formats.zarr.array import ZarrArray
    from ncz.formats.zarr.array_plan import ArrayPlan

    try:
        with open_dataset(location) as opened:
            provenance = opened.dataset.provenance
            form = {
                "zarr_format": provenance.zarr_format,
                "flavour": "nczarr" if provenance.superblock else "zarr",
                "consolidated": provenance.consolidated,
            }
            stored = {
                fqn: (data.layout, data.keys, data.encoding)
                for fqn, variable in variables_by_fqn(opened.dataset.root)
                if isinstance(data := variable.data, ZarrArray)
            }
    except NczError:  # the copy tells what is wrong
        return False
    arrays = [array for array in plan.target.arrays if isinstance(array, ArrayPlan)]
    planned = {array.fqn: (array.layout, array.keys, array.encoding) for array in arrays}
    return form == plan.target.details and stored == planned


# Copy a dataset to CDL text.


def copy_to_cdl(options: CopyOptions, callbacks: Callbacks) -> Summary:
    """Print the source as CDL to `options.target`, a stream or a path."""
    from ncz.cdl.printer import CdlOptions, print_cdl

    def sort(notice: Notice) -> None:
        if notice.lost and not options.allow_loss:
            raise LossError(
                notice.message, notice.location, f"use {option('allow_loss', True)} to omit it"
            )
        callbacks.notify(notice)

    check = SourceCheck()
    is_path = isinstance(options.target, str)
    note = f"{options.target} was not changed" if is_path else "the text is incomplete"
    with (
        note_if_interrupted(note),
        open_source(options, replace(callbacks, notify=sort), check=check) as dataset,
        _text_target(options) as target,
    ):
        wanted = with_data(dataset.root, options.reshape)
        is_all = options.reshape.data_of is None and options.reshape.data_of_groups is None
        named = None if is_all else tuple(sorted(wanted))
        cdl = CdlOptions(requested=RequestedData(variables=named))
        lengths = dimensions_by_fqn(dataset.root)
        printed = (shape_of(v, lengths) for f, v in variables_by_fqn(dataset.root) if f in wanted)
        callbacks.progress.expect(sum(map(math.prod, printed)), "values")
        print_cdl(dataset, cdl, target.write, callbacks.partial(options.allow_loss))
        check()
    return Summary(variables=len(wanted), ways={"write": len(wanted)})


def _text_target(options: CopyOptions) -> AbstractContextManager[BinaryIO]:
    """Return the stream that the text is written to. A file is complete or not created."""
    assert not isinstance(options.target, Location)
    if not isinstance(options.target, str):
        return contextlib.nullcontext(options.target)
    from ncz.zmap.local.creation import create_output

    return create_output(options.target, overwrite=options.overwrite)


_MOST_THREADS = 32


def carry_out(
    plan: CopyPlan,
    location: Location,
    options: CopyOptions,
    callbacks: Callbacks,
) -> Summary:
    """Write the planned store to `location`.

    Parameters
    ----------
    plan
        The plan of the copy.
    location
        The target, which is created complete or not at all.
    options
        The options with which the plan was made.
    callbacks
        Receives every chunk that is written, and a notice of every damaged chunk that is copied,
        or left out.

    Returns
    -------
    Summary
        What was written.

    Raises
    ------
    NczError
        If the source cannot be read, or the target cannot be written.
    """
    from ncz.parallel.threads import ThreadPool
    from ncz.zmap.opening import Claim

    summary = Summary(variables=len(plan.variables))
    for variable in plan.variables:
        summary.ways[variable.way] = summary.ways.get(variable.way, 0) + 1
    callbacks = callbacks.partial(options.allow_loss)
    claim = Claim(fingerprint(plan, options), options.resume)
    if options.dask is not None:
        from ncz.commands.copy.cluster import write_on_cluster

        write_on_cluster(plan, location, options, claim, callbacks, summary)
        for damage in summary.damaged:
            callbacks.notify(damage_notice(damage))
        return summary

    def kept() -> str:
        if not options.resume:
            resume = option("resume", True)
            return f"{location.display} was not changed; use {resume} to keep what is written"
        count = summary.chunks + summary.kept
        what = f"{counted(count, 'chunk')} {'is' if count == 1 else 'are'} kept"
        return f"{what}; run the same command again to resume the copy"

    with (
        ThreadPool(plan.memory, _threads(location, options)) as pool,
        note_if_interrupted(kept),
    ):
        plan.target.write(
            _Writing(plan, options, callbacks, pool, summary).write_array,
            overwrite=options.overwrite,
            claim=claim,
            check=plan.check_source,
            progress=callbacks.progress,
        )
    return summary


class _Writing:
    """Writes the arrays of a plan, and counts in `summary` what is written."""

    def __init__(
        self,
        plan: CopyPlan,
        options: CopyOptions,
        callbacks: Callbacks,
        pool: ThreadPool,
        summary: Summary,
    ) -> None:
        self._target = plan.target
        self._by_fqn = {variable.array.fqn: variable for variable in plan.variables}
        self._options = options
        self._callbacks = callbacks
        self._pool = pool
        self._summary = summary

    def write_array(self, array: TargetArray, store: ArrayStore) -> int:
        """Write the data of an array, and return how many chunks it has in the store."""
        from ncz.model.encoded import takes_chunks
        from ncz.transfer.move import move_chunks, refer_to_chunks
        from ncz.transfer.rechunk import rechunk_chunks
        from ncz.zmap import ReferringZmap

        variable, pool, on_error = self._by_fqn[array.fqn], self._pool, self._callbacks.on_error
        if variable.way == "write":
            return self._target.write_values(_reported(array, self._callbacks.progress), store)
        if variable.transfer is None:
            return 0
        assert takes_chunks(store)
        before = self._summary.chunks + self._summary.kept
        report, done = partial(self._report, array.fqn), self._keep(store)
        if variable.way == "raw" and isinstance(store, ReferringZmap):
            refer_to_chunks(variable.transfer, store, pool, report)
        elif variable.way == "rechunk":
            rechunk_chunks(variable.transfer, store, pool, report, done, on_error=on_error)
        else:
            move_chunks(
                variable.transfer, store, pool, report, done,
                raw=self._options.raw, on_error=on_error,
            )  # fmt: skip
        return self._summary.chunks + self._summary.kept - before

    def _keep(self, store: ArrayStore) -> Keep | None:
        """Return what keeps and counts the chunks of an earlier run; None if there is none."""
        from ncz.zmap import WritableZmap

        if not self._options.resume:
            return None
        keep = store.keep if isinstance(store, WritableZmap) else None

        def keeps(key: str, size: int | None = None) -> bool:
            if keep is None or not keep(key, size):
                return False
            self._summary.kept += 1
            return True

        return keeps

    def _report(self, fqn: str, step: Moved) -> None:
        self._summary.chunks += step.chunks
        self._summary.size += step.size
        self._callbacks.progress.advance(fqn, step.chunks, step.size)
        if step.damage is not None:
            self._summary.damaged.append(step.damage)
            self._callbacks.notify(damage_notice(step.damage))


def _reported(array: TargetArray, progress: Progress) -> TargetArray:
    """Return an array whose values are reported when they are read, as a share of its chunks."""
    source = array.variable.data
    if source is None:
        return array
    chunks, size = array.layout.grid.size, math.prod(source.grid.shape)
    read = reported = 0

    def report(count: int, nbytes: int) -> None:
        nonlocal read, reported
        read += count
        share = min(chunks, chunks * read // max(1, size))
        progress.advance(array.fqn, share - reported, nbytes)
        reported = share

    return replace(array, variable=replace(array.variable, data=watched_source(source, report)))


def damage_notice(damage: CodecError) -> Notice:
    """Return the notice of a damaged chunk that was copied."""
    return Notice(
        "chunk-damaged",
        f"{damage.message}; it was copied unchanged",
        damage.location,
        "restore it from another copy",
    )


def _threads(location: Location, options: CopyOptions) -> int:
    return options.threads or min(_MOST_THREADS, threads_for(location, options.source))


def fingerprint(plan: CopyPlan, options: CopyOptions) -> str:
    """Return a text that is the same for two copies just if one can resume the other."""
    described = [
        _identity(options.source),
        plan.target.identity,
        *(() if options.subset is None else (repr(options.subset),)),
        *(repr((variable.array.fqn, variable.way)) for variable in plan.variables),
    ]
    text = "\n".join(described).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


def _identity(source: Source) -> str:
    """Return the path or URL of a source without what does not change its content."""
    if not isinstance(source, Location):
        return source if isinstance(source, str) else ""
    rest = {key: value for key, value in source.options.items() if key != "timeout"}
    return replace(source, options=rest).exact


# Verify a copy: read source and target, and compare everything that the target can hold.


def verify(options: CopyOptions, location: Location, callbacks: Callbacks = NO_CALLBACKS) -> int:
    """Compare the store at `location` with the source.

    In pure Zarr without annotations, which holds neither types of attributes nor declared
    dimensions, those are not compared. Annotations are read even if the modes ask for pure Zarr.

    Returns
    -------
    int
        The number of values that were compared.

    Raises
    ------
    DifferenceError
        At the first difference.
    """
    from ncz.formats.nanoseconds import with_nanoseconds
    from ncz.formats.netcdf.losses import adapted, is_classic
    from ncz.formats.netcdf.strings import bytes_as_chars, strings_as_chars
    from ncz.formats.opening import open_dataset
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.compare import differences
    from ncz.transfer.compare_values import ValueComparison
    from ncz.transfer.difference import difference_error

    callbacks = replace(callbacks, notify=ignore_notice)  # the copy has reported everything
    whole = replace(location, modes=location.modes - {"nczarr", "zarr"})
    with (
        open_source(options, callbacks) as expected,
        open_dataset(whole, notify=callbacks.notify) as opened,
    ):
        found = opened.dataset
        provenance = found.provenance
        is_pure = provenance.zarr_format is not None and not provenance.superblock
        is_typed = not is_pure or provenance.annotated
        source = expected.provenance
        units = {fqn: variable.text("units") for fqn, variable in variables_by_fqn(found.root)}
        alike = {f for f, v in variables_by_fqn(expected.root) if units.get(f) == v.text("units")}
        expected = with_nanoseconds(expected, alike)
        if is_pure and not (source.superblock or source.annotated or provenance.annotated):
            expected = _without_hints(expected)
        if provenance.zarr_format == 3 and source.zarr_format == 2 and not source.superblock:
            expected = _without_masks(expected)
        if provenance.kind_of_file is not None:
            expected = bytes_as_chars(expected)
        if provenance.kind_of_file is not None and is_classic(provenance.kind_of_file):
            expected, _ = strings_as_chars(expected, provenance.kind_of_file)
            expected, _ = adapted(expected, provenance.kind_of_file)
        wanted = with_data(expected.root, options.reshape)
        # Two arrays are held at the same time, and temporary results of comparing them.
        with ThreadPool(options.data_memory // 3, _threads(location, options)) as pool:
            for difference in differences(
                expected,
                found,
                pool,
                with_data=wanted,
                typed=is_typed,
                extra_attributes=is_typed,
                how=ValueComparison(raw=True),
                callbacks=callbacks,
            ):
                raise difference_error(difference, location.display)
        return sum(_sizes(expected, wanted))


def _read_by_others(options: CopyOptions, location: Location, callbacks: Callbacks) -> list[str]:
    """Open the target with the programs that it is for; see `compare_with_readers`."""
    from ncz.formats.opening import open_dataset
    from ncz.transfer.by_readers import compare_with_readers

    whole = replace(location, modes=location.modes - {"nczarr", "zarr"})
    with open_dataset(whole, notify=ignore_notice) as opened:
        memory = options.data_memory // 3  # two arrays, and a comparison
        return compare_with_readers(opened, options.audience, memory, callbacks.notify)


def _without_hints(dataset: Dataset) -> Dataset:
    """Return a dataset without attributes that express Zarr dtypes, which pure copies keep."""
    if dataset.provenance.zarr_format is None:
        return dataset
    return _with_attributes(dataset, lambda _, a: a.original is not None)


def _without_masks(dataset: Dataset) -> Dataset:
    """Return a dataset without masks of text and of times, which V3 does not get from V2."""

    def is_kept(variable: Variable, attribute: Attribute) -> bool:
        if attribute.name != "_FillValue" or not isinstance(variable.data, EncodedSource):
            return True
        dtype = variable.data.stored_dtype
        return isinstance(dtype, str) and dtype.lstrip("<>|=")[:1] in ("b", "i", "u", "f", "c")

    return _with_attributes(dataset, is_kept)


def _with_attributes(dataset: Dataset, is_kept: Callable[[Variable, Attribute], bool]) -> Dataset:
    """Return a dataset with some attributes of variables only."""
    return each_variable(
        dataset,
        lambda _, v: replace(v, attributes=tuple(a for a in v.attributes if is_kept(v, a))),
    )


def _sizes(dataset: Dataset, wanted: frozenset[str]) -> Iterator[int]:
    lengths = dimensions_by_fqn(dataset.root)
    variables: Iterator[tuple[str, Variable]] = variables_by_fqn(dataset.root)
    yield from (math.prod(shape_of(v, lengths)) for fqn, v in variables if fqn in wanted)
