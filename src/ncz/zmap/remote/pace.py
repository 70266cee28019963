"""Give up downloads that make no real progress.

A server that sends a few bytes now and then never lets a wait for the next bytes time out.
"""

from __future__ import annotations

import time

from ncz.zmap.remote.request_errors import NoAnswerError
from ncz.zmap.remote.retry_policy import RetryPolicy


class SlowServerError(NoAnswerError):
    """A server sent fewer bytes than it must, for as long as a request may take.

    The text describes another kind of failure.
    """

    def reason(self, server: str, policy: RetryPolicy) -> str:
        """Return a message; see `RequestError.reason`."""
        few = f"sent fewer than {policy.slowest_read:g} bytes per second"
        return f"{server} {str(self) or few}"


class Pace:
    """The rate of one download, measured again and again over the timeout of a request."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._span = policy.timeout - policy.read  # the last wait for bytes comes on top
        self._least = policy.slowest_read
        self._start = time.monotonic()
        self._received = 0

    def count_bytes(self, count: int) -> None:
        """Count bytes that arrived; raise `SlowServerError` if they are too few."""
        self._received += count
        passed = time.monotonic() - self._start
        if passed < self._span:
            return
        if self._received < self._least * passed:
            raise SlowServerError
        self._start += passed
        self._received = 0
