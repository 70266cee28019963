"""A worker of a Dask cluster, which writes some chunks of one variable.

A worker plans the copy again, which gives the same plan, and keeps the source open.
"""

from __future__ import annotations

import contextlib
import weakref
from functools import lru_cache
from typing import TYPE_CHECKING

from ncz.commands.copy.glibc import keep_freed_memory
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import plan_copy
from ncz.commands.copy.source import open_source
from ncz.errors import NO_CALLBACKS, CodecError, NczError, raise_error
from ncz.model.grid import Index
from ncz.record import record
from ncz.zmap import DelegatingZmap, WritableZmap

if TYPE_CHECKING:
    from ncz.zmap.location import Location


@record
class Piece:
    """Some chunks of one variable or, if it is rechunked, some blocks of it.

    `copy` is a text that two copies do not share, even of the same source to the same target.
    """

    copy: str
    options: CopyOptions
    planned_for: Location
    target: Location
    fqn: str
    indices: tuple[Index, ...]


@record
class WorkerResult:
    """The result of a worker: the keys, their size in bytes, and the damage that it copied.

    `unreadable` are the errors of chunks that it left out, which `CopyOptions.allow_loss` permits.
    """

    fqn: str
    keys: tuple[str, ...]
    size: int
    damaged: tuple[CodecError, ...] = ()
    unreadable: tuple[NczError, ...] = ()


def write_piece(piece: Piece) -> WorkerResult:
    """Write one piece of a copy. Raises `NczError`."""
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.move import MoveResult, move_chunks
    from ncz.transfer.rechunk import rechunk_chunks
    from ncz.zmap.opening import open_zmap

    opened = _source_of(piece.options, piece.planned_for, piece.copy)
    plan, variable = opened.plan, opened.variables[piece.fqn]
    transfer = variable.transfer
    assert transfer is not None
    size = 0
    damaged: list[CodecError] = []
    unreadable: list[NczError] = []
    on_error = unreadable.append if piece.options.create.allow_loss else raise_error

    def report(step: MoveResult) -> None:
        nonlocal size
        size += step.size
        if step.damage is not None:
            damaged.append(step.damage)

    with (
        keep_freed_memory(),
        contextlib.closing(open_zmap(piece.target, write=True)) as zmap,
        ThreadPool(plan.memory, 1) as pool,
    ):
        recording = _RecordingZmap(zmap)
        if variable.rechunk is not None:
            rechunk_chunks(
                transfer, recording, pool, report, None, only=piece.indices, on_error=on_error
            )
        else:
            raw = piece.options.raw
            move_chunks(
                transfer, recording, pool, report, None,
                only=piece.indices, raw=raw, on_error=on_error,
            )  # fmt: skip
    return WorkerResult(piece.fqn, tuple(recording.keys), size, tuple(damaged), tuple(unreadable))


class _RecordingZmap(DelegatingZmap, WritableZmap):
    """A zmap that records the keys that are put, without the other capabilities of its store."""

    def __init__(self, zmap: WritableZmap) -> None:
        super().__init__(zmap)
        self._target = zmap
        self.keys: list[str] = []

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object, and record its key."""
        self._target.put(key, value)
        self.keys.append(key)

    def delete(self, key: str) -> bool:
        return self._target.delete(key)


class _Source:
    """The source of one copy, and its plan; open as long as this object exists."""

    def __init__(self, options: CopyOptions, location: Location) -> None:
        with contextlib.ExitStack() as stack:
            dataset = stack.enter_context(
                open_source(options, NO_CALLBACKS, location, is_worker=True)
            )
            self.plan = plan_copy(dataset, location, options)
            self.variables = {variable.array.fqn: variable for variable in self.plan.variables}
            weakref.finalize(self, stack.pop_all().close)


@lru_cache(maxsize=4)
def _source_of(options: CopyOptions, location: Location, copy: str) -> _Source:
    """Open and plan the source of a copy, once for all its pieces."""
    return _Source(options, location)
