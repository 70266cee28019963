"""Format arrays of numbers as rows: ``1, 2, _, 4``.

`ncz.text.format_numbers` formats values in the default formats. Other printf formats are applied
with Python's ``%``, to a whole block at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.model.types import Atomic, Value
from ncz.text.format_numbers import MaskedWord, format_floats, format_integers
from ncz.text.format_values import NumberFormat, Precision, default_format, format_nonfinite

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 15
"""Values formatted at a time."""


def fill_mask(values: NDArray[Any], fill: Value) -> NDArray[np.bool_] | None:
    """Return the mask of the values that are printed as ``_``; None if there are none.

    As in ncdump, an integer is fill if it is equal; a floating-point number if it has the same sign
    and is within one epsilon of the type, relative to the value; any NaN if `fill` is NaN.
    """
    if fill is None:
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
            else:
                epsilon = np.finfo(values.dtype).eps
                near = np.abs(target - values) <= np.abs(epsilon * values)
                mask = near & ((values > 0) == (target > 0)) & np.isfinite(values)
    return mask if mask.any() else None


def format_rows(
    values: NDArray[Any], nc_type: Atomic, style: NumberFormat, fill: Value = None
) -> bytes:
    r"""Format a 2-D array: rows of ``a, b, c``, joined by ``\n``.

    Values equal to `fill` become ``_``.
    """
    columns = values.shape[1]
    step = max(1, BLOCK // columns)
    with np.errstate(all="ignore"):  # signalling NaNs
        if columns > BLOCK:
            return b"\n".join(_format_long(row, nc_type, style, fill) for row in values)
        blocks = (values[i : i + step] for i in range(0, len(values), step))
        return b"\n".join(_format_block(block, nc_type, style, fill) for block in blocks)


def _format_long(row: NDArray[Any], nc_type: Atomic, style: NumberFormat, fill: Value) -> bytes:
    parts = (row[np.newaxis, i : i + BLOCK] for i in range(0, len(row), BLOCK))
    return b", ".join(_format_block(part, nc_type, style, fill) for part in parts)


def _format_block(values: NDArray[Any], nc_type: Atomic, style: NumberFormat, fill: Value) -> bytes:
    words = _masked_words(values.reshape(-1), nc_type, fill)
    digits = _DIGITS.get((nc_type, style))
    if digits is not None:
        text = format_floats(values.reshape(-1), digits, words, values.shape[1])
        if text is not None:
            return text
    elif style.text == "%d" and style.bits is None and values.dtype.kind in "iu":
        return format_integers(values.reshape(-1), words, values.shape[1])
    return format_by_printf(values, style, words)


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
