"""append: add a dataset to an existing store along a dimension."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from ncz.commands.append.additions import Addition, OnPlan, plan_additions
from ncz.commands.append.attributes import set_attributes
from ncz.commands.append.digests import update_digests
from ncz.commands.append.file import append_in_file
from ncz.commands.append.join import axes_along, join_of, open_new, refuse_losses
from ncz.commands.append.pieces import append_pieces
from ncz.commands.append.verification import verify
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.sentence import description_of
from ncz.commands.copy.summary import Summary
from ncz.commands.opened_change import opened_change
from ncz.commands.option_error import OptionError
from ncz.commands.sources import threads_for
from ncz.errors import (
    NO_CALLBACKS,
    Callbacks,
    ForeignFile,
    Progress,
    StoreMissing,
    note_on_interrupt,
    option,
)
from ncz.formats.opening import masters
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.transfer.chunk_updates import move_some, write_some
from ncz.transfer.move import Way
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.foreign import TO_ZARR
from ncz.zmap.location import Location


def append(
    options: CopyOptions,
    callbacks: Callbacks = NO_CALLBACKS,
    on_plan: OnPlan = lambda _: True,
) -> Summary:
    """Append a dataset to the one at `options.target` along the dimension `options.append`.

    An aggregation gets new pieces, and then a new master in one step. A netCDF file is written
    again, and replaced. In other stores, chunks are written first: readers ignore chunks outside
    the shape of an array, and values of a partial chunk outside it. All documents are written
    afterwards, behind a journal. If values of the store are replaced, it is built again next to the
    old one, with links to unchanged objects.

    Parameters
    ----------
    options
        The datasets to append, and the store.
    callbacks
        Receives notices for the user, and every chunk that is written.
    on_plan
        Called with the plan; nothing is written if it returns False.

    Raises
    ------
    JoinError
        If the datasets do not agree.
    NczError
        If one of the datasets cannot be read, or the store cannot be changed.
    """
    location = options.target
    assert isinstance(location, Location)
    try:
        with note_on_interrupt(f"{location.display} has its old length; append again"):
            return _append(options, location, callbacks, on_plan)
    except StoreMissing as error:
        if error.location == location.display:
            new = f"to create it, omit {option('append')}, or use {option('concat')}"
            error.hint = f"{error.hint}; {new}" if error.hint else new
        raise


def _append(
    options: CopyOptions,
    location: Location,
    callbacks: Callbacks,
    on_plan: OnPlan,
) -> Summary:
    threads = options.threads or threads_for(location)
    summary = None
    if masters().may_be_file(location):
        summary = append_pieces(options, location, threads, callbacks, on_plan)
    if summary is not None:
        return summary
    try:
        return _append_chunks(options, location, threads, callbacks, on_plan, _refuse_master)
    except _MayBeMaster:
        summary = append_pieces(options, location, threads, callbacks, on_plan)
    except ForeignFile as error:
        if error.hint != TO_ZARR or error.location != location.display:
            raise
        return append_in_file(options, location, threads, callbacks, on_plan)
    if summary is not None:
        return summary
    return _append_chunks(options, location, threads, callbacks, on_plan, lambda _: None)


class _MayBeMaster(Exception):
    """A store is opened that may be a master, which gets pieces instead of chunks."""


def _refuse_master(zmap: Zmap) -> None:
    if masters().may_be(zmap):
        raise _MayBeMaster


def _append_chunks(
    options: CopyOptions,
    location: Location,
    threads: int,
    callbacks: Callbacks,
    on_plan: OnPlan,
    check: Callable[[Zmap], None],
) -> Summary:
    assert options.append is not None
    if options.create.asks_for_pieces:
        raise OptionError("only an aggregation has pieces", location.display)
    with contextlib.ExitStack() as stack:
        change = stack.enter_context(opened_change(location, dry_run=options.dry_run, check=check))
        draft, unread = change.draft, change.unread
        zmap, old = change.store.zmap, change.opened.dataset
        news = stack.enter_context(
            open_new(options, location, replace(callbacks, notify=unread.append), old)
        )
        refuse_losses(unread, options, callbacks.notify)
        axes = axes_along(old, options.append, location.display)
        pool = stack.enter_context(ThreadPool(options.data_memory // 2, threads))
        joining = join_of(old, zmap.url, news, axes, options, pool, callbacks)
        additions = [
            replace(each, refers_above=zmap.refers_above, is_set=zmap.refers)
            for each in plan_additions(joining.datasets, joining.arrangements, axes, draft)
        ]
        replaces = any(addition.replaces for addition in additions)
        if replaces:
            first, concat = option("overlap", "first"), option("concat")
            change.require_replaceable(f"use {first}, or join with {concat} to a new store")
        summary = Summary(variables=len(additions))
        if not on_plan(additions):
            return summary
        callbacks.progress.expect(sum(addition.count for addition in additions))
        set_attributes(draft, old, joining.agreement)
        update_digests(draft, old, additions, pool)

        def write(target: WritableZmap, writers: ThreadPool) -> None:
            for addition in additions:
                write_addition(addition, target, writers, summary, callbacks.progress)

        change.apply(
            frozenset(key for addition in additions for key in addition.changed_keys()), write,
            replaces=replaces, memory=options.data_memory // 2, threads=threads,
            description=description_of(options), progress=callbacks.progress,
        )  # fmt: skip
        if options.verify:
            with note_on_interrupt("the values were appended, but not verified"):
                summary.compared = verify(joining, location, axes, pool, callbacks)
        return summary


def write_addition(
    addition: Addition,
    target: WritableZmap,
    pool: ThreadPool,
    summary: Summary,
    progress: Progress,
) -> None:
    """Write the chunks of a longer variable, and count them."""
    report = summary.reporter(addition.array.fqn, progress)
    way: Way = "raw" if addition.chunks is not None else "recode"
    summary.ways[way] = summary.ways.get(way, 0) + 1
    array, indices = addition.array, addition.indices()
    if addition.chunks is not None:
        move_some(addition.chunks, array, indices, target, pool, report)
    elif addition.source is not None:
        write_some(addition.source, array, indices, target, pool, report)
    target.delete_many(addition.removed_keys())
