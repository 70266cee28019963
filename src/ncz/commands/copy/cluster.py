"""A copy whose chunks are moved by the workers of a Dask cluster.

The plan is the same, and so is what it makes: the store is begun and finished here, and its chunks
are written in pieces by workers, who must reach source and target under the same names. What takes
a spill file in one process is cut anew here by reading chunks more than once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from ncz.commands.copy.command import (
    CopyOptions,
    CopyPlan,
    Progress,
    Summary,
    VariablePlan,
    opened,
    plan_copy,
)
from ncz.errors import NczError, UrlError
from ncz.model.grid import Index
from ncz.record import record, replace
from ncz.zmap import SharedZmap

if TYPE_CHECKING:
    from ncz.formats.zarr.plan import ArrayPlan
    from ncz.zmap import WritableZmap
    from ncz.zmap.location import Location

_PIECE = 64 << 20
"""Bytes of values that a worker takes at a time."""

_MOST_CHUNKS = 1000


@record
class Piece:
    """Some chunks of one variable, or, where it is cut anew, some blocks of it."""

    options: CopyOptions
    planned_for: Location
    target: Location
    fqn: str
    indices: tuple[Index, ...]


@record
class Done:
    """What a worker did of a piece."""

    fqn: str
    keys: tuple[str, ...]
    size: int


def write_on_cluster(
    plan: CopyPlan, zmap: WritableZmap, location: Location, options: CopyOptions, address: str,
    progress: Progress, summary: Summary,
) -> None:  # fmt: skip
    """Let the cluster at `address` write the chunks of `plan` into the store that is begun.

    Raises `NczError` if it cannot be reached, or a worker cannot do its piece.
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
            "a cluster can write a directory that all its workers see, or a remote store",
            location.display,
            "leave --dask out, or copy to a directory first",
        )
    target = zmap.location_for_others(location)
    try:
        client = Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise NczError(f"no Dask scheduler answers: {error}", address, "check --dask") from error
    by_fqn = {variable.array.fqn: variable for variable in plan.variables}
    asked = replace(options, resume=False, verify=False)
    zmap.adopt(())  # so that it is marked as unfinished before a worker writes
    with contextlib.closing(client):

        def write_data(_: WritableZmap, array: ArrayPlan) -> None:
            indices = _indices(by_fqn[array.fqn])
            rest = (
                Piece(asked, location, target, array.fqn, part)
                for part in _parts(indices, _length(by_fqn[array.fqn]))
            )
            most = 4 * max(1, len(client.scheduler_info()["workers"]))
            first = [client.submit(work, piece, pure=False) for piece in islice(rest, most)]
            futures = as_completed(first, loop=client.loop)
            for future in futures:
                done: Done = _result(future, address)
                for piece in islice(rest, 1):
                    futures.add(client.submit(work, piece, pure=False))
                zmap.adopt(done.keys)
                summary.chunks += len(done.keys)
                summary.size += done.size
                progress(array.fqn, len(done.keys), done.size)

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
    from ncz.transfer.move import present

    if variable.transfer is None:
        if variable.way == "write":
            raise UrlError("a cluster copies stores, not CDL", variable.array.fqn, "use ncz gen")
        return iter(())
    if variable.rechunk is not None:
        return variable.rechunk.blocks.grid.indices()
    return present(variable.transfer.source)


def _length(variable: VariablePlan) -> int:
    """How many chunks or blocks make a piece."""
    if variable.rechunk is not None:
        return 1
    size = variable.array.layout.chunk_size * max(1, variable.array.encoding.item_size)
    return max(1, min(_MOST_CHUNKS, _PIECE // size))


def _parts(indices: Iterator[Index], length: int) -> Iterator[tuple[Index, ...]]:
    while part := tuple(islice(indices, length)):
        yield part


# --- in a worker ----------------------------------------------------------------------------------


def work(piece: Piece) -> Done:
    """Write one piece; runs in a worker."""
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.move import Moved, move_chunks
    from ncz.transfer.rechunk import rechunk_chunks
    from ncz.zmap.opening import open_zmap

    plan, variables = _planned(piece.options, piece.planned_for)
    variable = variables[piece.fqn]
    transfer = variable.transfer
    assert transfer is not None
    size = 0

    def report(moved: Moved) -> None:
        nonlocal size
        size += moved.size

    with (
        contextlib.closing(open_zmap(piece.target, write=True)) as zmap,
        ThreadPool(plan.memory, 1) as pool,
    ):
        noting = _Noting(zmap)
        run = move_chunks if variable.rechunk is None else rechunk_chunks
        run(transfer, noting, pool, report, lambda _: False, only=piece.indices)
    return Done(piece.fqn, tuple(noting.keys), size)


class _Noting:
    """A store that notes the keys that are put, and has no other capability of its store."""

    def __init__(self, zmap: WritableZmap) -> None:
        self._zmap = zmap
        self.keys: list[str] = []
        self.url = zmap.url
        self.get = zmap.get
        self.get_range = zmap.get_range
        self.size = zmap.size
        self.search = zmap.search
        self.walk = zmap.walk
        self.delete = zmap.delete
        self.close = zmap.close

    def put(self, key: str, value: bytes) -> None:
        self._zmap.put(key, value)
        self.keys.append(key)


@lru_cache(maxsize=4)
def _planned(options: CopyOptions, location: Location) -> tuple[CopyPlan, dict[str, VariablePlan]]:
    """The plan that this worker makes of the same source; the source stays open."""
    stack = contextlib.ExitStack()
    dataset = stack.enter_context(opened(options, lambda _: None, location))
    plan = plan_copy(dataset, location, options)
    _open.append(stack)
    return plan, {variable.array.fqn: variable for variable in plan.variables}


_open: list[contextlib.ExitStack] = []
