"""Decompress zlib and gzip with a limit.

libdeflate decodes two to four times as fast as zlib, and checks that decoding gives at most as many
bytes as expected. It accepts only whole streams, so zlib decodes streams that are damaged, too
long, or have several members; its errors give the reason.
"""

from __future__ import annotations

import zlib

from ncz.codec import TooLong
from ncz.codec.deflate_streams import GZIP, MOST_INFLATED, ZLIB, libdeflate, trailer

_SMALLEST_PIECE = 64
_LARGEST_PIECE = 1 << 20


def inflate(data: bytes, limit: int, window: int) -> bytes | bytearray:
    """Decompress zlib (`window` 15), or gzip (31) of one or more members."""
    whole = _inflate_whole(data, min(limit, MOST_INFLATED * len(data)), window)
    if whole is not None:
        return whole
    stream = zlib.decompressobj(window)
    first = stream.decompress(data, limit + 1)
    if len(first) > limit:
        raise TooLong(limit)
    if not stream.eof:
        raise ValueError("the compressed data ends too early")
    rest = memoryview(stream.unused_data)
    if not rest or window == ZLIB:
        return first
    parts = [first]
    length = len(first)
    while True:
        rest = _without_zeros(rest)
        if not rest:
            return b"".join(parts)
        member, length_used = _member(rest, limit - length)
        if length + len(member) > limit:
            raise TooLong(limit)
        length += len(member)
        if member:
            parts.append(member)
        rest = rest[length_used:]


def _inflate_whole(data: bytes, limit: int, window: int) -> bytearray | None:
    """Decompress a stream of at most `limit` bytes; None if zlib must have a closer look."""
    library = libdeflate()
    if library is None or not limit:
        return None
    decompress = library.gzip_decompress if window == GZIP else library.zlib_decompress
    try:
        whole: bytearray = decompress(data, limit)
    except library.DeflateError:
        return None
    # The trailer belongs to the last member, which is also the first if it fits.
    return None if window == GZIP and data[-8:] != trailer(whole, GZIP) else whole


def _without_zeros(data: memoryview) -> memoryview:
    """Return the data without the zeros at its start, which pad a member."""
    at = 0
    while at < len(data) and data[at] == 0:
        piece = bytes(data[at : at + _LARGEST_PIECE])
        zeros = len(piece) - len(piece.lstrip(b"\0"))
        at += zeros
        if zeros < len(piece):
            break
    return data[at:]


def _member(data: memoryview, limit: int) -> tuple[bytes, int]:
    """Decompress the first member of gzip; return its bytes, and its length in `data`.

    More than `limit` bytes are not completed. The decompressor copies the data after the member, so
    it gets small pieces first: many small members then take time in proportion to their bytes.
    """
    stream = zlib.decompressobj(GZIP)
    parts = []
    length = at = 0
    piece = _SMALLEST_PIECE
    while not stream.eof:
        compressed: bytes | memoryview = stream.unconsumed_tail
        if not compressed:
            compressed = data[at : at + piece]
            at += len(compressed)
            piece = min(2 * piece, _LARGEST_PIECE)
            if not compressed:
                raise ValueError("the compressed data ends too early")
        part = stream.decompress(compressed, limit + 1 - length)
        parts.append(part)
        length += len(part)
        if length > limit:
            break
    return b"".join(parts), at - len(stream.unused_data)
