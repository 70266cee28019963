"""Read the body of an HTTP response as a stream, only as far as needed.

A server may send more than requested, compressed bytes without a request for them, or a body that
never ends.
"""

from __future__ import annotations

from typing import Any

from ncz.zmap.remote.http_response import Response
from ncz.zmap.remote.pace import Pace

_INFLATED_PIECE = 1 << 20  # bytes that are decompressed in one call


def read_body(response: Response, most: int, pace: Pace, skip: int = 0) -> bytes:
    """Read a part of a response's body.

    Parameters
    ----------
    response
        The response.
    most
        The most bytes to return; the rest is not read.
    pace
        Counts the bytes that arrive.
    skip
        The number of bytes to leave out before them.
    """
    stream = _decompressor(response.headers.get("content-encoding", ""))
    parts: list[bytes] = []
    left = most
    for received in response.pieces():
        rest = received
        pace.count_bytes(len(received))
        while rest:
            piece, rest = rest, b""
            if stream is not None:
                piece = stream.decompress(piece, _INFLATED_PIECE)
                rest = stream.unconsumed_tail
            part = piece[skip : skip + left]
            skip -= min(skip, len(piece))
            left -= len(part)
            parts.append(part)
            if not left:
                return b"".join(parts)
    return b"".join(parts)


def _decompressor(encoding: str) -> Any:
    """Return the decompressor of a ``Content-Encoding``; None for uncompressed bytes."""
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return None
    import zlib

    return zlib.decompressobj(47)  # detects gzip and zlib
