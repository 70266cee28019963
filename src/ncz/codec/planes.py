"""Deflate shuffled data, of which each part is compressed in the way that suits it.

Shuffle puts the first bytes of all elements together, then the second, and so on: planes. Those of
exponents repeat themselves, while those of measured digits hardly do. A search for repetitions in
the latter takes most of the time of zlib, and often gains nothing over coding single bytes by their
frequency (zlib's strategy ``Z_HUFFMAN_ONLY``). A sample of each part decides. The parts form one
stream, which any zlib decodes.

Sources: RFC 1951, sections 3.2.3 and 3.2.4; zlib's manual for ``Z_SYNC_FLUSH``.
"""

from __future__ import annotations

from collections.abc import Iterator

from ncz.codec.deflate import deflate, header, library, trailer

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
        The format; see `ncz.codec.deflate`.
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
