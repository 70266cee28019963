"""Threads that process chunks within a memory limit, one for each processor.

I/O, numpy and the codecs release the interpreter's lock, so that threads run them in parallel.
Results are in the order of the items, so the same copy always writes the same bytes.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


_T = TypeVar("_T")
_A = TypeVar("_A")

_BATCH = 1 << 18
"""Smaller chunks are processed in batches of about this number of bytes, to save overhead."""

_LONGEST_BATCH = 64


class ThreadPool:
    """A pool of `threads` threads with at most `memory` bytes of chunks together."""

    def __init__(self, memory: int, threads: int) -> None:
        self.memory = memory
        self.threads = max(1, threads)
        self._pool: ThreadPoolExecutor | None = None
        self._starting = threading.Lock()  # several threads may share a pool

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
        result_cost: int | None = None,
    ) -> Iterator[_T]:
        """Yield the result of `call` for each item, in order.

        Parameters
        ----------
        cost
            Bytes of memory that an item takes while it is processed. At least one item is processed
            at a time, even if it exceeds the limit.
        memory
            Memory limit for these items; by default the pool's.
        result_cost
            Bytes of memory that a result takes until it is used; by default `cost`.
        """
        if self.threads == 1 or self._most(memory, cost, result_cost) == 1:
            yield from map(call, items)
            return
        for results in self.batches(
            lambda batch: [call(item) for item in batch], items, cost, memory, result_cost
        ):
            yield from results
            del results  # free it before the next one is made

    def batches(
        self,
        call: Callable[[list[_A]], _T],
        items: Iterable[_A],
        cost: int,
        memory: int | None = None,
        result_cost: int | None = None,
    ) -> Iterator[_T]:
        """Yield the result of `call` for lists of items, in order.

        A list has one item, or enough small ones to be worth passing to a thread.
        See `each` for the parameters.
        """
        most = self._most(memory, cost, result_cost)
        length = min(_LONGEST_BATCH, max(1, _BATCH // max(1, cost)))
        rest = iter(items)
        first = list(islice(rest, length))
        beyond = list(islice(rest, 1))
        if not beyond:  # to pass it to another thread would take time for nothing
            if first:
                yield call(first)
            return
        rest = chain(beyond, rest)
        if self.threads == 1 or most == 1:
            while first:
                yield call(first)
                first = list(islice(rest, length))
            return
        batches = chain((first,), iter(lambda: list(islice(rest, length)), []))
        del first, beyond
        with self._starting:
            if self._pool is None:
                from concurrent.futures import (
                    ThreadPoolExecutor,  # not for chunks that one thread takes
                )

                self._pool = ThreadPoolExecutor(self.threads, "ncz-chunks")
            pool = self._pool

        pending: deque[Future[_T]] = deque()
        try:
            while True:
                while len(pending) < most and (batch := next(batches, None)):
                    pending.append(pool.submit(call, batch))
                if not pending:
                    return
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def _most(self, memory: int | None, cost: int, result_cost: int | None) -> int:
        """Return the number of items that may be submitted; as many as threads are in process."""
        memory, result_cost, cost = (
            memory or self.memory,
            cost if result_cost is None else result_cost,
            max(1, cost),
        )
        rest = memory - self.threads * cost
        if rest < 0:
            return max(1, memory // cost)
        return min(4 * self.threads, self.threads + rest // max(1, result_cost))
