"""copy: one store becomes another, as with netCDF's nccopy.

The copy is planned first: what the target cannot hold, and for each variable whether its chunks are
copied raw, recoded or rechunked. The plan is then shown, or carried out. Source and target may be
CDL text instead of stores.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator

from ncz.commands.copy.execution import carry_out
from ncz.commands.copy.options import CopyOptions, Summary, for_cloud
from ncz.commands.copy.plan import CopyPlan, change_notice, plan_copy, refuse_losses
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
from ncz.commands.sources import SourceCheck
from ncz.errors import (
    LossError,
    NczError,
    Notice,
    Notify,
    StoreExists,
    StoreMissing,
    ignore_notice,
    note_if_interrupted,
    option,
    raise_error,
    report_unreadable,
)
from ncz.formats.netcdf.preparing import prepare_to_open
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.record import replace
from ncz.zmap.location import Location
from ncz.zmap.opening import is_reference_set


def copy(
    options: CopyOptions,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
    on_plan: Callable[[CopyPlan], bool] = lambda _: True,
) -> Summary:
    """Copy a dataset; if that fails, the target is as it was before.

    Parameters
    ----------
    options
        What to copy where, and how.
    notify
        Called with a notice of everything that the user should know.
    progress
        Receives every chunk that is written, and every value that is compared.
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
        return copy_to_cdl(options, notify, progress)
    location = _target(options.target, options)
    made = location
    if is_reference_set(location):
        made = location = with_options(location, options)
        for source in _stored(options):
            refuse_query(source)
            made = trusted(made, source)
    # The form of the target follows from the source, which is opened later.
    exists = options.verify and not options.overwrite and not options.resume and _exists(location)
    summary = Summary() if exists else _copy_store(options, location, notify, progress, on_plan)
    if options.verify and summary is not None and not summary.compared:
        from ncz.commands.copy.execution import verify

        with note_if_interrupted(
            f"{location.display} was written, but not verified; run the same command again"
        ):
            summary.compared = verify(options, made, progress)
    return summary or Summary()


def _copy_store(
    options: CopyOptions,
    location: Location,
    notify: Notify,
    progress: Progress,
    on_plan: Callable[[CopyPlan], bool],
) -> Summary | None:
    """Plan the copy and carry it out; return None if `on_plan` declines it."""
    if isinstance(options.source, Location) and prepare_to_open(options.source):
        import ncz.formats.zarr.target  # noqa: F401 (most copies need it after the source is open)
    from ncz.transfer.move import report_unknown_codecs

    unread: list[Notice] = []

    def sort(notice: Notice) -> None:
        if notice.is_left_behind:
            unread.append(notice)
        else:
            notify(notice)

    is_set = is_reference_set(location)
    check = SourceCheck()
    with (
        note_if_interrupted(f"{location.display} was not changed"),
        open_source(options, sort, location, check, progress) as dataset,
    ):
        if is_set:
            dataset = referable(dataset)
        plan = plan_copy(dataset, location, options, notify)
        if is_set:
            refuse_large(plan)
        for variable in plan.variables:
            if variable.transfer is not None:
                report_unknown_codecs(variable.transfer, sort)

        def check_source() -> None:
            before = len(unread)
            check()
            if unread[before:] and not options.allow_loss:  # found while chunks were listed
                refuse_losses(replace(plan, unread=tuple(unread[before:])), False, notify)

        plan = replace(plan, unread=tuple(unread), check_source=check_source)
        refuse_losses(plan, options.allow_loss, notify)
        changed = change_notice(plan.changes)
        if changed is not None:
            notify(changed)
        if not on_plan(plan):
            return None
        progress.expect(sum(variable.chunks for variable in plan.variables))
        try:
            summary = carry_out(plan, location, options, progress, notify)
        except StoreExists:
            if not options.resume or options.overwrite or not _is_complete(plan, location):
                raise
            from ncz.commands.copy.execution import verify

            return Summary(variables=len(plan.variables), compared=verify(options, location))
        for notice in unread[len(plan.unread) :]:  # found while data were read
            notify(notice)
        sources = _stored(options)
        notices = (
            remarks(dataset, plan, location, sources)
            if is_set
            else plan.target.remarks(next(iter(sources), None))
        )
        for notice in notices:
            notify(notice)
        return summary


def _stored(options: CopyOptions) -> list[Location]:
    """Return the sources that are not text."""
    return [source for source in options.sources if isinstance(source, Location)]


def _target(target: Location, options: CopyOptions) -> Location:
    """Return the location of the target, which is a reference set if its name says so."""
    from ncz.commands.gen import writable
    from ncz.formats.opening import is_name_of_set

    location = target.with_modes(options.modes)
    if is_name_of_set(location):
        location = location.with_modes(["reference"])
    return writable(location, options.kind)


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
    from ncz.formats.zarr.plan import ArrayPlan
    from ncz.model.tree import variables_by_fqn

    try:
        with open_dataset(location) as opened:
            made = opened.dataset.provenance
            form = {
                "zarr_format": made.zarr_format,
                "flavour": "nczarr" if made.superblock else "zarr",
                "consolidated": made.consolidated,
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


def copy_to_cdl(options: CopyOptions, notify: Notify, progress: Progress) -> Summary:
    """Print the source as CDL to `options.target`, a stream or a path."""
    from ncz.cdl.print.printer import CdlOptions, print_cdl

    def sort(notice: Notice) -> None:
        if notice.lost and not options.allow_loss:
            raise LossError(
                notice.message, notice.location, f"use {option('allow_loss', True)} to omit it"
            )
        notify(notice)

    on_error = report_unreadable(notify) if options.allow_loss else raise_error
    check = SourceCheck()
    is_path = isinstance(options.target, str)
    note = f"{options.target} was not changed" if is_path else "the text is incomplete"
    with (
        note_if_interrupted(note),
        open_source(options, sort, check=check, progress=progress) as dataset,
        _text_target(options) as write,
    ):
        wanted = with_data(dataset.root, options.reshape)
        is_all = options.reshape.data_of is None and options.reshape.data_of_groups is None
        cdl = CdlOptions(variables=None if is_all else tuple(sorted(wanted)))
        lengths = dimensions_by_fqn(dataset.root)
        printed = (shape_of(v, lengths) for f, v in variables_by_fqn(dataset.root) if f in wanted)
        progress.expect(sum(map(math.prod, printed)), "values")
        print_cdl(dataset, cdl, write, notify, on_error, progress)
        check()
    return Summary(variables=len(wanted), ways={"write": len(wanted)})


@contextlib.contextmanager
def _text_target(options: CopyOptions) -> Iterator[Callable[[bytes], object]]:
    """Give a function that writes the text. A file is created complete or not at all."""
    assert not isinstance(options.target, Location)
    if not isinstance(options.target, str):
        yield options.target.write
        return
    from ncz.zmap.local.locks import partial_name
    from ncz.zmap.os_errors import storage_error

    path = options.target
    if os.path.isdir(path):
        raise StoreExists("already exists: it is a directory", path, "use another name")
    if os.path.lexists(path) and not options.overwrite:
        raise StoreExists("already exists", path, f"use {option('overwrite', True)} to replace it")
    partial = os.path.join(os.path.dirname(os.path.abspath(path)), partial_name())
    try:
        with open(partial, "xb") as file:
            yield file.write
        os.replace(partial, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        if isinstance(error, OSError) and not isinstance(error, NczError):
            raise storage_error(error, path, "write") from error
        raise
