"""Decompression that stops at a limit, so that a few bytes cannot become gigabytes.

The most that a chunk decodes to is known before it is decoded (`ncz.codec.stages`), and the
decompressors of the standard library stop there. For other libraries see `ncz.codec.gates`.

Sources: RFC 1950-1952.
"""

from __future__ import annotations

from typing import Any

Configuration = dict[str, Any]

_SMALLEST_PIECE = 64
_LARGEST_PIECE = 1 << 20
_DICTIONARY = 256 << 20  # bytes of memory that lzma may take beside its output


class TooLong(ValueError):
    """The data decode to more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"it decodes to more than {limit} bytes")


def inflate(data: bytes, limit: int, window: int) -> bytes:
    """Decompress zlib (`window` 15), or gzip (31) of one or more members."""
    from ncz.codec.deflate import decompressor

    stream = decompressor(window)
    first: bytes = stream.decompress(data, limit + 1)
    if len(first) > limit:
        raise TooLong(limit)
    if not stream.eof:
        raise ValueError("the compressed data ends too early")
    rest = memoryview(stream.unused_data)
    if not rest or window == 15:
        return first
    parts = [first]
    length = len(first)
    while True:
        rest = _without_zeros(rest)
        if not rest:
            return b"".join(parts)
        member, used = _member(rest, limit - length)
        if length + len(member) > limit:
            raise TooLong(limit)
        length += len(member)
        if member:
            parts.append(member)
        rest = rest[used:]


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
    """Decompress the first member of gzip; return its bytes, and how many it has in `data`.

    More than `limit` bytes are not completed. The decompressor copies what follows the member, so
    it is given small pieces first: many small members then take time in proportion to their bytes.
    """
    from ncz.codec.deflate import GZIP, decompressor

    stream = decompressor(GZIP)
    parts = []
    length = at = 0
    piece = _SMALLEST_PIECE
    while not stream.eof:
        given = stream.unconsumed_tail
        if not given:
            given = data[at : at + piece]
            at += len(given)
            piece = min(2 * piece, _LARGEST_PIECE)
            if not given:
                raise ValueError("the compressed data ends too early")
        part = stream.decompress(given, limit + 1 - length)
        parts.append(part)
        length += len(part)
        if length > limit:
            break
    return b"".join(parts), at - len(stream.unused_data)


def bunzip2(data: bytes, limit: int) -> bytes:
    """Decompress bzip2."""
    import bz2

    return _stream(bz2.BZ2Decompressor(), data, limit)


def unlzma(data: bytes, limit: int, configuration: Configuration) -> bytes:
    """Decompress lzma, in the container format and with the filters of the configuration."""
    import lzma

    container = configuration.get("format", 1)
    if container == lzma.FORMAT_RAW:
        stream = lzma.LZMADecompressor(container, filters=configuration.get("filters"))
    else:
        stream = lzma.LZMADecompressor(lzma.FORMAT_AUTO, memlimit=_DICTIONARY)
    return _stream(stream, data, limit)


def _stream(stream: Any, data: bytes, limit: int) -> bytes:
    result: bytes = stream.decompress(data, limit + 1)
    if len(result) > limit:
        raise TooLong(limit)
    if not stream.eof:
        # A raw lzma stream may have no end marker; then only the size can be checked.
        more: bytes = b"" if stream.needs_input else stream.decompress(b"", limit + 1 - len(result))
        result += more
        if len(result) > limit:
            raise TooLong(limit)
        if not stream.eof and stream.needs_input and not result:
            raise ValueError("the compressed data ends too early")
    return result
