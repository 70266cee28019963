"""Threads that work on chunks, with a bound on what they hold in memory.

Reading, numpy and the codecs release the interpreter's lock, so threads overlap them. Results come
in the order of what was asked for, which makes the same copy write the same bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from types import TracebackType
from typing import TypeVar

_T = TypeVar("_T")
_A = TypeVar("_A")

_BATCH = 1 << 18
"""Bytes below which several chunks are one piece of work: handing over costs, too."""

_LONGEST_BATCH = 64


class ThreadPool:
    """`threads` threads that together hold at most `memory` bytes of chunks."""

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
        self, call: Callable[[_A], _T], items: Iterable[_A], cost: int, memory: int | None = None
    ) -> Iterator[_T]:
        """`call` of each item, in order, each holding `cost` bytes until its result is taken.

        At least one is under way, whatever it costs. `memory` is a part of the whole to keep to.
        """
        most = max(1, min(4 * self.threads, (memory or self.memory) // max(1, cost)))
        if self.threads == 1 or most == 1:
            yield from map(call, items)
            return
        length = min(_LONGEST_BATCH, max(1, _BATCH // max(1, cost)))
        rest = iter(items)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, "ncz-chunks")
        pool = self._pool

        def work(batch: list[_A]) -> list[_T]:
            return [call(item) for item in batch]

        ahead: deque[Future[list[_T]]] = deque()
        try:
            while True:
                while len(ahead) < most and (batch := list(islice(rest, length))):
                    ahead.append(pool.submit(work, batch))
                if not ahead:
                    return
                yield from ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()
