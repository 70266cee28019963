"""Copy with a Dask cluster: its workers write the chunks.

Plan and result are the same as in one process. The store is created and completed here;
workers write pieces of it, and must reach source and target by the same names. Variables that would
be rechunked through a spill file in one process are rechunked by reading chunks more than once.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ncz.commands.copy.cluster_client import connect, result_of, threads_of
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan, VariablePlan
from ncz.commands.copy.summary import Summary
from ncz.commands.copy.worker import Piece, WorkerResult, write_piece
from ncz.errors import Callbacks, UrlError, option
from ncz.model.grid import Index
from ncz.record import replace
from ncz.zmap import WritableZmap

if TYPE_CHECKING:
    from ncz.model.encoded_arrays import ArrayStore, TargetArray
    from ncz.zmap.claim import Claim
    from ncz.zmap.location import Location


_PIECE = 64 << 20
"""Bytes of values that a worker writes at a time."""

_LEAST = 1 << 20
"""Bytes of values in a piece, at least, so that the scheduler takes little of the time."""

_MOST_CHUNKS = 1000
"""Number of chunks that a worker writes at a time, at most."""

_PIECES = 8
"""The number of pieces for each thread of the cluster, if the data are enough, so that all end at
about the same time."""

_UNDER_WAY = 4
"""The number of pieces for each thread that are submitted at a time."""


def write_on_cluster(
    plan: CopyPlan, location: Location, options: CopyOptions, claim: Claim, callbacks: Callbacks,
    summary: Summary,
) -> None:  # fmt: skip
    """Write a planned store with the workers of the cluster at `options.dask`.

    Parameters
    ----------
    plan
        The plan of the copy.
    location
        The target as the user gave it.
    options
        The options of the plan.
    claim
        The identity of the copy.
    callbacks
        Receives every piece that is written, and the error of each chunk that a worker could not
        read.
    summary
        Informed of every piece that is written.

    Raises
    ------
    NczError
        If the cluster cannot be reached, or a worker fails.
    """
    address = options.dask or ""
    by_fqn = {variable.array.fqn: variable for variable in plan.variables}
    plain_options = replace(options, resume=False, verify=False)
    copy = os.urandom(16).hex()
    with contextlib.ExitStack() as stack:
        client: Any = None

        def write_array(array: TargetArray, store: ArrayStore) -> int:
            nonlocal client
            target = (
                store.location_for_others(location) if isinstance(store, WritableZmap) else None
            )
            if not isinstance(store, WritableZmap) or target is None:
                raise UrlError(
                    "a cluster can write only a directory that all its workers share, or a remote"
                    " store",
                    location.display,
                    f"omit {option('dask')}, or copy to a directory first",
                )
            if client is None:
                client = stack.enter_context(contextlib.closing(connect(address)))
                store.adopt(())  # mark the store as unfinished before a worker writes
            before = summary.chunks
            variable, threads = by_fqn[array.fqn], threads_of(client)
            rest = (
                Piece(copy, plain_options, location, target, array.fqn, part)
                for part in parts(_indices(variable), _length(variable, threads))
            )
            for done in each(client, write_piece, rest, _UNDER_WAY * threads, address):
                store.adopt(done.keys)
                summary.count(len(done.keys), done.size)
                summary.resumable += len(done.keys)
                summary.damaged += done.damaged
                for error in done.unreadable:
                    callbacks.on_error(error)
                callbacks.progress.advance(array.fqn, len(done.keys), done.size)
            return summary.chunks - before

        plan.target.write(
            write_array, overwrite=options.create.overwrite, claim=claim, check=plan.check_source
        )


def each(
    client: Any,
    write: Callable[[Piece], WorkerResult],
    pieces: Iterator[Piece],
    most: int,
    address: str,
) -> Iterator[WorkerResult]:
    """Let workers write the pieces, at most `most` at a time, and yield the results."""
    from distributed import as_completed

    first = [client.submit(write, piece, pure=False) for piece in islice(pieces, most)]
    futures = as_completed(first, loop=client.loop)
    for future in futures:
        done: WorkerResult = result_of(future, address)
        for piece in islice(pieces, 1):
            futures.add(client.submit(write, piece, pure=False))
        yield done


def _indices(variable: VariablePlan) -> Iterator[Index]:
    """Return the indices of the chunks, or of the blocks, that workers copy."""
    if variable.transfer is None:
        if variable.way == "write":
            raise UrlError(
                "a cluster can copy stores, but not CDL", variable.array.fqn, "use ncz gen"
            )
        return iter(())
    if variable.rechunk is not None:
        return variable.rechunk.blocks.grid.indices()
    return iter(variable.transfer.indices())


def _length(variable: VariablePlan, threads: int) -> int:
    """Return the number of chunks or blocks in a piece."""
    if variable.rechunk is not None:
        return 1
    layout = variable.array.layout
    size = layout.chunk_size * max(1, variable.array.item_size)
    return piece_length(layout.grid.size, size, threads)


def piece_length(count: int, size: int, threads: int) -> int:
    """Return the number of chunks in a piece.

    Parameters
    ----------
    count
        The number of chunks of the variable.
    size
        The size of a chunk in bytes, decoded.
    threads
        The number of threads of the cluster.
    """
    most = max(1, min(_MOST_CHUNKS, _PIECE // size))
    least = max(1, min(_MOST_CHUNKS, _LEAST // size))
    return min(most, max(least, count // (_PIECES * threads)))


def parts(indices: Iterator[Index], length: int) -> Iterator[tuple[Index, ...]]:
    """Split indices into pieces."""
    while part := tuple(islice(indices, length)):
        yield part
