"""Arrays of numbers as text: rows of ``1, 2, _, 4``, by printf formats.

The reference: Python's ``%`` on a whole block at once. `ncz.cdl.digits` gives the same bytes sooner
for the formats that are used when nobody asks for another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.cdl.spelling import NumberFormat, not_finite
from ncz.model.types import Atomic, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 15
"""Values formatted at a time."""


def fill_mask(values: NDArray[Any], fill: Value) -> NDArray[np.bool_] | None:
    """Where `values` are printed as ``_``; None if nowhere, or `fill` is None.

    Integers that are equal; floating-point numbers of the same sign within one epsilon of
    the type, relative to the value; any NaN if the fill value is one.
    """
    if fill is None:
        return None
    if values.dtype.kind in "iu":
        mask = values == fill
    else:
        one = values.dtype.type
        with np.errstate(all="ignore"):
            wanted = one(fill)
            if np.isnan(wanted):
                mask = np.isnan(values)
            elif np.isinf(wanted):
                mask = values == wanted
            else:
                epsilon = np.finfo(values.dtype).eps
                near = np.abs(wanted - values) <= np.abs(epsilon * values)
                mask = near & ((values > 0) == (wanted > 0)) & np.isfinite(values)
    return mask if mask.any() else None


def format_rows(
    values: NDArray[Any], nc_type: Atomic, style: NumberFormat, fill: Value = None
) -> bytes:
    r"""The rows of a 2-D array, each ``a, b, c``, joined by ``\n``."""
    columns = values.shape[1]
    if columns > BLOCK:
        rows = (_format_long(row, nc_type, style, fill) for row in values)
        return b"\n".join(rows)
    step = max(1, BLOCK // columns)
    blocks = (values[i : i + step] for i in range(0, len(values), step))
    return b"\n".join(_format_block(block, nc_type, style, fill) for block in blocks)


def _format_long(row: NDArray[Any], nc_type: Atomic, style: NumberFormat, fill: Value) -> bytes:
    parts = (row[np.newaxis, i : i + BLOCK] for i in range(0, len(row), BLOCK))
    return b", ".join(_format_block(part, nc_type, style, fill) for part in parts)


def _format_block(values: NDArray[Any], nc_type: Atomic, style: NumberFormat, fill: Value) -> bytes:
    rows, columns = values.shape
    flat = values.reshape(-1)
    named = _named(flat, nc_type, fill)
    if style.bits is not None:
        flat = flat.astype(f"i{style.bits // 8}").view(f"u{style.bits // 8}")
    if not named:
        row = ", ".join([style.text] * columns)
        return ("\n".join([row] * rows) % tuple(flat.tolist())).encode("ascii")
    tokens = [style.text] * flat.size
    for position, text in named.items():
        tokens[position] = text
    numbers = np.delete(flat, list(named)).tolist()
    lines = (", ".join(tokens[i : i + columns]) for i in range(0, flat.size, columns))
    return ("\n".join(lines) % tuple(numbers)).encode("ascii")


def _named(flat: NDArray[Any], nc_type: Atomic, fill: Value) -> dict[int, str]:
    """Positions of values that are words: fill, NaN and the infinities."""
    named: dict[int, str] = {}
    if nc_type.is_floating:
        for position in np.flatnonzero(~np.isfinite(flat)).tolist():
            named[position] = not_finite(float(flat[position]), nc_type)
    mask = fill_mask(flat, fill)
    if mask is not None:
        named.update(dict.fromkeys(np.flatnonzero(mask).tolist(), "_"))
    return named
