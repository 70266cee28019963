"""Carry out the plan of a copy, in this process or on a Dask cluster, and verify the result."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.copy.options import CopyOptions, Summary
from ncz.commands.copy.plan import CopyPlan
from ncz.commands.copy.reshape import with_data
from ncz.commands.copy.source import open_source
from ncz.errors import (
    CodecError,
    Notice,
    Notify,
    ignore_notice,
    note_if_interrupted,
    option,
    raise_error,
    report_unreadable,
)
from ncz.model.encoded import EncodedSource
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.sources import watched_source
from ncz.model.tree import (
    Attribute,
    Dataset,
    Group,
    Variable,
    dimensions_by_fqn,
    shape_of,
    variables_by_fqn,
)
from ncz.record import replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.encoded import ArrayStore, TargetArray
    from ncz.transfer.move import Moved

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
    from ncz.model.encoded import ChunkStore
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.move import move_chunks, refer_to_chunks
    from ncz.transfer.rechunk import rechunk_chunks
    from ncz.zmap import ReferringZmap, WritableZmap
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
            keep = store.keep if isinstance(store, WritableZmap) else None

            def keeps(key: str, size: int | None = None) -> bool:
                if keep is None or not keep(key, size):
                    return False
                summary.kept += 1
                return True

            done = keeps if options.resume else None

            def report(moved: Moved) -> None:
                summary.chunks += moved.chunks
                summary.size += moved.size
                progress.advance(array.fqn, moved.chunks, moved.size)
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
                resume = option("resume", True)
                return f"{location.display} was not changed; use {resume} to keep what is written"
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


def threads_for(location: Location, options: CopyOptions) -> int:
    """Return the number of threads: one per core, or more if they wait for a server."""
    from ncz.parallel.threads import cores

    ends = (location, options.source)
    is_remote = any(isinstance(end, Location) and end.kind == "remote" for end in ends)
    return min(_MOST_THREADS, _REMOTE_THREADS if is_remote else cores())


def fingerprint(plan: CopyPlan, options: CopyOptions) -> str:
    """Return a text that is the same for two copies just if one can resume the other."""
    described = [
        _identity(options.source),
        plan.target.identity,
        *(() if options.subset is None else (repr(options.subset),)),
        *(repr((variable.array.fqn, variable.way)) for variable in plan.variables),
    ]
    text = "\n".join(described).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


def _identity(source: Location | str | BinaryIO) -> str:
    """Return the path or URL of a source without what does not change its content."""
    if not isinstance(source, Location):
        return source if isinstance(source, str) else ""
    rest = {key: value for key, value in source.options.items() if key != "timeout"}
    return replace(source, options=rest).exact


# Verify a copy: read source and target, and compare everything that the target can hold.


def verify(options: CopyOptions, location: Location, progress: Progress = NO_PROGRESS) -> int:
    """Compare the store at `location` with the source.

    In pure Zarr without annotations, which holds neither types of attributes nor declared
    dimensions, those are not compared. Annotations are read even if the modes ask for pure Zarr.

    Returns
    -------
    int
        The number of values that were compared.

    Raises
    ------
    DifferenceError
        At the first difference.
    """
    from ncz.formats.netcdf.target import adapted, bytes_as_chars, is_classic, strings_as_chars
    from ncz.formats.opening import open_dataset
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.compare import differences
    from ncz.transfer.compare_values import ValueComparison
    from ncz.transfer.difference import difference_error

    whole = replace(location, modes=location.modes - {"nczarr", "zarr"})
    with (
        open_source(options, ignore_notice, progress=progress) as expected,
        open_dataset(whole, notify=ignore_notice) as opened,
    ):
        found = opened.dataset
        made = found.provenance
        is_pure = made.zarr_format is not None and not made.superblock
        is_typed = not is_pure or made.annotated
        source = expected.provenance
        if is_pure and not (source.superblock or source.annotated or made.annotated):
            expected = replace(expected, root=_without_hints(expected))
        if made.zarr_format == 3 and source.zarr_format == 2 and not source.superblock:
            expected = replace(expected, root=_without_masks(expected))
        if made.kind_of_file is not None:
            expected = bytes_as_chars(expected)
        if made.kind_of_file is not None and is_classic(made.kind_of_file):
            expected, _ = strings_as_chars(expected, made.kind_of_file)
            expected, _ = adapted(expected, made.kind_of_file)
        wanted = with_data(expected.root, options.reshape)
        # Two arrays are held at the same time, and temporary results of comparing them.
        threads = options.threads or threads_for(location, options)
        with ThreadPool(options.data_memory // 3, threads) as pool:
            for difference in differences(
                expected,
                found,
                pool,
                with_data=wanted,
                typed=is_typed,
                extra_attributes=is_typed,
                how=ValueComparison(raw=True),
                progress=progress,
            ):
                raise difference_error(difference, location.display)
        return sum(_sizes(expected, wanted))


def _without_hints(dataset: Dataset) -> Group:
    """Return the root group without attributes that express Zarr dtypes, which pure copies keep."""
    is_stored = any(isinstance(v.data, EncodedSource) for _, v in variables_by_fqn(dataset.root))
    if not is_stored:
        return dataset.root
    return _with_attributes(dataset.root, lambda _, a: a.original is not None)


def _without_masks(dataset: Dataset) -> Group:
    """Return the root group without masks of text and of times, which V3 does not get from V2."""

    def is_kept(variable: Variable, attribute: Attribute) -> bool:
        if attribute.name != "_FillValue" or not isinstance(variable.data, EncodedSource):
            return True
        dtype = variable.data.stored_dtype
        return isinstance(dtype, str) and dtype.lstrip("<>|=")[:1] in ("b", "i", "u", "f", "c")

    return _with_attributes(dataset.root, is_kept)


def _with_attributes(group: Group, is_kept: Callable[[Variable, Attribute], bool]) -> Group:
    """Return the group and those in it with some attributes of variables only."""
    return replace(
        group,
        variables=tuple(
            replace(v, attributes=tuple(a for a in v.attributes if is_kept(v, a)))
            for v in group.variables
        ),
        groups=tuple(_with_attributes(g, is_kept) for g in group.groups),
    )


def _sizes(dataset: Dataset, wanted: frozenset[str]) -> Iterator[int]:
    lengths = dimensions_by_fqn(dataset.root)
    variables: Iterator[tuple[str, Variable]] = variables_by_fqn(dataset.root)
    yield from (math.prod(shape_of(v, lengths)) for fqn, v in variables if fqn in wanted)
