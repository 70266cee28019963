"""Shapes of chunks whose elements are consecutive."""

from __future__ import annotations

import math

LARGEST_BLOCK = 16 << 20
"""Bytes of the largest chunk for reading an array without codecs."""

_LEAST_BLOCK, _LEAST_PARTS = 256 << 10, 8
"""Bytes that are read together, although some of them can be outside the requested box, unless the
box has only a few parts of them."""

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


def are_consecutive(shape: tuple[int, ...], lengths: tuple[int, ...]) -> bool:
    """Return whether boxes of these lengths are consecutive elements of an array."""
    divided = next((axis for axis in reversed(range(len(shape))) if lengths[axis] < shape[axis]), 0)
    return all(min(a, b) <= 1 for a, b in zip(lengths[:divided], shape[:divided], strict=True))


def aligned_blocks(
    shape: tuple[int, ...], item_size: int, start: tuple[int, ...], stop: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return the shape of chunks that begin and end where a box does, or soon before and after.

    None if the elements of the box are not consecutive.
    """
    lengths = tuple(b - a for a, b in zip(start, stop, strict=True))
    if not shape or not all(lengths) or not are_consecutive(shape, lengths):
        return None
    axis = next((axis for axis in reversed(range(len(shape))) if lengths[axis] < shape[axis]), 0)
    row = max(1, item_size) * math.prod(shape[axis + 1 :])
    length = math.gcd(start[axis], stop[axis])
    least = min(_LEAST_BLOCK // row, lengths[axis] // _LEAST_PARTS)
    length = max(length, least)
    most = max(1, LARGEST_BLOCK // row)
    length = length if length <= most else _divisor(length, most)
    return (*(1 for _ in shape[:axis]), length, *(max(1, n) for n in shape[axis + 1 :]))


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
