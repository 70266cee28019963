"""Append to a netCDF file: it is written again, longer, and replaced."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ncz.commands.append.join import axes_along, join_of, open_new, refuse_losses
from ncz.commands.append.verification import verify
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan, VariablePlan
from ncz.commands.copy.summary import Summary
from ncz.commands.joining.options import JoinOptions
from ncz.commands.option_error import OptionError
from ncz.errors import Callbacks, Notice, note_on_interrupt
from ncz.formats.kinds import GivenDataset
from ncz.formats.opening import open_dataset
from ncz.model.tree import dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.zmap.local.claims import claim_beside
from ncz.zmap.location import Location


@record
class LongerVariable:
    """A variable of a file that becomes longer: its plan, and its length before and after."""

    plan: VariablePlan
    before: int
    after: int

    @property
    def row(self) -> Mapping[str, Any]:
        """The plan for people and scripts."""
        sizes = {"bytes": self.plan.size, "bytes_beside": 0, "referred_bytes": 0}
        return {
            "variable": self.plan.array.fqn, "way": self.plan.way, "from": self.before,
            "to": self.after, "chunks": self.plan.chunks, **sizes,
        }  # fmt: skip


def append_in_file(
    options: CopyOptions,
    location: Location,
    threads: int,
    callbacks: Callbacks,
    on_plan: Callable[[Sequence[LongerVariable]], bool],
) -> Summary:
    """Append to a netCDF file. If it fails, the old file stays."""
    from ncz.commands.copy.dataset import copy_dataset

    assert options.append is not None
    with contextlib.ExitStack() as stack:
        if not options.dry_run and os.path.isfile(location.path):
            path = os.path.abspath(location.path)
            stack.enter_context(claim_beside(path, location.display))
        unread: list[Notice] = []
        opened = stack.enter_context(open_dataset(location, notify=unread.append))
        old = opened.dataset
        if options.create.asks_for_pieces:
            raise OptionError("only an aggregation has pieces", location.display)
        listening = replace(callbacks, notify=unread.append)
        news = stack.enter_context(open_new(options, location, listening, old))
        refuse_losses(unread, options, callbacks.notify)
        axes = axes_along(old, options.append, location.display)
        pool = stack.enter_context(ThreadPool(options.data_memory // 2, threads))
        joining = join_of(old, location.display, news, axes, options, pool, callbacks)
        whole = joining.dataset
        lengths = [dimensions_by_fqn(each.root) for each in (old, whole)]
        variables = dict(variables_by_fqn(old.root))

        def is_wanted(plan: CopyPlan) -> bool:
            found = []
            for each in plan.variables:
                fqn = each.array.fqn
                if fqn in axes:
                    before, after = (shape_of(variables[fqn], n)[axes[fqn]] for n in lengths)
                    found.append(LongerVariable(each, before, after))
            opened.check_unchanged()
            return on_plan(found)

        source = GivenDataset(name=location.display, open=lambda *_: contextlib.nullcontext(whole))
        how = replace(
            options, source=source, more_sources=(), append=None, subset=None, verify=False,
            join=JoinOptions(),
            create=replace(options.create, overwrite=True, kind=old.provenance.kind_of_file),
        )  # fmt: skip
        summary = copy_dataset(how, callbacks, is_wanted)
        if options.verify:
            with note_on_interrupt("the values were appended, but not verified"):
                summary.compared = verify(joining, location, axes, pool, callbacks)
        return summary
