"""Copy with a Dask cluster: its workers write the chunks.

The plan and the result are those of a copy in one process. The store is created and completed here;
workers write pieces of it, and must reach source and target by the same names. Variables that would
be rechunked through a spill file in one process are rechunked by reading chunks more than once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan, VariablePlan
from ncz.commands.copy.summary import Progress, Summary
from ncz.commands.copy.worker import Done, Piece, write_piece
from ncz.errors import NczError, UrlError
from ncz.model.grid import Index
from ncz.record import replace
from ncz.zmap import SharedZmap

if TYPE_CHECKING:
    from ncz.formats.zarr.array_plan import ArrayPlan
    from ncz.zmap import WritableZmap
    from ncz.zmap.location import Location

_PIECE = 64 << 20
"""Bytes of values that a worker writes at a time."""

_MOST_CHUNKS = 1000
"""Number of chunks that a worker writes at a time, at most."""


def write_on_cluster(
    plan: CopyPlan, zmap: WritableZmap, location: Location, options: CopyOptions, address: str,
    progress: Progress, summary: Summary,
) -> None:  # fmt: skip
    """Write a planned store with the workers of a cluster.

    Parameters
    ----------
    plan
        The plan of the copy.
    zmap, location
        The store, which was created, and the target as the user gave it.
    options
        The options with which the plan was made.
    address
        The address of the Dask scheduler.
    progress, summary
        Informed of every piece that is written.

    Raises
    ------
    NczError
        If the cluster cannot be reached, or a worker fails.
    """
    from ncz.formats.zarr.writer import write_plan

    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise NczError(
            "--dask needs the package distributed", hint="pip install 'ncz[dask]'"
        ) from error
    if not isinstance(zmap, SharedZmap):
        raise UrlError(
            "a cluster can write only a directory that all its workers share, or a remote store",
            location.display,
            "omit --dask, or copy to a directory first",
        )
    target = zmap.location_for_others(location)
    try:
        client = Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise NczError(
            f"the Dask scheduler does not answer: {error}", address, "check --dask"
        ) from error
    by_fqn = {variable.array.fqn: variable for variable in plan.variables}
    asked = replace(options, resume=False, verify=False)
    zmap.adopt(())  # mark the store as unfinished before a worker writes
    with contextlib.closing(client):

        def write_data(_: WritableZmap, array: ArrayPlan) -> int:
            before = summary.chunks
            indices = _indices(by_fqn[array.fqn])
            rest = (
                Piece(asked, location, target, array.fqn, part)
                for part in _parts(indices, _length(by_fqn[array.fqn]))
            )
            most = 4 * max(1, len(client.scheduler_info()["workers"]))
            first = [client.submit(write_piece, piece, pure=False) for piece in islice(rest, most)]
            futures = as_completed(first, loop=client.loop)
            for future in futures:
                done: Done = _result(future, address)
                for piece in islice(rest, 1):
                    futures.add(client.submit(write_piece, piece, pure=False))
                zmap.adopt(done.keys)
                summary.chunks += len(done.keys)
                summary.size += done.size
                summary.damaged += done.damaged
                progress(array.fqn, len(done.keys), done.size)
            return summary.chunks - before

        write_plan(plan.dataset, zmap, write_data)


def _result(future: Any, address: str) -> Done:
    try:
        done: Done = future.result()
    except NczError:
        raise
    except Exception as error:
        raise NczError(f"a worker failed: {type(error).__name__}: {error}", address) from error
    return done


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


def _length(variable: VariablePlan) -> int:
    """Return the number of chunks or blocks in a piece."""
    if variable.rechunk is not None:
        return 1
    size = variable.array.layout.chunk_size * max(1, variable.array.encoding.item_size)
    return max(1, min(_MOST_CHUNKS, _PIECE // size))


def _parts(indices: Iterator[Index], length: int) -> Iterator[tuple[Index, ...]]:
    while part := tuple(islice(indices, length)):
        yield part
