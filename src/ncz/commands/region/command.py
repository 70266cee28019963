"""Write a dataset into a region of a store, as one change."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence

from ncz.commands.append.join import refuse_losses
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.sentence import description_of
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
from ncz.commands.joining.agreement import differ_in_values
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.forms import JoinKind, VariableForm
from ncz.commands.joining.numbers import numbers_of
from ncz.commands.opened_change import OpenedChange, opened_change
from ncz.commands.region.digests import update_digests
from ncz.commands.region.patch import Patch
from ncz.commands.region.placement import places_of
from ncz.commands.sources import name_of, threads_for
from ncz.errors import NO_CALLBACKS, Callbacks, list_names, note_on_interrupt, option
from ncz.formats.chunks import as_written, check_chunk_size
from ncz.formats.kinds import OpenOptions
from ncz.formats.opening import masters, open_dataset
from ncz.formats.store_draft import StoreDraft
from ncz.late import numpy as np
from ncz.model.data import SLAB, read_box
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import slabs
from ncz.model.overlaid_source import OverlaidSource, Place, touched_chunks
from ncz.model.subset import subset_source
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.parallel.threads import ThreadPool
from ncz.record import replace
from ncz.transfer.chunk_updates import write_some
from ncz.transfer.difference import DifferenceError
from ncz.zmap import WritableZmap
from ncz.zmap.location import Location

_OTHER_WAY = "copy it, and write into the copy, or use an Icechunk repository"


def write_region(
    options: CopyOptions,
    callbacks: Callbacks = NO_CALLBACKS,
    on_plan: Callable[[Sequence[Patch]], bool] = lambda _: True,
) -> Summary:
    """Write a dataset into the region `options.into` of the store `options.target`.

    Values are converted to the store's form: times to its units, and packed values to its packing.
    Its attributes stay. The chunks of the region are written again; a store on the local disk is
    built next to the old one, with links to unchanged objects, so that the change is made
    completely or not at all.

    Parameters
    ----------
    options
        What to write where.
    callbacks
        Receives a notice of everything that the user should know, and every chunk that is written.
    on_plan
        Called with the plan; nothing is written if it returns False.

    Raises
    ------
    JoinError
        If the dataset does not fit into the store.
    NczError
        If one of the datasets cannot be read, or the store cannot be changed.
    """
    location = options.target
    if not isinstance(location, Location):
        raise JoinError(f"{option('into')} needs an existing store as target")
    with note_on_interrupt(f"{location.display} was not changed"):
        return _write_region(options, location, callbacks, on_plan)


def _write_region(
    options: CopyOptions,
    location: Location,
    callbacks: Callbacks,
    on_plan: Callable[[Sequence[Patch]], bool],
) -> Summary:
    name = name_of(options.source)
    refuse_file(location)
    with contextlib.ExitStack() as stack:
        change = stack.enter_context(opened_change(location, dry_run=options.dry_run))
        draft, unread = change.draft, change.unread
        if not options.dry_run:
            change.require_replaceable(_OTHER_WAY)
        old = change.opened.dataset
        refuse_region(old, location)
        listening = replace(callbacks, notify=unread.append)
        new = stack.enter_context(open_source(options, listening, like=old))
        refuse_losses(unread, options, callbacks.notify)
        threads = options.threads or threads_for(location)
        with ThreadPool(options.data_memory // 2, threads) as pool:
            patches = _patches(old, new, options, name, draft, pool)
        summary = Summary(variables=len(patches))
        if not on_plan(patches):
            return summary
        change_chunks(
            change, dict(variables_by_fqn(old.root)), patches, memory=options.data_memory,
            threads=threads, callbacks=callbacks, description=description_of(options),
            summary=summary,
        )  # fmt: skip
        if options.verify:
            with note_on_interrupt("the values were written, but not verified"):
                summary.compared = _verify(patches, location)
        return summary


def refuse_file(location: Location) -> None:
    """Raise `JoinError` for a file, which no store can be opened at."""
    if masters().may_be_file(location):
        with open_dataset(location) as opened:
            refuse_region(opened.dataset, location)


def refuse_region(dataset: Dataset, location: Location) -> None:
    """Raise `JoinError` for an aggregation, whose values are in other files, and for a file."""
    provenance = dataset.provenance
    if provenance.aggregation is not None:
        raise JoinError(
            "values of an aggregation cannot be replaced", location.display,
            "write into the file of the piece",
        )  # fmt: skip
    if provenance.is_netcdf_file:
        raise JoinError(
            "values of a netCDF file cannot be replaced", location.display,
            "copy it to a store, and write into that",
        )  # fmt: skip


def change_chunks(
    change: OpenedChange,
    old: Mapping[str, Variable],
    patches: Sequence[Patch],
    *,
    memory: int,
    threads: int,
    callbacks: Callbacks,
    description: str,
    summary: Summary | None = None,
) -> None:
    """Write the chunks of patches: all of them, or none.

    Parameters
    ----------
    change
        The store, and its documents, where kept digests change to match the new values.
    old
        Its variables by FQN.
    patches
        The new values.
    memory, threads
        Bytes that data may take, and the number of threads.
    callbacks
        Receives each chunk that is written.
    description
        The change, for the history of stores that have one.
    summary
        Counts the written chunks and bytes.
    """
    change.require_replaceable(_OTHER_WAY)
    counted = Summary() if summary is None else summary
    callbacks.progress.expect(sum(len(patch.indices) for patch in patches))

    def write(target: WritableZmap, writers: ThreadPool) -> None:
        for patch in patches:
            _write(patch, target, writers, counted, callbacks)

    with ThreadPool(memory // 2, threads) as pool:
        update_digests(change.draft, old, patches, pool)
    change.apply(
        frozenset(p.array.chunk_key(index) for p in patches for index in p.indices), write,
        replaces=True, memory=memory // 2, threads=threads, description=description,
        progress=callbacks.progress,
    )  # fmt: skip


def _patches(
    old: Dataset,
    new: Dataset,
    options: CopyOptions,
    name: str,
    draft: StoreDraft,
    pool: ThreadPool,
) -> list[Patch]:
    """Return the new values of every variable that has a dimension of the region."""
    assert options.into is not None
    assert isinstance(options.target, Location)
    ours = dict(variables_by_fqn(old.root))
    theirs = dict(variables_by_fqn(new.root))
    unknown = sorted(theirs.keys() - ours.keys())
    if unknown:
        raise JoinError(
            f"the store has no variable {list_names(unknown)}",
            name,
            f"leave it out with {option('exclude', unknown[0].lstrip('/'))}",
        )
    conformed = {
        fqn: _conform(fqn, ours[fqn], variable, old, new, options, name)
        for fqn, variable in theirs.items()
    }
    places = places_of(old, _with(new, conformed), options.into, name)
    written = [fqn for fqn, v in conformed.items() if _is_written(fqn, v, ours[fqn], places)]
    others = [fqn for fqn in theirs if fqn not in written and fqn not in places]
    differing = differ_in_values(old, new, others, options.join, pool)
    if differing:
        raise JoinError(
            f"{list_names(sorted(differing))} differs from the store, and has no dimension of the"
            " region",
            name,
            f"leave it out with {option('exclude')}, or write a new store",
        )
    return [
        patch_of(
            fqn, ours[fqn], conformed[fqn], tuple(places[d] for d in ours[fqn].dimensions),
            draft, name,
        )
        for fqn in written
    ]  # fmt: skip


def _is_written(fqn: str, new: Variable, old: Variable, places: Mapping[str, Place]) -> bool:
    """Return whether a variable has values in the region; coordinates that place it are equal."""
    return fqn not in places and bool(new.dimensions) and new.data is not None


def _with(dataset: Dataset, variables: Mapping[str, Variable]) -> Dataset:
    from ncz.model.tree import each_variable

    return each_variable(dataset, lambda fqn, variable: variables.get(fqn, variable))


def _conform(
    fqn: str,
    ours: Variable,
    theirs: Variable,
    old: Dataset,
    new: Dataset,
    options: CopyOptions,
    name: str,
) -> Variable:
    """Return a variable whose numbers are as in the store. Raises `JoinError`."""
    if ours.dimensions != theirs.dimensions:
        raise JoinError(
            f"the dimensions of {fqn} are {', '.join(theirs.dimensions) or 'none'}, but"
            f" {', '.join(ours.dimensions) or 'none'} in the store",
            name,
        )
    kind = JoinKind(is_joined=True, is_fixed=True)
    how = replace(options.join, unpack=True)  # values are packed as in the store
    numbers, found = numbers_of(old.root).get(fqn), numbers_of(new.root).get(fqn)
    form = VariableForm(fqn, ours, numbers, kind, how, "the store")
    _, matched = form.match(theirs, found, name)
    if matched.type != ours.type:
        words = (getattr(v.type, "word", str(v.type)) for v in (matched, ours))
        raise JoinError(f"the type of {fqn} is {' , but '.join(words)} in the store", name)
    return matched


def patch_of(
    fqn: str,
    old: Variable,
    new: Variable,
    where: tuple[Place, ...],
    draft: StoreDraft,
    name: str,
) -> Patch:
    """Return the new values of a variable, which are `new` at the places `where`."""
    stored = old.data
    array = None
    if isinstance(stored, EncodedSource):
        array = draft.lengthen(fqn, old, 0, stored.layout)
    if array is None or stored is None or new.data is None:
        raise JoinError(f"{fqn} has no data that can be replaced", name)
    check_chunk_size(array)
    whole = OverlaidSource(stored, new.data, where)
    return Patch(
        array=array,
        values=new.data,
        places=where,
        whole=as_written(whole, array),
        indices=tuple(touched_chunks(array.layout.grid, where)),
    )


def _write(
    patch: Patch,
    target: WritableZmap,
    pool: ThreadPool,
    summary: Summary,
    callbacks: Callbacks,
) -> None:
    report = summary.reporter(patch.array.fqn, callbacks.progress)
    summary.ways["recode"] = summary.ways.get("recode", 0) + 1
    write_some(patch.whole, patch.array, patch.indices, target, pool, report)


def _verify(patches: Sequence[Patch], location: Location) -> int:
    """Read the region, and compare it with the written values. Return their number."""
    count = 0
    with open_dataset(location, OpenOptions(consolidated=None)) as opened:
        variables = dict(variables_by_fqn(opened.dataset.root))
        for patch in patches:
            stored = variables[patch.array.fqn].data
            assert stored is not None
            in_order = [p.indices if p.order is None else p.indices[np.argsort(p.order)]
                        for p in patch.places]  # fmt: skip
            region = subset_source(stored, in_order)
            expected = as_written(patch.values, patch.array)
            for box in slabs(expected.grid, SLAB):
                wanted, found = read_box(expected, box), read_box(region, box)
                same = wanted == found
                if wanted.dtype.kind == "f":
                    same |= np.isnan(wanted) & np.isnan(found)
                if not np.all(same):
                    raise DifferenceError(f"{patch.array.fqn} has other values", location.display)
                count += math.prod(box.shape)
    return count
