"""The number of available processors, and of the threads that use them."""

from __future__ import annotations

import os

_REMOTE_THREADS = 32
"""Threads that wait for a server. Waiting takes no processor."""


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads_for(*, is_remote: bool) -> int:
    """Return the number of threads: one per core, or more if they wait for a server."""
    return _REMOTE_THREADS if is_remote else cores()
