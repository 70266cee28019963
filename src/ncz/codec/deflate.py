"""Deflate: zlib and gzip, with the fastest implementation that is installed.

zlib-ng encodes and decodes at least 1.5 times as fast as zlib at the same level. Its compressed
bytes differ from zlib's, so two machines write the same bytes only if both have zlib-ng or neither
has it. Both decode to the same data. numcodecs is not used: the decompressors here stop at a limit,
and run without the interpreter's lock.

Shuffle puts the first bytes of all elements together, then the second, and so on: planes. Those of
exponents repeat themselves, while those of measured digits hardly do. A search for repetitions in
the latter takes most of the time of zlib, and often gains nothing over coding single bytes by their
frequency (zlib's strategy ``Z_HUFFMAN_ONLY``). A sample of each part decides. The parts form one
stream, which any zlib decodes.

Sources: RFC 1950-1952, above all RFC 1951, sections 3.2.3 and 3.2.4; zlib's manual for
``Z_SYNC_FLUSH``.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ncz.codec.base import (
    LEVEL,
    Codec,
    Configuration,
    Encoded,
    Hdf5Spelling,
    Stage,
    TooLong,
    V3Parameter,
    V3Spelling,
    by_numcodecs,
    integer,
    to_bytes,
    view,
)

if TYPE_CHECKING:
    from ncz.codec.base import Elements

Buffer = bytes | memoryview

ZLIB, GZIP = 15, 31
"""The window of each format, as zlib's functions take it."""


@functools.cache
def library() -> Any:
    """Return the module that has zlib's functions."""
    try:
        from zlib_ng import zlib_ng
    except ImportError:
        import zlib

        return zlib
    return zlib_ng


def deflate(data: Buffer, level: int, window: int) -> bytes:
    """Compress `data`; a gzip member has no date, so that equal data give equal bytes."""
    compressed: bytes
    if window == GZIP and library().__name__ == "zlib":
        import gzip

        compressed = gzip.compress(data, level, mtime=0)
    else:
        compressed = library().compress(data, level, window)
    return compressed


def header(level: int, window: int) -> bytes:
    """Return what precedes a deflate stream of `level`."""
    return deflate(b"", level, window)[: 10 if window == GZIP else 2]


def trailer(data: Buffer, window: int) -> bytes:
    """Return what follows the deflate stream of `data`: a checksum, and the size in gzip."""
    if window == GZIP:
        return struct.pack("<2I", library().crc32(data), memoryview(data).nbytes & 0xFFFFFFFF)
    return struct.pack(">I", library().adler32(data))


def decompressor(window: int) -> Any:
    """Return a ``zlib.decompressobj``, which decompresses one stream."""
    return library().decompressobj(window)


# --- decompression with a limit -------------------------------------------------------------------

_SMALLEST_PIECE = 64
_LARGEST_PIECE = 1 << 20


def inflate(data: bytes, limit: int, window: int) -> bytes:
    """Decompress zlib (`window` 15), or gzip (31) of one or more members."""
    stream = decompressor(window)
    first: bytes = stream.decompress(data, limit + 1)
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


# --- planes ---------------------------------------------------------------------------------------

_SAMPLE = 64 << 10
"""Bytes that are compressed in both ways; twice the distance at which repetitions are found."""

_SHORTEST, _LONGEST = 4 * _SAMPLE, 16 * _SAMPLE
"""Lengths of a part. Shorter planes are not worth a sample."""

_WORTH = 1.01
"""Single bytes are coded if that makes a sample at most so many times as large."""

_SAME = 0.02
"""A part whose ratio differs by more from that of its sample is not like it."""

_NO_HEADER = -15
_MEMORY_LEVEL = 8  # zlib's default
_END = b"\x03\x00"  # an empty last block


def deflate_planes(data: memoryview, level: int, window: int, length: int) -> bytes:
    """Compress the planes of shuffled data.

    Parameters
    ----------
    data
        The bytes of the planes.
    level
        The level of the search for repetitions.
    window
        The format: `ZLIB` or `GZIP`.
    length
        The length of each plane in bytes.

    Returns
    -------
    bytes
        The same as by `deflate` if no part is coded as single bytes.
    """
    coded: list[bytes] = []
    done = 0
    if level:
        for start, stop in _parts(len(data), length):
            part = _as_single_bytes(data[start:stop], level)
            if part is not None:
                if done < start:
                    coded.append(_compressed(data[done:start], level))
                coded.append(part)
                done = stop
    if not coded:
        return deflate(data, level, window)
    if done < len(data):
        coded.append(_compressed(data[done:], level))
    return b"".join((header(level, window), *coded, _END, trailer(data, window)))


def _parts(size: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each part of planes that are long enough, of about equal size."""
    if length < _SHORTEST:
        return
    count = -(-length // _LONGEST)
    for plane in range(0, size - length + 1, length):
        for number in range(count):
            yield plane + length * number // count, plane + length * (number + 1) // count


def _as_single_bytes(part: memoryview, level: int) -> bytes | None:
    """Return a part that is coded as single bytes; None if repetitions make it smaller."""
    single = library().Z_HUFFMAN_ONLY
    start = (len(part) - _SAMPLE) // 2
    sample = part[start : start + _SAMPLE]
    expected = len(_compressed(sample, level, single))
    if expected > _WORTH * len(_compressed(sample, level)):
        return None
    found = _compressed(part, level, single)
    is_alike = abs(len(found) / len(part) - expected / _SAMPLE) <= _SAME
    return found if is_alike else None


def _compressed(data: memoryview, level: int, strategy: int = 0) -> bytes:
    """Return blocks of a deflate stream that end at a whole byte, and are not the last ones."""
    zlib = library()
    stream = zlib.compressobj(level, zlib.DEFLATED, _NO_HEADER, _MEMORY_LEVEL, strategy)
    compressed: bytes = stream.compress(data) + stream.flush(zlib.Z_SYNC_FLUSH)
    return compressed


# --- codecs ---------------------------------------------------------------------------------------


class _Deflate(Codec):
    """A wrapper of a deflate stream."""

    kind = "compressor"
    parameters = (integer("level", 1, 0, 9),)
    deflate_window: int

    def encode(self, value: bytes | Elements, stage: Stage) -> bytes:
        """Compress bytes, or the planes of shuffled elements."""
        data, level = view(value), stage.configuration.get("level", 1)
        if stage.shuffled > 1:
            return deflate_planes(data, level, self.deflate_window, len(data) // stage.shuffled)
        return deflate(data, level, self.deflate_window)

    def decode(self, value: bytes | Elements, stage: Stage) -> bytes:
        """Decompress at most `stage.limit` bytes."""
        return inflate(to_bytes(value), stage.limit, self.deflate_window)


class Zlib(_Deflate):
    """zlib."""

    id = "zlib"
    hdf5 = Hdf5Spelling(1, LEVEL)
    v3 = by_numcodecs("zlib")
    short = (("level", 1),)
    deflate_window = ZLIB

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Check the header."""
        head = data[:2]
        return len(data) > 6 and head[0] & 15 == 8 and int.from_bytes(head, "big") % 31 == 0


class Gzip(_Deflate):
    """gzip of one or more members."""

    id = "gzip"
    v3 = V3Spelling("gzip", (V3Parameter("level", 5),))
    short = (("level", 5),)
    deflate_window = GZIP

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Compare the size in the trailer, which is that of the last member."""
        return (
            len(data) >= 18
            and data[:3] == b"\x1f\x8b\x08"
            and (size is None or int.from_bytes(data[-4:], "little") == size % 2**32)
        )


CODECS = (Zlib(), Gzip())
