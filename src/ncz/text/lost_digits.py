"""Find floating-point numbers that have more digits than are printed.

A printed number comes back as the nearest float or double, so digits are lost where that is
another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.text.format_numbers import LARGEST, SMALLEST, decimal_digits

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EXACT = 22
"""Largest power of ten that a double represents exactly."""

_BLOCK = 1 << 13
"""Number of values that are looked at together, so that intermediate arrays stay in the cache."""

_TENS = np.array([float(f"1e{n}") for n in range(_EXACT + 1)])


def loses_digits(values: NDArray[Any], digits: int) -> bool:
    """Return whether one of the values is another number after it is rounded to decimal digits.

    Parameters
    ----------
    values
        One-dimensional, of float32 or float64. Numbers that are not finite lose nothing.
    digits
        Significant digits, 15 at most.
    """
    parts = (values[at : at + _BLOCK] for at in range(0, values.size, _BLOCK))
    return any(_loses(part, digits) for part in parts)


def _loses(values: NDArray[Any], digits: int) -> bool:
    with np.errstate(all="ignore"):
        values = values[np.isfinite(values) & (values != 0)]
        magnitudes = np.abs(values).astype(np.float64)
        usable = (magnitudes < 10.0**LARGEST) & (magnitudes > 10.0**SMALLEST)
        q, exponents, sure = decimal_digits(np.where(usable, magnitudes, 1.0), digits)
        power = exponents.astype(np.int64) + (1 - digits)
        sure &= usable & (np.abs(power) <= _EXACT)
        # Both operands are exact, so the result is the nearest double.
        ten = _TENS[np.minimum(np.abs(power), _EXACT)]
        back = np.where(power < 0, q / ten, q * ten).astype(values.dtype)
        if bool((back != np.abs(values))[sure].any()):
            return True
    others = values[~sure]
    return any(
        others.dtype.type(f"{value:.{digits}g}") != element
        for value, element in zip(others.tolist(), others, strict=True)
    )
