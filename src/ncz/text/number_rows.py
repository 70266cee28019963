"""Format arrays of numbers as rows: ``1, 2, _, 4``.

`ncz.text.format_numbers` formats values in the default formats. Other printf formats are applied
with Python's ``%``, to a whole block.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.model.types import Atomic, Value
from ncz.text.format_numbers import format_floats, format_integers
from ncz.text.format_values import NumberFormat, Precision, default_format, format_nonfinite
from ncz.text.lost_digits import loses_digits
from ncz.text.scaled_numbers import format_scaled_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.text.format_numbers import MaskedWord


BLOCK = 1 << 15
"""Values formatted at a time."""

OnLoss = Callable[[], object] | None


def fill_mask(values: NDArray[Any], fill: Value) -> NDArray[np.bool_] | None:
    """Return the mask of the values that are printed as ``_``; None if none exist.

    As in ncdump, an integer is fill if it is equal; a floating-point number if it has the same sign
    and is within one epsilon of the type, relative to the value; any NaN if `fill` is NaN.
    """
    if fill is None or not values.size:
        return None
    if values.dtype.kind in "iu":
        mask = values == fill
    else:
        one = values.dtype.type
        with np.errstate(all="ignore"):
            target = one(fill)
            if np.isnan(target):
                mask = np.isnan(values)
            elif np.isinf(target):
                mask = values == target
            elif (values.max() < 0.99 * target) if target > 0 else (values.min() > 0.99 * target):
                return None  # most often
            else:
                epsilon = np.finfo(values.dtype).eps
                near = np.abs(target - values) <= np.abs(epsilon * values)
                mask = near & ((values > 0) == (target > 0)) & np.isfinite(values)
    return mask if mask.any() else None


def format_rows(
    values: NDArray[Any],
    nc_type: Atomic,
    style: NumberFormat,
    fill: Value = None,
    on_loss: OnLoss = None,
) -> bytes:
    r"""Format a 2-D array: rows of ``a, b, c``, joined by ``\n``.

    Parameters
    ----------
    fill
        Values equal to it become ``_``.
    on_loss
        Called if numbers in the default format are other numbers when they are read back.
    """
    columns = values.shape[1]
    step = max(1, BLOCK // columns)
    with np.errstate(all="ignore"):  # signalling NaNs
        if columns > BLOCK:
            rows = (_format_long(row, nc_type, style, fill, on_loss) for row in values)
            return b"\n".join(rows)
        blocks = (values[i : i + step] for i in range(0, len(values), step))
        return b"\n".join(_format_block(block, nc_type, style, fill, on_loss) for block in blocks)


def _format_long(
    row: NDArray[Any], nc_type: Atomic, style: NumberFormat, fill: Value, on_loss: OnLoss
) -> bytes:
    parts = (row[np.newaxis, i : i + BLOCK] for i in range(0, len(row), BLOCK))
    return b", ".join(_format_block(part, nc_type, style, fill, on_loss) for part in parts)


def _format_block(
    values: NDArray[Any], nc_type: Atomic, style: NumberFormat, fill: Value, on_loss: OnLoss
) -> bytes:
    flat = values.reshape(-1)
    words = _masked_words(flat, nc_type, fill)
    if words and flat.size and words[-1][0].all():
        return _repeat(words[-1][1], *values.shape)
    digits = _DIGITS.get((nc_type, style))
    if digits is not None:
        text = _format_default(flat, digits, words, values.shape[1], on_loss)
        if text is not None:
            return text
    elif style.text == "%d" and style.bits is None and values.dtype.kind in "iu":
        return format_integers(flat, words, values.shape[1])
    return format_by_printf(values, style, words)


@functools.lru_cache(maxsize=4)
def _repeat(word: bytes, rows: int, columns: int) -> bytes:
    """Return rows that repeat one word, such as rows of missing values."""
    return b"\n".join([b", ".join([word] * columns)] * rows)


def _format_default(
    flat: NDArray[Any], digits: int, words: Sequence[MaskedWord], columns: int, on_loss: OnLoss
) -> bytes | None:
    """Format floating-point numbers with the default number of digits, if this is fast."""
    if flat.size:
        scaled = format_scaled_numbers(flat, digits, words, columns, on_loss is not None)
        if scaled is not None:
            if scaled.loses_digits and on_loss is not None:
                on_loss()
            return scaled.text
    if on_loss is not None:
        numbers = np.ones(flat.size, bool)
        for mask, _ in words:
            numbers[mask] = False
        if loses_digits(flat[numbers], digits):
            on_loss()
    return format_floats(flat, digits, words, columns)


_DIGITS = {
    (Atomic.FLOAT, default_format(Atomic.FLOAT, Precision())): 7,
    (Atomic.DOUBLE, default_format(Atomic.DOUBLE, Precision())): 15,
}


def format_by_printf(
    values: NDArray[Any], style: NumberFormat, words: Sequence[MaskedWord]
) -> bytes:
    """Format a 2-D array with one long printf format; tests compare `format_numbers` with it."""
    rows, columns = values.shape
    flat = values.reshape(-1)
    if style.bits is not None:
        flat = flat.astype(f"i{style.bits // 8}").view(f"u{style.bits // 8}")
    if not words:
        row = ", ".join([style.text] * columns)
        return ("\n".join([row] * rows) % tuple(flat.tolist())).encode("ascii")
    tokens = [style.text] * flat.size
    numbers = np.ones(flat.size, bool)
    for mask, word in words:
        numbers[mask] = False
        for position in np.flatnonzero(mask).tolist():
            tokens[position] = word.decode("ascii")
    lines = (", ".join(tokens[i : i + columns]) for i in range(0, flat.size, columns))
    return ("\n".join(lines) % tuple(flat[numbers].tolist())).encode("ascii")


def _masked_words(flat: NDArray[Any], nc_type: Atomic, fill: Value) -> list[MaskedWord]:
    """Return the words for NaN, the infinities, and fill, which comes last as it may be one."""
    words: list[MaskedWord] = []
    if nc_type.is_floating and not np.isfinite(flat).all():
        for mask, value in (
            (np.isnan(flat), math.nan),
            (flat == math.inf, math.inf),
            (flat == -math.inf, -math.inf),
        ):
            words.append((mask, format_nonfinite(value, nc_type).encode("ascii")))
    mask = fill_mask(flat, fill)
    if mask is not None:
        words.append((mask, b"_"))
    return words
