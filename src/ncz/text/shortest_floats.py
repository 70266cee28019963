"""Format arrays of floating-point numbers with the fewest digits that identify each of them.

Most numbers are rounded to a few digits by the arithmetic of `ncz.text.format_numbers`. The result
identifies a number if it gives the number again: digits below 2**53 times or divided by a power of
ten up to 10**22 are rounded once (W. D. Clinger, "How to read floating point numbers accurately",
1990).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.text.format_numbers import LARGEST, SMALLEST, decimal_digits, digit_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = {4: (7, 8, 9), 8: (15,)}
"""The digits to try, by the bytes of a number. More digits are left to `repr`."""

_TENS = 10.0 ** np.arange(23)


def shortest_floats(values: NDArray[Any]) -> list[str]:
    """Format finite numbers with the fewest digits that identify them when parsed as doubles.

    Parameters
    ----------
    values
        One-dimensional, of float32 or float64.

    Returns
    -------
    list of str
        Texts as ``%g`` or `repr` print numbers. Whole numbers without exponents end in ``.0``.
    """
    texts: list[str] = []
    rest = np.arange(values.size)
    is_left = np.zeros(values.size, bool)
    for digits in _DIGITS[values.itemsize]:
        tried = values[rest]
        magnitudes = np.abs(tried).astype(np.float64)
        zeros = magnitudes == 0
        usable = (magnitudes > 10.0**SMALLEST) & (magnitudes < 10.0**LARGEST)
        q, exponents, sure = decimal_digits(np.where(usable, magnitudes, 1.0), digits)
        q[zeros] = 0
        powers = exponents + (1 - digits)
        is_exact = (usable & sure & (np.abs(powers) < len(_TENS))) | zeros
        is_left[rest[~is_exact]] = True
        same = is_exact & (_scale(q, powers).astype(values.dtype) == np.abs(tried))
        if not texts:
            texts = _texts(q, exponents, tried, digits)
        else:
            found = _texts(q[same], exponents[same], tried[same], digits)
            for place, text in zip(rest[same].tolist(), found, strict=True):
                texts[place] = text
        rest = rest[is_exact & ~same]
        if not rest.size:
            break
    is_left[rest] = True
    for place, text in zip(np.flatnonzero(is_left).tolist(), _slowly(values[is_left]), strict=True):
        texts[place] = text
    return texts


def _texts(
    q: NDArray[np.int64], exponents: NDArray[np.int16], values: NDArray[Any], digits: int
) -> list[str]:
    """Return the digits of numbers as texts."""
    cells = digit_cells(q, exponents, np.signbit(values), digits)
    texts = cells.tobytes().translate(None, b"\0").decode("ascii").split(", ")
    del texts[-1]  # text after the last comma
    lacks_point = (exponents >= 0) & (exponents < digits) & (np.trunc(values) == values)
    for place in np.flatnonzero(lacks_point).tolist():
        texts[place] += ".0"
    return texts


def _scale(q: NDArray[np.int64], powers: NDArray[Any]) -> NDArray[np.float64]:
    """Return q * 10**powers, rounded once if the powers are at most 22."""
    tens = _TENS[np.minimum(np.abs(powers), len(_TENS) - 1)]
    scaled: NDArray[np.float64] = np.where(powers < 0, q / tens, q * tens)
    return scaled


def _slowly(values: NDArray[Any]) -> list[str]:
    """Format numbers one by one."""
    if values.dtype == np.float64:
        return list(map(repr, values.tolist()))
    texts: list[str] = values.astype("U").tolist()
    # A text is parsed as a double first, which may be the midpoint of two floats.
    again = np.array(texts, np.float64).astype(np.float32)
    for place in np.flatnonzero(again != values).tolist():
        texts[place] = f"{float(values[place]):.9g}"
    return texts
