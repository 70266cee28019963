"""Append to an aggregation: new pieces, and then a new master."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence

from ncz.commands.append.additions import Addition
from ncz.commands.append.digests import with_grown_sums
from ncz.commands.append.join import axes_along, join_of, open_new, refuse_losses
from ncz.commands.append.verification import verify
from ncz.commands.changes import alone_here
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.summary import Summary
from ncz.commands.joining.axis_order import arrange_apart
from ncz.commands.joining.error import JoinError
from ncz.commands.option_error import OptionError
from ncz.errors import Callbacks, Notice, list_names, note_on_interrupt, option
from ncz.formats.create_options import CreateOptions
from ncz.formats.growth import Growth
from ncz.formats.opening import grow_aggregation, masters, open_dataset
from ncz.model.tree import base_name, dimensions_by_fqn, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.zmap.local.claims import claim_beside
from ncz.zmap.location import Location


def append_pieces(
    options: CopyOptions,
    location: Location,
    threads: int,
    callbacks: Callbacks,
    on_plan: Callable[[Sequence[Addition | Growth]], bool],
) -> Summary | None:
    """Append to an aggregation; return None for another dataset."""
    assert options.append is not None
    with contextlib.ExitStack() as stack:
        if not options.dry_run:
            # HDF5 locks the files that it reads, so that a file is claimed and not locked.
            is_file = os.path.isfile(location.path)
            path = os.path.abspath(location.path)
            alone = claim_beside(path, location.display) if is_file else alone_here(location)
            stack.enter_context(alone)
        unread: list[Notice] = []
        opened = stack.enter_context(open_dataset(location, notify=unread.append))
        old = opened.dataset
        if old.provenance.aggregation is None:
            return None
        news = stack.enter_context(
            open_new(options, location, replace(callbacks, notify=unread.append), old)
        )
        refuse_losses(unread, options, callbacks.notify)
        axes = axes_along(old, options.append, location.display)
        others = [n for n, _ in options.create.pieces.lengths if n != base_name(options.append)]
        if others or options.create.pieces.largest is not None:
            along = f"along {others[0]}" if others else "along other dimensions"
            raise OptionError(f"new pieces are as long {along} as the old ones", location.display)
        pool = stack.enter_context(ThreadPool(options.data_memory // 2, threads))
        joining = join_of(old, location.display, news, axes, options, pool, callbacks)
        ours, lengths = dict(variables_by_fqn(old.root)), dimensions_by_fqn(old.root)
        counts = {}
        for fqn, axis in axes.items():
            along = ours[fqn].dimensions[axis]
            found = joining.arrangements[along]
            if found.kept_count < lengths[along].size:
                raise JoinError(
                    f"values along {along} do not all follow the values of {location.display},"
                    " whose pieces stay unchanged",
                    list_names(joining.names[1:]),
                    f"use {option('overlap', 'first')}, or join with {option('concat')}",
                )
            counts[fqn] = found.length - found.kept_count
        growths = masters().growths(
            location,
            old,
            axes,
            counts,
            dict(options.create.pieces.lengths),
            options.create.pieces.format,
        )
        longer = [each for each in growths if each.fqn in axes]
        summary = Summary(variables=len(axes))
        if not on_plan(longer):
            return summary
        callbacks.progress.expect(sum(each.count for each in longer), "values")
        joined = joining.arrange_by(arrange_apart)
        growths = with_grown_sums(growths, joined, pool)
        create = CreateOptions(kind=old.provenance.kind_of_file)
        summary.chunks = grow_aggregation(
            joined,
            location,
            growths,
            create,
            check=opened.check_unchanged,
            progress=callbacks.progress,
        )
        if options.verify:
            with note_on_interrupt("the values were appended, but not verified"):
                summary.compared = verify(joining, location, axes, pool, callbacks)
        return summary
