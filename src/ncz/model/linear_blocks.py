"""Shapes of chunks whose elements lie one after the other."""

from __future__ import annotations

import math

LARGEST_BLOCK = 16 << 20
"""Bytes of the largest chunk in which an array without codecs is read."""

_TRIED = 100_000
"""Numbers of parts, or lengths of a part, among which a divisor is looked for."""


def block_shape(
    shape: tuple[int, ...], item_size: int, most: int = LARGEST_BLOCK
) -> tuple[int, ...]:
    """Return the shape of chunks that are consecutive elements, of at most 16 MiB if possible.

    The last axes are whole; the axis before them is divided, and those before it have one index.
    """
    chunks = [1] * len(shape)
    size = item_size
    for axis in reversed(range(len(shape))):
        length = max(1, shape[axis])
        parts = -(-length // max(1, most // size))
        chunks[axis] = -(-length // parts)
        if parts > 1:
            break
        size *= length
    return tuple(chunks)


def whole_blocks(shape: tuple[int, ...], item_size: int, *, by_record: bool) -> tuple[int, ...]:
    """Return the shape of chunks that are consecutive elements and divide the array evenly.

    With `by_record`, a chunk has elements of one record only.
    """
    chunks = [1] * len(shape)
    size = max(1, item_size)
    for axis in reversed(range(1 if by_record else 0, len(shape))):
        length = max(1, shape[axis])
        most = max(1, LARGEST_BLOCK // size)
        chunks[axis] = length if length <= most else _divisor(length, most)
        if chunks[axis] < length:
            break
        size *= length
    return tuple(chunks)


def _divisor(length: int, most: int) -> int:
    """Return a divisor of a length that is at most `most`, and large if that is soon found."""
    root = math.isqrt(length)
    fewest = -(-length // most)
    parts = range(fewest, min(root, fewest + _TRIED) + 1)
    found = next((count for count in parts if length % count == 0), None)
    if found is not None:
        return length // found
    start = min(most, root)
    return next((n for n in range(start, max(0, start - _TRIED), -1) if length % n == 0), 1)
