"""Deflate: zlib and gzip, with the fastest libraries.

libdeflate encodes and decodes two to four times as fast as zlib, and checks that decoding gives at
most as many bytes as it was told. It takes a whole stream only, so zlib decodes what is damaged,
too long, or of several members; its errors say what is wrong.

Shuffle puts the first bytes of all elements together, then the second, and so on: planes. Those of
measured digits come first, and hardly repeat themselves. ISA-L compresses such planes several times
as fast as libdeflate, and about as well; a sample of each decides. The parts form one stream, which
any zlib decodes.

The compressed bytes differ from those of zlib, so two machines write the same bytes only if both
have these libraries or neither has them. Both decode to the same data.

Sources: RFC 1950-1952; zlib's manual for ``Z_SYNC_FLUSH``.
"""

from __future__ import annotations

import functools
import struct
import zlib
from typing import TYPE_CHECKING, Any

from ncz.codec import (
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
    from ncz.codec import Bytes, Elements

ZLIB, GZIP = 15, 31
"""The window of each format, as zlib's functions take it."""


_LEVELS = (0, 2, 2, 3, 4, 4, 5, 6, 7, 7)
"""The level of libdeflate for each of zlib's.

It is the fastest that made none of 28 arrays of models and observations more than 3 % larger than
zlib does. libdeflate's own level 1 makes floats larger by up to a third, and its levels 8 and 9
rounded floats by a tenth. A constant array, of a thousandth of its size, is larger by 4 %.
"""

_MOST_INFLATED = 1032
"""The most bytes that a byte of a deflate stream can stand for: 258 for two bits."""


@functools.cache
def libdeflate() -> Any:
    """Return the module of libdeflate, or None if it is not installed."""
    try:
        import deflate
    except ImportError:
        return None
    return deflate


@functools.cache
def isal() -> Any:
    """Return the module of ISA-L that has zlib's functions, or None if it is not installed."""
    try:
        from isal import isal_zlib
    except ImportError:
        return None
    return isal_zlib


def deflate(data: Bytes, level: int, window: int) -> bytes:
    """Compress `data`; a gzip member has no date, so that equal data give equal bytes."""
    library = libdeflate()
    if library is not None and level:
        compress = library.gzip_compress if window == GZIP else library.zlib_compress
        return bytes(compress(data, _LEVELS[level]))
    if window == GZIP:
        import gzip

        return gzip.compress(data, level, mtime=0)
    return zlib.compress(data, level, window)


def header(level: int, window: int) -> bytes:
    """Return what precedes a deflate stream of `level`."""
    return deflate(b"", level, window)[: 10 if window == GZIP else 2]


def trailer(data: Bytes, window: int) -> bytes:
    """Return what follows the deflate stream of `data`: a checksum, and the size in gzip."""
    library = libdeflate() or zlib
    if window == GZIP:
        return struct.pack("<2I", library.crc32(data), memoryview(data).nbytes & 0xFFFFFFFF)
    return struct.pack(">I", library.adler32(data))


# --- decompression with a limit -------------------------------------------------------------------

_SMALLEST_PIECE = 64
_LARGEST_PIECE = 1 << 20


def inflate(data: bytes, limit: int, window: int) -> bytes | bytearray:
    """Decompress zlib (`window` 15), or gzip (31) of one or more members."""
    whole = _inflate_whole(data, min(limit, _MOST_INFLATED * len(data)), window)
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
    # The trailer is that of the last member, which is also the first if it fits.
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
    """Decompress the first member of gzip; return its bytes, and how many it has in `data`.

    More than `limit` bytes are not completed. The decompressor copies what follows the member, so
    it is given small pieces first: many small members then take time in proportion to their bytes.
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


# --- planes ---------------------------------------------------------------------------------------

_SAMPLE = 64 << 10
"""Bytes that are compressed in both ways; twice the distance at which repetitions are found."""

_SHORTEST = 4 * _SAMPLE
"""The length of planes that are worth a sample."""

_WORTH = 1.01
"""ISA-L is used if it makes a sample at most this many times as large."""

_ISAL_LEVEL = 2
_NO_HEADER = -15


def deflate_planes(data: memoryview, level: int, window: int, length: int) -> bytes:
    """Compress the planes of shuffled data.

    Parameters
    ----------
    data
        The bytes of the planes.
    level
        The level of zlib.
    window
        The format: `ZLIB` or `GZIP`.
    length
        The length of each plane in bytes.

    Returns
    -------
    bytes
        The same as by `deflate` if ISA-L does not compress the first plane about as well.
    """
    library, fast = libdeflate(), isal()
    size = 0
    if level and length >= _SHORTEST and library is not None and fast is not None:
        while size + length <= len(data) and _is_noise(data[size : size + length], level):
            size += length
    if not size:
        return deflate(data, level, window)
    stream = fast.compressobj(_ISAL_LEVEL, fast.DEFLATED, _NO_HEADER)
    first = stream.compress(data[:size]), stream.flush(fast.Z_SYNC_FLUSH)
    rest = library.deflate_compress(data[size:], _LEVELS[level])
    return b"".join((header(level, window), *first, rest, trailer(data, window)))


def _is_noise(plane: memoryview, level: int) -> bool:
    """Return whether a plane hardly shrinks, and ISA-L compresses it as well as libdeflate does.

    The middle of the plane decides. A plane that shrinks much may be different elsewhere.
    """
    start = (len(plane) - _SAMPLE) // 2
    sample = plane[start : start + _SAMPLE]
    expected = len(libdeflate().deflate_compress(sample, _LEVELS[level]))
    stream = isal().compressobj(_ISAL_LEVEL, isal().DEFLATED, _NO_HEADER)
    size = len(stream.compress(sample)) + len(stream.flush())
    return expected >= _SAMPLE // 2 and size <= _WORTH * expected


# --- codecs ---------------------------------------------------------------------------------------


class _Deflate(Codec):
    """A wrapper of a deflate stream."""

    kind = "compressor"
    parameters = (integer("level", 1, 0, 9),)
    effort = ("level",)
    deflate_window: int

    def encode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Compress bytes, or the planes of shuffled elements."""
        data, level = view(value), stage.configuration.get("level", 1)
        if stage.shuffled > 1:
            return deflate_planes(data, level, self.deflate_window, len(data) // stage.shuffled)
        return deflate(data, level, self.deflate_window)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes | bytearray:
        """Decompress at most `stage.limit` bytes."""
        return inflate(to_bytes(value), stage.limit, self.deflate_window)


class Zlib(_Deflate):
    """The codec zlib."""

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
    """The codec gzip: one or more members."""

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
