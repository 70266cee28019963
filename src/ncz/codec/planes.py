"""Compress the planes of shuffled elements; some planes are noise.

Shuffle puts the first bytes of all elements together, then the second, and so on: planes. Planes of
measured digits come first, and hardly repeat themselves. ISA-L compresses such planes several times
as fast as libdeflate, and about as well; a sample of each decides. The parts form one stream, which
any zlib decodes.

Source: zlib's manual for ``Z_SYNC_FLUSH``.
"""

from __future__ import annotations

from ncz.codec.deflate_streams import LEVELS, deflate, header, isal, libdeflate, trailer

_SAMPLE = 64 << 10
"""Bytes that are compressed in both ways; twice the largest distance of repetitions."""

_SHORTEST = 4 * _SAMPLE
"""The length of planes that are worth a sample."""

_WORTH = 1.01
"""ISA-L is used if it makes a sample at most this many times as large."""

_SMALL = 32
"""ISA-L is used for the planes after the noise if it makes them this many times smaller than the
noise. The stream is then at most 3 % larger than with libdeflate."""

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
    noise = stream.compress(data[:size]) + stream.flush(fast.Z_SYNC_FLUSH)
    most = len(noise) // _SMALL
    rest = None
    if len(_by_isal(_sample(data[size : size + length]))) * length <= most * _SAMPLE:
        rest = _by_isal(data[size:])
    if rest is None or len(rest) > most:
        rest = library.deflate_compress(data[size:], LEVELS[level])
    return b"".join((header(level, window), noise, rest, trailer(data, window)))


def _is_noise(plane: memoryview, level: int) -> bool:
    """Return whether a plane hardly shrinks, and ISA-L compresses it as well as libdeflate does.

    The middle of the plane decides. A plane that shrinks much may be different elsewhere.
    """
    sample = _sample(plane)
    size = len(_by_isal(sample))
    if size < _SAMPLE // 4:  # libdeflate does not make it twice as large
        return False
    expected = len(libdeflate().deflate_compress(sample, LEVELS[level]))
    return expected >= _SAMPLE // 2 and size <= _WORTH * expected


def _sample(plane: memoryview) -> memoryview:
    """Return the middle of a plane."""
    start = max(0, len(plane) - _SAMPLE) // 2
    return plane[start : start + _SAMPLE]


def _by_isal(data: memoryview) -> bytes:
    """Return the end of a stream."""
    stream = isal().compressobj(_ISAL_LEVEL, isal().DEFLATED, _NO_HEADER)
    return b"".join((stream.compress(data), stream.flush()))
