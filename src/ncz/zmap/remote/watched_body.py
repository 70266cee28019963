"""Send the body of a request, and notice when the server stops receiving it."""

from __future__ import annotations

import io
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


class WatchedBody(io.BytesIO):
    """A body that counts its reads, so that a stopped transfer is noticed."""

    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Read some bytes; see `io.BytesIO.read`."""
        self.reads += 1
        return super().read(size)

    async def watch(self, sending: Coroutine[Any, Any, _T], stall: float, slowest: float) -> _T:
        """Wait until the body is sent, and return the answer.

        Parameters
        ----------
        sending
            The request that sends this body.
        stall
            The time limit in seconds for progress.
        slowest
            The slowest permitted rate of the transfer, in bytes per second.

        Raises
        ------
        TimeoutError
            If nothing happens for too long, or the transfer is too slow.
        """
        import asyncio
        import time

        end = time.monotonic() + stall + len(self.getbuffer()) / slowest
        task = asyncio.ensure_future(sending)
        try:
            while not task.done():
                before = self.reads
                left = min(stall, end - time.monotonic())
                await asyncio.wait({task}, timeout=max(0.0, left))
                if not task.done() and (self.reads == before or time.monotonic() >= end):
                    raise TimeoutError
        finally:
            task.cancel()
        return await task
