"""Carry out the plan of a copy, in this process or on a Dask cluster."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan
from ncz.commands.copy.summary import Summary
from ncz.errors import (
    CodecError,
    Notice,
    Notify,
    ignore_notice,
    note_if_interrupted,
    raise_error,
    report_unreadable,
)
from ncz.model.progress import Progress
from ncz.model.sources.watched import watched_source
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.model.chunk.encoded import ArrayStore, TargetArray
    from ncz.transfer.move import Moved
    from ncz.zmap.location import Location

_MOST_THREADS = 32
_REMOTE_THREADS = 16


def carry_out(
    plan: CopyPlan,
    location: Location,
    options: CopyOptions,
    progress: Progress,
    notify: Notify = ignore_notice,
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
    progress
        Receives every chunk that is written.
    notify
        Called with a notice of every damaged chunk that is copied, or left out.

    Returns
    -------
    Summary
        What was written.

    Raises
    ------
    NczError
        If the source cannot be read, or the target cannot be written.
    """
    from ncz.model.chunk.encoded import ChunkStore
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.move import move_chunks
    from ncz.transfer.rechunk import rechunk_chunks
    from ncz.transfer.refer import refer_to_chunks
    from ncz.zmap import ReferringZmap, ResumableZmap
    from ncz.zmap.claim import Claim

    summary = Summary(variables=len(plan.variables))
    raw = options.raw
    for variable in plan.variables:
        summary.ways[variable.way] = summary.ways.get(variable.way, 0) + 1
    on_error = report_unreadable(notify) if options.allow_loss else raise_error
    by_fqn = {variable.array.fqn: variable for variable in plan.variables}
    claim = Claim(fingerprint(plan, options), options.resume)
    if options.dask is not None:
        from ncz.commands.copy.cluster import write_on_cluster

        write_on_cluster(plan, location, options, claim, progress, summary, on_error)
        for damage in summary.damaged:
            notify(damage_notice(damage))
        return summary
    with ThreadPool(plan.memory, options.threads or threads_for(location, options)) as pool:

        def write_array(array: TargetArray, store: ArrayStore) -> int:
            keep = store.keep if isinstance(store, ResumableZmap) else None

            def keeps(key: str, size: int | None = None) -> bool:
                if keep is None or not keep(key, size):
                    return False
                summary.kept += 1
                return True

            done = keeps if options.resume else None

            def report(moved: Moved) -> None:
                summary.chunks += moved.chunks
                summary.size += moved.size
                progress.moved(array.fqn, moved.chunks, moved.size)
                if moved.damage is not None:
                    summary.damaged.append(moved.damage)
                    notify(damage_notice(moved.damage))

            variable = by_fqn[array.fqn]
            before = summary.chunks + summary.kept
            if variable.way == "write":
                return plan.target.write_values(_reported(array, progress), store)
            if variable.transfer is not None:
                assert isinstance(store, ChunkStore)
                if variable.way == "raw" and isinstance(store, ReferringZmap):
                    refer_to_chunks(variable.transfer, store, pool, report)
                elif variable.way == "rechunk":
                    rechunk_chunks(variable.transfer, store, pool, report, done, on_error=on_error)
                else:
                    move_chunks(
                        variable.transfer, store, pool, report, done, raw=raw, on_error=on_error
                    )
            return summary.chunks + summary.kept - before

        def kept() -> str:
            if not options.resume:
                return f"{location.display} was not changed; use --resume to keep what is written"
            count = summary.chunks + summary.kept
            return f"{count} chunks are kept; run the same command again to resume the copy"

        with note_if_interrupted(kept):
            plan.target.write(
                write_array,
                overwrite=options.overwrite,
                claim=claim,
                check=plan.check_source,
                progress=progress,
            )
    return summary


def _reported(array: TargetArray, progress: Progress) -> TargetArray:
    """Return an array whose values are reported when they are read, as a share of its chunks."""
    source = array.variable.data
    if source is None:
        return array
    chunks, size = array.layout.grid.size, math.prod(source.grid.shape)
    read = told = 0

    def report(count: int, nbytes: int) -> None:
        nonlocal read, told
        read += count
        share = min(chunks, chunks * read // max(1, size))
        progress.moved(array.fqn, share - told, nbytes)
        told = share

    return replace(array, variable=replace(array.variable, data=watched_source(source, report)))


def damage_notice(damage: CodecError) -> Notice:
    """Return the notice of a damaged chunk that was copied."""
    return Notice(
        "chunk-damaged",
        f"{damage.message}; it was copied unchanged",
        damage.location,
        "restore it from another copy",
    )


def threads_for(location: Location, options: CopyOptions) -> int:
    """Return the number of threads: one per core, or more if they wait for a server."""
    from ncz.parallel.cores import cores

    is_remote = location.kind == "remote" or (
        isinstance(options.source, str) and "://" in options.source
    )
    return min(_MOST_THREADS, _REMOTE_THREADS if is_remote else cores())


def fingerprint(plan: CopyPlan, options: CopyOptions) -> str:
    """Return a text that is the same for two copies just if one can resume the other."""
    described = [
        _identity(options.source) if isinstance(options.source, str) else "",
        plan.target.identity,
        *(() if options.subset is None else (repr(options.subset),)),
        *(repr((variable.array.fqn, variable.way)) for variable in plan.variables),
    ]
    text = "\n".join(described).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


def _identity(source: str) -> str:
    """Return the path or URL of a source without what does not change its content."""
    from ncz.zmap.location import parse_location

    location = parse_location(source)
    rest = {key: value for key, value in location.options.items() if key != "timeout"}
    return replace(location, options=rest).exact
