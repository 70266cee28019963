"""Tell somebody of each request that a server answered, such as a progress bar."""

from __future__ import annotations

from collections.abc import Callable

_watches: list[Callable[[str], None]] = []


def watch_requests(watch: Callable[[str], None] | None) -> None:
    """Call a function after each request from now on, with the key or prefix of the request.

    It is called in several threads. None ends it.
    """
    _watches[:] = [] if watch is None else [watch]


def answered(key: str) -> None:
    """Tell that a server answered a request."""
    for watch in _watches:
        watch(key)
