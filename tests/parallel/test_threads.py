"""Pools of threads."""

from __future__ import annotations

import concurrent.futures
import threading
from typing import Any

from ncz.parallel.threads import ThreadPool


def test_threads_that_share_a_pool_start_it_once(monkeypatch):
    started: list[object] = []
    second = threading.Event()

    class Slow(concurrent.futures.ThreadPoolExecutor):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            started.append(self)
            if len(started) > 1:
                second.set()
            second.wait(0.3)

    with ThreadPool(1 << 28, 2) as pool, concurrent.futures.ThreadPoolExecutor(4) as users:
        monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", Slow)
        begin = threading.Barrier(4)

        def use(number: int) -> list[int]:
            begin.wait(60)
            return list(pool.each(lambda n: n + number, range(3), 1 << 20))

        assert list(users.map(use, range(4))) == [[n, n + 1, n + 2] for n in range(4)]
    assert len(started) == 1
