"""copy: one store becomes another, as with netCDF's nccopy.

The copy is planned first: what the target cannot hold, and for each variable whether its chunks are
copied raw, recoded or rechunked. The plan is then shown, or carried out. Source and target may be
CDL text instead of stores.
"""

from __future__ import annotations

from collections.abc import Callable

from ncz.commands.copy.cdl import copy_to_cdl
from ncz.commands.copy.options import CopyOptions, for_cloud
from ncz.commands.copy.plan import CopyPlan, change_notice, plan_copy
from ncz.commands.copy.resumption import is_complete
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
from ncz.commands.copy.verification import read_by_others, verify
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
    NO_CALLBACKS,
    Callbacks,
    Notice,
    Notify,
    StoreExists,
    StoreMissing,
    note_if_interrupted,
)
from ncz.record import replace
from ncz.zmap.location import Location
from ncz.zmap.opening import holds_no_chunks, is_reference_set


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
        for source in _stored_sources(options):
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
        summary.read_by = read_by_others(options, target, callbacks)
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
    from ncz.commands.copy.execution import carry_out
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
        if holds_no_chunks(location):
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
            if not options.resume or options.overwrite or not is_complete(plan, location):
                raise
            compared = verify(options, location)
            if not plan.target.has_metadata():  # what `verify` compares only where all can hold it
                raise
            return Summary(variables=len(plan.variables), compared=compared)
        for notice in unread[len(plan.unread) :]:  # found while data were read
            callbacks.notify(notice)
        sources = _stored_sources(options)
        notices = (
            remarks(dataset, plan, location, sources)
            if holds_no_chunks(location)
            else plan.target.remarks(next(iter(sources), None))
        )
        for notice in notices:
            callbacks.notify(notice)
        return summary


def _stored_sources(options: CopyOptions) -> list[Location]:
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
