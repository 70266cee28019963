"""zlib and gzip, by the fastest implementation that is installed: the same bytes once decoded.

zlib-ng (extra ``ncz[fast]``) encodes and decodes half as fast again or better, at the same
level. What it writes is not byte for byte what zlib does, so two machines write the same bytes only
if both have it or neither.
"""

from __future__ import annotations

import functools
from typing import Any

ZLIB, GZIP = 15, 31
"""The window of a format, as zlib's functions take it."""


@functools.cache
def library() -> Any:
    """A module with zlib's functions."""
    try:
        from zlib_ng import zlib_ng
    except ImportError:
        import zlib

        return zlib
    return zlib_ng


def deflate(data: bytes, level: int, window: int) -> bytes:
    """`data` compressed; a gzip member without a date, so that the same data are the same bytes."""
    compressed: bytes
    if window == GZIP and library().__name__ == "zlib":
        import gzip

        compressed = gzip.compress(data, level, mtime=0)
    else:
        compressed = library().compress(data, level, window)
    return compressed


def decompressor(window: int) -> Any:
    """What decompresses one stream: a ``zlib.decompressobj``."""
    return library().decompressobj(window)
