"""Let glibc keep freed memory for the next arrays of a worker."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import lru_cache

_TRIM, _MMAP = "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"
"""Environment variables of glibc: when freed memory returns to the system."""

_M_TRIM, _M_MMAP = -1, -3
"""The same limits, as `mallopt` numbers them."""

_USUAL_MMAP, _LARGEST_MMAP = 128 << 10, 32 << 20
"""The size in bytes of objects that glibc maps separately, and the limit of this setting."""


@contextlib.contextmanager
def keep_freed_memory() -> Iterator[None]:
    """Let glibc keep freed memory of this thread, up to 64 MB, for the next chunks and pieces.

    Dask sets `MALLOC_TRIM_THRESHOLD_` for its workers, so that glibc returns the memory of large
    arrays to the system immediately, which then clears and maps a page for every 4 kB of the next
    ones. Afterwards the limits are as Dask set them. Without that variable, glibc adapts its
    limits.
    """
    trim = os.environ.get(_TRIM, "")
    mallopt = _mallopt() if trim.isdecimal() and _MMAP not in os.environ else None
    if mallopt is None:
        yield
        return
    mallopt(_M_MMAP, _LARGEST_MMAP)
    mallopt(_M_TRIM, 2 * _LARGEST_MMAP)
    try:
        yield
    finally:
        mallopt(_M_MMAP, _USUAL_MMAP)
        mallopt(_M_TRIM, min(int(trim), 2**31 - 1))


@lru_cache(maxsize=1)
def _mallopt() -> Callable[[int, int], int] | None:
    """Return the function of glibc; None if there is another C library."""
    import ctypes

    try:
        function: Callable[[int, int], int] = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return None
    return function
