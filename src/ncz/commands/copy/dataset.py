"""The copy of a dataset: a plan, and the files or objects that follow from it.

The copy is planned first. The plan lists the losses of the target, and says whether the chunks of
each variable are copied raw, recoded or rechunked. The plan is then shown, or carried out. Source
and target may be CDL text instead of stores.
"""

from __future__ import annotations

from collections.abc import Callable

from ncz.commands.copy.options import CopyOptions, for_cloud, thread_count
from ncz.commands.copy.plan import CopyPlan, change_notice, plan_copy
from ncz.commands.copy.refused_targets import explain, refuse_target
from ncz.commands.copy.resumption import is_complete
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
from ncz.commands.option_error import OptionError
from ncz.commands.references import (
    allow_source,
    folder_above,
    inline_of,
    refer_below,
    refuse_query,
    remarks,
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
    note_on_interrupt,
    option,
)
from ncz.record import replace
from ncz.zmap.location import Location
from ncz.zmap.opening import holds_no_chunks, is_reference_set


def _always(_: object) -> bool:
    return True


def copy_dataset(
    options: CopyOptions,
    callbacks: Callbacks = NO_CALLBACKS,
    on_plan: Callable[[CopyPlan], bool] = _always,
) -> Summary:
    """Copy a dataset; after an error, the target is unchanged.

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
        The numbers of written and compared objects.

    Raises
    ------
    LossError
        If the target cannot represent something, and `options.create.allow_loss` is not set.
    NczError
        If the source cannot be read, the target cannot be written, or they differ.
    """
    if options.verbatim:
        from ncz.commands.copy.verbatim import copy_verbatim

        return copy_verbatim(options, callbacks)
    options = for_cloud(options) if options.cloud else options
    if options.verify and options.create.changing_option:
        changing = option(options.create.changing_option, True)
        raise OptionError(f"{changing} changes values, which {option('verify', True)} would report")
    if not isinstance(options.target, Location):
        if options.dry_run:
            raise OptionError(f"{option('dry_run', True)} needs a target that is not CDL text")
        if options.digest:
            raise OptionError("CDL keeps no digests", None, f"omit {option('digest', True)}")
        from ncz.commands.copy.cdl import copy_to_cdl

        return copy_to_cdl(options, callbacks)
    location = target_of(options.target, options, callbacks.notify)
    target = location
    if options.prefix is not None:
        _check_prefix(options, location)
    if is_reference_set(location):
        target = location = with_options(location, options)
        for source in _stored_sources(options):
            refuse_query(source)
            target = allow_source(target, source)
    # The form of the target follows from the source, which is opened later.
    is_there = (
        options.verify and not options.create.overwrite and not options.resume and exists(location)
    )
    try:
        summary = Summary() if is_there else _copy_store(options, location, callbacks, on_plan)
    except StoreMissing as error:
        raise explain(error, options, location) from None
    if summary is None:
        return Summary()
    if options.prefix is not None:
        refer_below(location, options.prefix, _stored_sources(options))
    if options.verify:
        _verify(options, target, summary, callbacks)
    return summary


def _check_prefix(options: CopyOptions, location: Location) -> None:
    """Raise `OptionError` if the target has no names of sources, or would be read."""
    if not is_reference_set(location):
        raise OptionError(
            f"{option('prefix')} is for reference sets, whose sources have names",
            location.display,
            "name the target x.json or x.parquet, or leave it out",
        )
    if options.verify:
        raise OptionError(
            f"{option('prefix')} and {option('verify', True)} cannot be used together: the sources"
            " are not there yet"
        )
    if not folder_above(_stored_sources(options)).strip("/"):
        raise OptionError("no folder has all sources", option("prefix"), "copy each by itself")


def _verify(options: CopyOptions, target: Location, summary: Summary, callbacks: Callbacks) -> None:
    """Compare the target with the source, and let the programs that it is for read it."""
    from ncz.commands.copy.verification import read_by_others, verify

    if not summary.compared:
        with note_on_interrupt(
            f"{target.display} was written, but not verified; run the same command again"
        ):
            summary.compared = verify(options, target, callbacks)
    if options.create.audience:
        summary.read_by = read_by_others(options, target, callbacks)


_SKIPPED = ("file-truncated", "piece-unreadable")
"""Notices of parts that ``--keep-going`` omits. The rest is copied."""


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

    check = SourceCheck()
    refuse_target(options, location)
    with (
        note_on_interrupt(f"{location.display} was not changed"),
        open_source(options, replace(callbacks, notify=sort), location, check) as dataset,
    ):
        plan = plan_copy(dataset, location, options, callbacks.notify)
        if options.digest:
            from ncz.commands.copy.digests import with_digests

            plan = with_digests(plan, location, options)
        for variable in plan.variables:
            if variable.transfer is not None:
                report_unknown_codecs(variable.transfer, sort)

        def check_source() -> None:
            before = len(unread)
            check()
            if unread[before:] and not options.create.allow_loss:  # found while chunks were listed
                refuse_losses((*unread[before:], *plan.target.losses), False, callbacks.notify)

        plan = replace(
            plan,
            place=location.display,
            unread=tuple(unread),
            check_source=check_source,
            threads=thread_count(location, options),
            inline=inline_of(location),
            is_set=holds_no_chunks(location),
            is_uploaded=location.kind == "remote",
        )
        refuse_losses(plan.losses, options.create.allow_loss, callbacks.notify)
        changed = change_notice(plan.changes)
        if changed is not None:
            callbacks.notify(changed)
        if not on_plan(plan):
            return None
        callbacks.progress.expect(sum(variable.chunks for variable in plan.variables))
        try:
            summary = carry_out(plan, location, options, callbacks)
        except StoreExists:
            complete = _complete_copy(plan, location, options)
            if complete is None:
                raise
            return complete
        if holds_no_chunks(location):
            notices = remarks(dataset, plan, location, options)
        else:
            notices = plan.target.remarks(next(iter(_stored_sources(options)), None))
        for notice in (*unread[len(plan.unread) :], *notices):  # the first are of data
            callbacks.notify(notice)
        return summary


def _complete_copy(plan: CopyPlan, location: Location, options: CopyOptions) -> Summary | None:
    """Return the summary of a target that an earlier run completed; None if it is another one."""
    if not options.resume or options.create.overwrite or not is_complete(plan, location):
        return None
    from ncz.commands.copy.verification import verify

    compared = verify(options, location)
    if not plan.target.has_metadata():  # `verify` compares only what both can represent
        return None
    return Summary(variables=len(plan.variables), compared=compared)


def _stored_sources(options: CopyOptions) -> list[Location]:
    """Return the sources that are not text."""
    return [source for source in options.sources if isinstance(source, Location)]


def target_of(target: Location, options: CopyOptions, notify: Notify) -> Location:
    """Return the location of the target, which is a reference set if it has such a name."""
    from ncz.commands.gen import writable
    from ncz.formats.foreign_names import is_name_of_set

    location = target.with_modes(options.modes)
    if is_name_of_set(location):
        location = location.with_modes(["reference"])
    return writable(location, options.create.kind, notify)


def exists(location: Location) -> bool:
    from ncz.formats.opening import open_dataset

    try:
        with open_dataset(location):
            return True
    except StoreMissing:
        return False
