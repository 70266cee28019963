"""The weight of each index along an axis: an odd number of 64 bits that depends on the index alone.

It is the product of a number for the index within a block and one for the block, so that blocks of
values are weighed with the same few numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weights = NDArray[np.uint64]
else:
    Weights = Any

BLOCK = 1 << 10
"""Indices of a block."""

SUMS = 2
"""The number of sums of the values, each with other weights."""

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_WITHIN, _BLOCKS = 0, 1


def mix(number: int) -> int:
    """Return 64 bits that each depend on all 64 bits of a number."""
    number ^= number >> 30
    number = number * 0xBF58476D1CE4E5B9 & _MASK
    number ^= number >> 27
    number = number * 0x94D049BB133111EB & _MASK
    return number ^ number >> 31


def _numbers(which: int, axis: int, part: int, start: int, stop: int) -> Weights:
    """Return the odd numbers of consecutive indices within a block, or of consecutive blocks."""
    seed = mix((4 * axis + 2 * which + part + 1) * _GOLDEN & _MASK)
    numbers = np.arange(start + 1, stop + 1, dtype=np.uint64)
    numbers *= np.uint64(_GOLDEN)
    numbers += np.uint64(seed)
    numbers ^= numbers >> np.uint64(30)
    numbers *= np.uint64(0xBF58476D1CE4E5B9)
    numbers ^= numbers >> np.uint64(27)
    numbers *= np.uint64(0x94D049BB133111EB)
    numbers ^= numbers >> np.uint64(31)
    numbers |= np.uint64(1)
    return numbers


@lru_cache(maxsize=256)
def within_block(which: int, axis: int) -> Weights:
    """Return the numbers of the indices within a block."""
    return _numbers(which, axis, _WITHIN, 0, BLOCK)


def of_blocks(which: int, axis: int, start: int, stop: int) -> Weights:
    """Return the numbers of consecutive blocks, which must not be changed."""
    few = stop - start <= _FEW
    return _known_blocks(which, axis, start, stop) if few else _blocks(which, axis, start, stop)


def _blocks(which: int, axis: int, start: int, stop: int) -> Weights:
    return _numbers(which, axis, _BLOCKS, start, stop)


def weights(which: int, axis: int, start: int, stop: int) -> Weights:
    """Return the weights of consecutive indices along an axis, which must not be changed.

    Parameters
    ----------
    which
        Which of the sums they are for.
    axis
        The number of the axis.
    start, stop
        The first index, and the index after the last one.
    """
    few = stop - start <= _FEW
    return _known_weights(which, axis, start, stop) if few else _weights(which, axis, start, stop)


def _weights(which: int, axis: int, start: int, stop: int) -> Weights:
    first, last = start // BLOCK, -(-stop // BLOCK)
    blocks = of_blocks(which, axis, first, last)
    every = (blocks[:, None] * within_block(which, axis)).reshape(-1)
    return every[start - first * BLOCK : stop - first * BLOCK]


_FEW = 4 * BLOCK
"""Indices or blocks whose numbers are remembered; many chunks share the same ones."""

_known_weights, _known_blocks = (lru_cache(maxsize=256)(make) for make in (_weights, _blocks))


def total_weight(which: int, axis: int, start: int, stop: int) -> int:
    """Return the sum of the weights of consecutive indices, in little memory."""
    first, last = -(-start // BLOCK), stop // BLOCK
    if first >= last:
        return int(np.add.reduce(weights(which, axis, start, stop)))
    ends = (weights(which, axis, start, first * BLOCK), weights(which, axis, last * BLOCK, stop))
    middle = total_of_blocks(which, axis, first, last)
    middle *= int(np.add.reduce(within_block(which, axis)))
    return (middle + sum(int(np.add.reduce(end)) for end in ends)) & _MASK


_AT_ONCE = 1 << 16


def total_of_blocks(which: int, axis: int, start: int, stop: int) -> int:
    """Return the sum of the numbers of consecutive blocks."""
    total = 0
    for first in range(start, stop, _AT_ONCE):
        numbers = of_blocks(which, axis, first, min(stop, first + _AT_ONCE))
        total += int(np.add.reduce(numbers))
    return total & _MASK
