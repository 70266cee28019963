"""The number and duration of attempts of a request."""

from __future__ import annotations

from ncz.record import record

TIMEOUT = 60.0
"""The default timeout, in seconds."""


@record
class RetryPolicy:
    """Timeouts, retries and the number of parallel requests.

    Attributes
    ----------
    timeout
        The time in seconds that ncz waits for a server, in all attempts
        of a request.
    connect, read
        The time in seconds that one attempt waits for a connection, and for the next bytes.
    attempts
        The most attempts for each request.
    first_wait, longest_wait
        The wait before a retry, in seconds. It doubles each time up to the longest wait, and is
        reduced at random by up to a half.
    slowest
        The slowest permitted rate of an upload, in bytes per second.
    slowest_read
        The slowest permitted rate of a download over the whole timeout, in bytes per second.
    parallel
        The number of parallel requests.
    ahead
        The bytes that are fetched before they are read; None is `ncz.zmap.remote.prefetch.HELD`.
    """

    timeout: float = TIMEOUT
    connect: float = TIMEOUT / 8
    read: float = 0.35 * TIMEOUT
    attempts: int = 5
    first_wait: float = 0.25
    longest_wait: float = 10.0
    slowest: float = 8000.0
    slowest_read: float = 100.0
    parallel: int = 32
    ahead: int | None = None

    @staticmethod
    def within(timeout: float) -> RetryPolicy:
        """Return the policy for a timeout in seconds; two attempts at a request fit into it."""
        return RetryPolicy(timeout, min(10.0, timeout / 8), 0.35 * timeout)
