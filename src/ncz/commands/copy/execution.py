"""Carry out the plan of a copy: write its arrays, and count chunks and bytes."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from ncz.commands.copy.options import CopyOptions, thread_count
from ncz.commands.copy.plan import CopyPlan
from ncz.commands.copy.resumption import claim_of, fingerprint
from ncz.commands.copy.sentence import description_of
from ncz.commands.copy.summary import Summary
from ncz.errors import Callbacks, CodecError, Notice, Progress, quantity
from ncz.model.encoded_arrays import ArrayStore, TargetArray, takes_chunks
from ncz.model.read_progress import watched_source
from ncz.record import replace
from ncz.transfer.move import move_chunks
from ncz.zmap import ReferringZmap, WritableZmap
from ncz.zmap.location import Location
from ncz.zmap.opening import is_reference_set

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.move import Keep, MoveResult


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
        The options of the plan.
    callbacks
        Receives every chunk that is written, and a notice of every damaged chunk that is copied,
        or left out.

    Returns
    -------
    Summary
        The number of written variables and chunks, and their size in bytes.

    Raises
    ------
    NczError
        If the source cannot be read, or the target cannot be written.
    """
    from ncz.parallel.threads import ThreadPool

    summary = begun_summary(plan)
    callbacks = callbacks.partial(options.create.allow_loss)
    claim = claim_of(
        fingerprint(plan, options),
        options,
        description_of(options),
        lambda: summary.resumable + summary.kept,
    )
    if options.dask is not None and not is_reference_set(location):
        from ncz.commands.copy.cluster import write_on_cluster

        write_on_cluster(plan, location, options, claim, callbacks, summary)
        for damage in summary.damaged:
            callbacks.notify(damage_notice(damage))
        return summary

    with ThreadPool(plan.memory, thread_count(location, options)) as pool:
        writer = ArrayWriter(plan, options, callbacks, pool, summary, resumes=claim.resume)
        plan.target.write(
            writer.write_array,
            overwrite=options.create.overwrite,
            claim=claim,
            check=plan.check_source,
            progress=callbacks.progress,
        )
    if summary.kept:
        callbacks.notify(
            Notice(
                "copy-resumed",
                f"an interrupted copy was continued: {quantity(summary.kept, 'chunk')} of"
                f" {summary.kept + summary.resumable} had been written",
                location.display,
            )
        )
    return summary


def begun_summary(plan: CopyPlan) -> Summary:
    """Return the summary of a plan before anything is written."""
    summary = Summary(variables=len(plan.variables))
    for variable in plan.variables:
        summary.ways[variable.way] = summary.ways.get(variable.way, 0) + 1
    return summary


class ArrayWriter:
    """Writes the arrays of a plan, and counts them in `summary`."""

    def __init__(
        self,
        plan: CopyPlan,
        options: CopyOptions,
        callbacks: Callbacks,
        pool: ThreadPool,
        summary: Summary,
        *,
        resumes: bool,
    ) -> None:
        self._resumes = resumes
        self._target = plan.target
        self._by_fqn = {variable.array.fqn: variable for variable in plan.variables}
        self._options = options
        self._callbacks = callbacks
        self._pool = pool
        self._summary = summary

    def write_array(self, array: TargetArray, store: ArrayStore) -> int:
        """Write the data of an array, and return the number of its chunks in the store."""
        variable, pool, on_error = self._by_fqn[array.fqn], self._pool, self._callbacks.on_error
        if variable.way == "write":
            shown = _with_progress(array, self._callbacks.progress)
            return self._target.write_values(shown, store, partial(self._summary.count, 1))
        if variable.transfer is None:
            return 0
        assert takes_chunks(store)
        before = self._summary.resumable + self._summary.kept
        report, done = partial(self._report, array.fqn), self._keep(store)
        if variable.way == "raw" and isinstance(store, ReferringZmap):
            from ncz.transfer.chunk_references import refer_to_chunks

            refer_to_chunks(variable.transfer, store, pool, report, on_error)
        elif variable.way == "rechunk":
            from ncz.transfer.rechunk import rechunk_chunks

            rechunk_chunks(variable.transfer, store, pool, report, done, on_error=on_error)
        else:
            move_chunks(
                variable.transfer, store, pool, report, done,
                raw=self._options.raw, on_error=on_error,
            )  # fmt: skip
        return self._summary.resumable + self._summary.kept - before

    def _keep(self, store: ArrayStore) -> Keep | None:
        """Return the chunks kept from an earlier run, with their count, or None."""
        if not self._resumes:
            return None
        zmap = store if isinstance(store, WritableZmap) else None
        if not self._options.resume and (zmap is None or not zmap.has_earlier):
            return None  # to look for each chunk would cost an operation
        keep = None if zmap is None else zmap.keep

        def keeps(key: str, size: int | None = None) -> bool:
            if keep is None or not keep(key, size):
                return False
            self._summary.kept += 1
            return True

        return keeps

    def _report(self, fqn: str, step: MoveResult) -> None:
        self._summary.count(step.chunks, step.size)
        self._summary.resumable += step.chunks
        self._callbacks.progress.advance(fqn, step.chunks, step.size)
        if step.damage is not None:
            self._summary.damaged.append(step.damage)
            self._callbacks.notify(damage_notice(step.damage))


def _with_progress(array: TargetArray, progress: Progress) -> TargetArray:
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
