"""Keep other threads from collecting garbage while this one waits with a library's lock.

A library that locks all of its calls, as h5py does, also locks the end of its objects. If it reads
a file through Python, and the thread that fetches the bytes happens to collect garbage with such an
object in it, both threads wait for each other for ever.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_lock = threading.RLock()
_blocks = 0
_enabled = False


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Switch the collection of cyclic garbage off in all threads for the duration of the block.

    It is on again after the last of the blocks that several threads run, if it was on before.
    """
    global _blocks, _enabled
    with _lock:
        if not _blocks:
            _enabled = gc.isenabled()
            gc.disable()
        _blocks += 1
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if not _blocks and _enabled:
                gc.enable()
