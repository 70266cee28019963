"""Fork processes that inherit neither locked locks nor ends of pipes that others wait for."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_idle = 0


@contextmanager
def hold_forks() -> Iterator[None]:
    """Hold while pipes are made for another process, until this one has closed its ends.

    A process that another thread forks meanwhile would keep these ends open, and the reader would
    never see the end of the pipe.
    """
    with _lock:
        yield


def is_alone() -> bool:
    """Return whether no other thread of this process runs Python code.

    A forked process has the locks that other threads hold, such as locks of modules that they
    import, but not the threads, which would release them.
    """
    return len(sys._current_frames()) <= 1 + _idle


def expect_idle_thread() -> None:
    """Count one more thread of this process as one that holds no lock of interest."""
    global _idle
    _idle += 1


def settle() -> None:
    """Keep the objects that a forked process has from its parent; call this first there.

    Their finalizers would wait for threads that the process does not have.
    """
    gc.freeze()


def _in_child() -> None:
    global _lock, _idle
    _lock = threading.Lock()
    _idle = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
