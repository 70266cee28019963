"""Threads that process chunks within a memory limit, one for each processor.

I/O, numpy and the codecs release the interpreter's lock, so that threads run them in parallel.
Results are in the order of the items, so the same copy always writes the same bytes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_T = TypeVar("_T")
_A = TypeVar("_A")

_BATCH = 1 << 18
"""Smaller chunks are processed in batches of about so many bytes, to save overhead."""

_LONGEST_BATCH = 64


class ThreadPool:
    """A pool of `threads` threads that together hold at most `memory` bytes of chunks."""

    def __init__(self, memory: int, threads: int) -> None:
        self.memory = memory
        self.threads = max(1, threads)
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> ThreadPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def each(
        self,
        call: Callable[[_A], _T],
        items: Iterable[_A],
        cost: int,
        memory: int | None = None,
        kept: int | None = None,
    ) -> Iterator[_T]:
        """Yield the result of `call` for each item, in order.

        Parameters
        ----------
        cost
            Bytes that an item holds while it is processed. At least one item is processed at a
            time, even if it exceeds the limit.
        memory
            Memory limit for these items; by default that of the pool.
        kept
            Bytes that a result holds until it is used; by default `cost`.
        """
        most = self._most(memory or self.memory, max(1, cost), cost if kept is None else kept)
        if self.threads == 1 or most == 1:
            yield from map(call, items)
            return
        length = min(_LONGEST_BATCH, max(1, _BATCH // max(1, cost)))
        rest = iter(items)
        if self._pool is None:
            from concurrent.futures import (
                ThreadPoolExecutor,  # not for chunks that one thread takes
            )

            self._pool = ThreadPoolExecutor(self.threads, "ncz-chunks")
        pool = self._pool

        def work(batch: list[_A]) -> list[_T]:
            return [call(item) for item in batch]

        pending: deque[Future[list[_T]]] = deque()
        try:
            while True:
                while len(pending) < most and (batch := list(islice(rest, length))):
                    pending.append(pool.submit(work, batch))
                if not pending:
                    return
                yield from pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def _most(self, memory: int, cost: int, kept: int) -> int:
        """Return the number of items that may be submitted; as many as threads are in process."""
        rest = memory - self.threads * cost
        if rest < 0:
            return max(1, memory // cost)
        return min(4 * self.threads, self.threads + rest // max(1, kept))


# The number of available processors.


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
