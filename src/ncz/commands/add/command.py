"""Add the variables of a dataset to an existing one, as one change."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from ncz.commands.add.parts import part_to_add, with_part
from ncz.commands.append.join import refuse_losses
from ncz.commands.copy.execution import ArrayWriter, begun_summary
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan, plan_copy
from ncz.commands.copy.sentence import description_of
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
from ncz.commands.joining.error import JoinError
from ncz.commands.opened_change import OpenedChange, opened_change
from ncz.commands.sources import name_of, threads_for
from ncz.errors import NO_CALLBACKS, Callbacks, NczError, note_on_interrupt, option
from ncz.formats.edits import Edit
from ncz.formats.kinds import GivenDataset
from ncz.formats.opening import masters, open_dataset
from ncz.formats.store_draft import StoreDraft
from ncz.formats.write_plan import refuse_losses as refuse_losses_of_target
from ncz.model.tree import Dataset, each_dimension, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.zmap import WritableZmap
from ncz.zmap.key import is_chunk_path
from ncz.zmap.location import Location

OnPlan = Callable[[CopyPlan], bool]


def add(
    options: CopyOptions,
    callbacks: Callbacks = NO_CALLBACKS,
    on_plan: OnPlan = lambda _: True,
) -> Summary:
    """Add the variables of a dataset to the dataset at `options.target`.

    Variables of the same name are replaced, unless they are equal; others stay. Attributes of
    groups are added. If nothing exists at the target, the dataset is copied there. A store gets new
    chunks, and then its documents, behind a journal; if its values are replaced, it is built again
    next to the old one, with links to unchanged objects. A netCDF file is written again, and
    replaced.

    Parameters
    ----------
    options
        The dataset to add, and its target.
    callbacks
        Receives notices for the user, and every chunk that is written.
    on_plan
        Called with the plan; nothing is written if it returns False.

    Raises
    ------
    JoinError
        If the dimensions of the two datasets differ.
    NczError
        If one of the datasets cannot be read, or the other one cannot be changed.
    """
    from ncz.commands.copy.dataset import copy_dataset, exists

    location = options.target
    if not isinstance(location, Location):
        raise JoinError(f"{option('add', True)} needs a store or a netCDF file as target")
    if not exists(location):
        return copy_dataset(replace(options, add=False), callbacks, on_plan)
    with note_on_interrupt(f"{location.display} was not changed"):
        if masters().may_be_file(location):
            with open_dataset(location) as opened:
                provenance = opened.dataset.provenance
                if provenance.aggregation is not None:
                    raise _of_aggregation(location)
                if provenance.is_netcdf_file:
                    return _rewrite(opened.dataset, location, options, callbacks, on_plan)
        return _add_to_store(options, location, callbacks, on_plan)


def _of_aggregation(location: Location) -> JoinError:
    return JoinError(
        "variables cannot be added to an aggregation", location.display,
        "copy it to a store, and add to that",
    )  # fmt: skip


def _rewrite(
    old: Dataset,
    location: Location,
    options: CopyOptions,
    callbacks: Callbacks,
    on_plan: OnPlan,
) -> Summary:
    """Write a file again with the added parts."""
    from ncz.commands.copy.dataset import copy_dataset

    name = name_of(options.source)
    with (
        open_source(options, callbacks, location, like=old) as new,
        ThreadPool(options.data_memory // 2, options.threads or threads_for(location)) as pool,
    ):
        part = part_to_add(old, new, name, pool)
        if part.is_empty:
            return Summary()
        whole = with_part(old, part)
        source = GivenDataset(name=name, open=lambda *_: contextlib.nullcontext(whole))
        how = replace(
            options, source=source, more_sources=(), concat=None, new_dimension=None, add=False,
            subset=None, create=replace(options.create, overwrite=True),
        )  # fmt: skip
        return copy_dataset(how, callbacks, on_plan)


def _add_to_store(
    options: CopyOptions, location: Location, callbacks: Callbacks, on_plan: OnPlan
) -> Summary:
    with contextlib.ExitStack() as stack:
        change = stack.enter_context(opened_change(location, dry_run=options.dry_run))
        draft, unread = change.draft, change.unread
        old = change.opened.dataset
        if old.provenance.aggregation is not None or masters().may_be(change.store.zmap):
            raise _of_aggregation(location)
        place = location.with_modes(draft.modes)
        listening = replace(callbacks, notify=unread.append)
        new = stack.enter_context(open_source(options, listening, place, like=old))
        threads = options.threads or threads_for(location)
        name = name_of(options.source)
        with ThreadPool(options.data_memory // 2, threads) as pool:
            part = part_to_add(old, new, name, pool)
        # An addition that was killed left chunks without documents, which are replaced.
        replaced_chunks = {
            change.store.zmap.where(fqn[1:]) for fqn, _ in variables_by_fqn(part.dataset.root)
        }
        losses = [
            notice
            for notice in unread
            if notice.code != "object-left-out" or notice.location not in replaced_chunks
        ]
        refuse_losses(losses, options, callbacks.notify)
        if part.is_empty:
            return Summary()
        how = replace(
            options,
            create=replace(
                options.create,
                consolidated="consolidated" in draft.modes,
                annotations=draft.is_annotated,
                audience=(),
            ),
        )
        plan = plan_copy(_as_in(draft, part.dataset), place, how, callbacks.notify)
        refuse_losses_of_target(plan.losses, options.create.allow_loss, callbacks.notify)
        replaced = [array.fqn for array in plan.target.arrays if array.fqn[1:] in draft.nodes]
        if replaced and not options.dry_run:
            change.require_replaceable("use another name, or an Icechunk repository")
        if not on_plan(replace(plan, place=location.display)):
            return Summary()
        for fqn, attributes in part.attributes.items():
            for each in attributes:
                draft.edit(Edit(action="set", node=fqn[1:], name=each.name, attribute=each))
        draft.add(plan.target, frozenset())
        callbacks.progress.expect(sum(variable.chunks for variable in plan.variables))
        return _carry_out(plan, change, replaced, how, threads, callbacks)


def _as_in(draft: StoreDraft, part: Dataset) -> Dataset:
    """Return a part with fixed dimensions for a store without unlimited ones.

    Pure Zarr has unlimited dimensions only with annotations.
    """
    if not draft.is_pure or draft.is_annotated:
        return part
    return each_dimension(part, lambda _, d: replace(d, unlimited=False))


def _carry_out(
    plan: CopyPlan,
    change: OpenedChange,
    replaced: Sequence[str],
    options: CopyOptions,
    threads: int,
    callbacks: Callbacks,
) -> Summary:
    """Write the chunks of the variables of a plan, and then the documents of the store."""
    summary = begun_summary(plan)
    zmap = change.store.zmap
    stale = [
        key
        for array in plan.target.arrays
        for key in zmap.walk(array.fqn[1:])
        if is_chunk_path(key[len(array.fqn) :])
    ]
    complete: set[str] = set()

    def write(target: WritableZmap, writers: ThreadPool) -> None:
        target.delete_many(stale)
        try:
            write_arrays(target, writers)
        except BaseException:
            if not replaced:  # otherwise the store is built again, or chunks are next to it
                keys = [key for a in plan.target.arrays for key in target.walk(a.fqn[1:])]
                with contextlib.suppress(NczError):
                    target.delete_many(keys)
            raise

    def write_arrays(target: WritableZmap, writers: ThreadPool) -> None:
        writer = ArrayWriter(plan, options, callbacks, writers, summary, resumes=False)
        for array in plan.target.arrays:
            if writer.write_array(array, target) == array.layout.grid.size:
                complete.add(array.fqn)

    change.apply(
        frozenset(stale), write, replaces=bool(replaced), memory=plan.memory, threads=threads,
        description=description_of(options), progress=callbacks.progress,
        finish=lambda: change.draft.add(plan.target, complete),
    )  # fmt: skip
    return summary
