"""Weighed sums of the words of a box, modulo 2^64.

Boxes may come in any order: the sums of an array are the sums of the boxes that cover it, added up.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ncz.digests.weights import (
    BLOCK,
    SUMS,
    of_blocks,
    total_of_blocks,
    total_weight,
    weights,
    within_block,
)
from ncz.digests.words import WORD, plain_floats, words_of
from ncz.late import numpy as np
from ncz.model.grid import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.digests.weights import Weights
    from ncz.digests.words import Words
    from ncz.model.data import Values

    Numbers = NDArray[np.uint64]

Sums = tuple[int, ...]
"""One sum for each set of weights."""

ZERO: Sums = (0,) * SUMS

_MASK = (1 << 64) - 1

_ORDERS = ("<u8", ">u8")
"""The order of the bytes of words in each sum."""

_ENOUGH = 256
"""Words that are weighed in one step; more axes are combined until this number is reached."""

_AT_ONCE = 1 << 17
"""Words that are weighed together, so that they stay in the cache of a processor."""


def add(one: Sums, other: Sums, sign: int = 1) -> Sums:
    """Return sums added up, or with `sign` -1 their difference."""
    return tuple((a + sign * b) & _MASK for a, b in zip(one, other, strict=True))


def sums_text(sums: Sums) -> str:
    """Return sums as text: 16 hexadecimal digits for each."""
    return "".join(f"{number:016x}" for number in sums)


def read_sums(text: str) -> Sums:
    """Return the sums of a text. Raise ValueError for another text."""
    if len(text) != 16 * SUMS or not text.isascii():
        raise ValueError(f"not {SUMS} sums: {text!r}")
    return tuple(int(text[i : i + 16], 16) for i in range(0, len(text), 16))


def box_sums(elements: Values, start: Sequence[int]) -> Sums:
    """Return the sums of the elements of a box.

    Parameters
    ----------
    elements
        The elements, as `words.elements_of` returns them; of any rank.
    start
        The index of the first one in the whole array.
    """
    if elements.size == 0:
        return ZERO
    if elements.ndim == 0:
        elements, start = elements.reshape(1), (0,)
    words, first = words_of(elements, start[-1])
    starts = (*start[:-1], first)
    shape = words.shape
    axis = len(shape) - 1
    size = shape[axis]
    while axis and size < _ENOUGH:
        axis -= 1
        size *= shape[axis]
    leading = math.prod(shape[:axis])
    flat = words.reshape(leading, shape[axis], math.prod(shape[axis + 1 :]))
    found = []
    kind = elements.dtype.newbyteorder("<") if elements.dtype.kind == "f" else None
    with np.errstate(invalid="ignore"):  # some of the bits of NaN are signals
        weighed = _weigh(flat, shape, axis, starts, kind)
    for which, rows in enumerate(weighed):
        rest = rows.reshape(shape[:axis])
        for outer in reversed(range(axis)):
            begin = starts[outer]
            rest = rest @ weights(which, outer, begin, begin + shape[outer])
        found.append(int(rest))
    return tuple(found)


def _weigh(
    words: Words,
    shape: Sequence[int],
    axis: int,
    starts: Sequence[int],
    floats: np.dtype[Any] | None,
) -> list[Numbers]:
    """Weigh words along an axis and those after it; return the sums of each row."""
    start, length = starts[axis], shape[axis]
    inner = tuple((starts[i], starts[i] + shape[i]) for i in range(axis + 1, len(shape)))
    totals = [np.zeros(len(words), np.uint64) for _ in range(SUMS)]
    for begin, end, blocks in _segments(start, start + length):
        part = words[:, begin - start : end - start]
        span = (0, BLOCK) if blocks else (begin, end)
        rows = part.reshape(len(part) * max(1, blocks), -1)
        factors = [_factors(which, axis, bool(blocks), (span, *inner)) for which in range(SUMS)]
        for which, found in enumerate(_products(rows, factors, floats)):
            if blocks:
                numbers = of_blocks(which, axis, begin // BLOCK, end // BLOCK)
                totals[which] += found.reshape(len(part), blocks) @ numbers
            else:
                totals[which] += found
    return totals


def _segments(start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Divide indices into parts of blocks, and whole blocks: start, stop, and number of blocks."""
    first, last = -(-start // BLOCK) * BLOCK, stop // BLOCK * BLOCK
    if last - first < 2 * BLOCK:
        yield start, stop, 0
        return
    if start < first:
        yield start, first, 0
    yield first, last, (last - first) // BLOCK
    if last < stop:
        yield last, stop, 0


Span = tuple[int, int]
"""The first index along an axis, and the index after the last one."""


def _factors(which: int, axis: int, is_block: bool, spans: tuple[Span, ...]) -> Weights:
    """Return the products of the weights along an axis and those after it, in row-major order.

    With `is_block`, those along the first are the numbers of the indices within a block.
    """
    if math.prod(stop - start for start, stop in spans) > _AT_ONCE:
        return _combine(which, axis, is_block, spans)
    return _known_factors(which, axis, is_block, spans)


def _combine(which: int, axis: int, is_block: bool, spans: tuple[Span, ...]) -> Weights:
    product = within_block(which, axis) if is_block else weights(which, axis, *spans[0])
    for inner, span in enumerate(spans[1:], axis + 1):
        product = np.multiply.outer(product, weights(which, inner, *span)).reshape(-1)
    return product


_known_factors = lru_cache(maxsize=32)(_combine)
"""Remembered factors; many chunks share the same ones."""


def _products(rows: Words, here: Sequence[Weights], floats: np.dtype[Any] | None) -> list[Numbers]:
    """Return the sum of each row with each set of weights.

    `floats` is the dtype of the numbers in the rows, if they are floating-point.
    """
    count, length = rows.shape
    results = [np.zeros(count, np.uint64) for _ in here]
    columns = min(length, _AT_ONCE)
    step = max(1, _AT_ONCE // columns)
    plain, turned = _buffers.plain, _buffers.turned
    for left in range(0, length, columns):
        along = [factors[left : left + columns] for factors in here]
        for first in range(0, count, step):
            piece = rows[first : first + step, left : left + columns]
            if floats is not None:
                buffer = plain[: piece.size].view(floats).reshape(len(piece), -1)
                piece = plain_floats(piece.view(floats), buffer).view("<u8")
            other = turned[: piece.size].reshape(piece.shape)
            np.copyto(other, piece.view(_ORDERS[1]))
            for result, words, factors in zip(results, (piece, other), along, strict=True):
                result[first : first + step] += np.einsum("ij,j->i", words, factors)
    return results


class _Buffers(threading.local):
    """Memory of each thread for words, which is not taken from the system for each box again."""

    def __init__(self) -> None:
        self.plain, self.turned = (np.empty(_AT_ONCE, np.uint64) for _ in range(SUMS))


_buffers = _Buffers()


class FillSums:
    """The sums of boxes of equal elements.

    Parameters
    ----------
    element
        The element, as an array of one.
    rank
        The number of axes of the array.
    """

    def __init__(self, element: Values, rank: int) -> None:
        self._element = element.reshape(1)
        if element.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                self._element = plain_floats(self._element, np.empty_like(self._element))
        self._rank = max(1, rank)
        self.is_zero = not any(element.tobytes())
        """Whether the sums of all boxes are zero."""
        self._known: dict[tuple[int, int, int], Sums] = {}

    def of(self, box: Box) -> Sums:
        """Return the sums of a box."""
        if self.is_zero or box.size == 0:
            return ZERO
        spans = list(zip(box.start, box.stop, strict=True)) or [(0, 1)]
        totals = ZERO
        for axis, (start, stop) in enumerate(spans):
            along = self._along(axis, start, stop)
            totals = (
                along
                if axis == 0
                else tuple(a * b & _MASK for a, b in zip(totals, along, strict=True))
            )
        return totals

    def _along(self, axis: int, start: int, stop: int) -> Sums:
        key = axis, start, stop
        if key not in self._known:
            is_last = axis == self._rank - 1
            self._known[key] = tuple(
                self._row(which, axis, start, stop)
                if is_last
                else total_weight(which, axis, start, stop)
                for which in range(SUMS)
            )
        return self._known[key]

    def _row(self, which: int, axis: int, start: int, stop: int) -> int:
        """Return the sum of a row of elements."""
        per_block = BLOCK * WORD // self._element.itemsize
        first, last = -(-start // per_block), stop // per_block
        if first >= last:
            return self._piece(which, axis, start, stop)
        words, _ = words_of(self._element.repeat(per_block), 0)
        whole = _dot(which, words, within_block(which, axis))
        return (
            self._piece(which, axis, start, first * per_block)
            + whole * total_of_blocks(which, axis, first, last)
            + self._piece(which, axis, last * per_block, stop)
        ) & _MASK

    def _piece(self, which: int, axis: int, start: int, stop: int) -> int:
        if start == stop:
            return 0
        words, begin = words_of(self._element.repeat(stop - start), start)
        return _dot(which, words, weights(which, axis, begin, begin + len(words)))


def _dot(which: int, words: Words, factors: Weights) -> int:
    return int((words.view(_ORDERS[which]) @ factors).item())
