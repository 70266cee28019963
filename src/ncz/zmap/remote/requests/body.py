"""Read the body of an HTTP response as a stream, no further than is needed.

A server may send more than was asked for, compressed bytes that were not asked for, or a body that
never ends.
"""

from __future__ import annotations

from typing import Any

from ncz.zmap.remote.requests.pace import Pace

_PIECE = 1 << 20  # bytes that are decompressed at once


async def read_body(response: Any, most: int, pace: Pace, skip: int = 0) -> bytes:
    """Read a part of a response's body.

    Parameters
    ----------
    response
        A response of aiohttp whose session does not decompress.
    most
        The most bytes to return. If there are more, the connection is closed.
    pace
        Counts the bytes that arrive.
    skip
        The number of bytes to leave out before them.
    """
    stream = _decompressor(response.headers.get("Content-Encoding", ""))
    parts: list[bytes] = []
    left = most
    async for received in response.content.iter_any():
        rest = received
        pace.received(len(received))
        while rest:
            piece, rest = rest, b""
            if stream is not None:
                piece = stream.decompress(piece, _PIECE)
                rest = stream.unconsumed_tail
            part = piece[skip : skip + left]
            skip -= min(skip, len(piece))
            left -= len(part)
            parts.append(part)
            if not left:
                response.close()  # or the library would read the rest
                return b"".join(parts)
    return b"".join(parts)


def _decompressor(encoding: str) -> Any:
    """Return the decompressor of a ``Content-Encoding``; None for bytes as they are."""
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return None
    import zlib

    return zlib.decompressobj(47)  # detects gzip and zlib
