"""Format floating-point numbers of few decimal exponents, as ``%.7g`` and ``%.15g`` do.

The numbers of a block rarely have more than a few decimal exponents, so that all numbers with the
exponent e are scaled by the same power of ten: the P digits are round(x * 10**(P-1-e)). The
product is exact for most floats. For doubles it is wrong by 1/16 at most, so that it decides how
to round unless it is near a tie. Digits and the point are taken from tables, four characters at a
time, and so is an exponent.

`ncz.text.format_numbers` formats the rest.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.record import record
from ncz.text.format_numbers import (
    decimal_digits,
    decimal_exponents,
    four_digits,
    fraction_digits,
    without_trailing_zeros,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.text.format_numbers import Doubles, MaskedWord, Words


_LEAST, _LARGEST = 1e-99, 1e99
"""Numbers between these have two digits in their exponents."""

_EXACT_POWERS = 22
"""Largest power of ten that is a double."""

_SURE_POWERS = range(-6, 13)
"""Powers of ten whose products with floats are rounded correctly: up to 10**12 they are exact.

A float that is divided has no fraction. The quotient is wrong by less than 1e-9, so that it is a
tie, or on one side of it, as the exact one is.
"""


def _word(text: bytes) -> int:
    """Return four characters as one number, as numpy stores them."""
    return int(np.frombuffer(text, np.uint32)[0])


_BEFORE = {
    -1: _word(b"\0\0\x000"),
    -2: _word(b"\0\x000."),
    -3: _word(b"\x000.0"),
    -4: _word(b"0.00"),
}
"""The characters before the digits of a number below 1; with -1, the point is among the digits."""

_COMMA_WORD, _COMMA_MINUS = _word(b", \0\0"), _word(b", -\0")
_NEWLINE, _NEWLINE_MINUS = _word(b"\n\0\0\0"), _word(b"\n-\0\0")


@record
class NumberText:
    """The text of numbers, and whether one of them is another number when it is read back."""

    text: bytes
    loses_digits: bool


def format_scaled_numbers(
    values: NDArray[Any], digits: int, words: Sequence[MaskedWord], columns: int, check: bool
) -> NumberText | None:
    r"""Format floating-point numbers as ``%.Ng``, in rows.

    Parameters
    ----------
    values
        One-dimensional and not empty, of float32 with 7 digits or of float64 with 15.
    words
        Words in place of numbers. They must cover all values that are not finite.
    columns
        Values per row. They are joined by ``, `` and rows by ``\n``.
    check
        Whether to look for numbers that lose digits.

    Returns
    -------
    NumberText or None
        None if a number is very large or small, or if `ncz.text.format_numbers` must round it.
    """
    magnitudes = np.abs(values).astype(np.float64, copy=False)
    signs = np.signbit(values) if values.min() <= 0 or words else None
    words = _with_zeros(magnitudes, words)
    if words and signs is not None:
        magnitudes = _replace(magnitudes, signs, words)
    ends = np.array([magnitudes.min(), magnitudes.max()])
    if not (ends[0] >= _LEAST and ends[1] < _LARGEST):
        return None
    first, last = decimal_exponents(ends).tolist()
    if abs(digits - 1 - first) > _EXACT_POWERS or abs(digits - 1 - last) > _EXACT_POWERS:
        return None
    if first == last:
        scaled = _scale(magnitudes, values.dtype, digits, first, check)
        if scaled is None:
            return None
        parts = [part for part in scaled.columns if not isinstance(part, int) or part]
        cells = np.empty((values.size, len(parts) + 1), np.uint32)
        for number, part in enumerate(parts):
            cells[:, number] = part
        loses = scaled.loses_digits
    else:
        has_exponents = not (_is_plain(first, digits) and _is_plain(last, digits))
        cells = np.zeros((values.size, (digits + 1) // 4 + 2 + has_exponents), np.uint32)
        exponents = decimal_exponents(magnitudes)
        loses = False
        for exponent in (np.flatnonzero(np.bincount(exponents - first)) + first).tolist():
            places = np.flatnonzero(exponents == exponent)
            scaled = _scale(magnitudes[places], values.dtype, digits, exponent, check)
            if scaled is None:
                return None
            for number, part in enumerate(scaled.columns):
                cells[places, number] = part
            loses |= scaled.loses_digits
    text = _join_cells(cells, signs, words, columns)
    return None if text is None else NumberText(text, loses)


def _with_zeros(magnitudes: Doubles, words: Sequence[MaskedWord]) -> Sequence[MaskedWord]:
    """Return the words, and 0 as another one if a number is zero."""
    zeros = magnitudes == 0
    return [(zeros, b"0"), *words] if zeros.any() else words


def _replace(magnitudes: Doubles, signs: NDArray[np.bool_], words: Sequence[MaskedWord]) -> Doubles:
    """Return the magnitudes, and a plain number's for words; their signs are removed."""
    mask_all = np.zeros(magnitudes.size, bool)
    for mask, word in words:
        mask_all |= mask
        if word != b"0":
            signs &= ~mask
    one = int(mask_all.argmin())  # the first number
    return np.where(mask_all, 1.0 if mask_all[one] else magnitudes[one], magnitudes)


@record
class _CharacterColumns:
    """The characters of numbers, four in each column; a column may be the same for all of them."""

    columns: list[Words | int]
    loses_digits: bool


def _scale(
    magnitudes: Doubles, dtype: np.dtype[Any], digits: int, exponent: int, check: bool
) -> _CharacterColumns | None:
    """Round numbers with the same decimal exponent; None if one of them cannot be rounded here."""
    power = digits - 1 - exponent
    ten = 10.0 ** abs(power)
    product = magnitudes * ten if power >= 0 else magnitudes / ten
    q = np.rint(product)
    if digits > 7 or power not in _SURE_POWERS:
        # The nearest double is wrong by half of the distance to the next one at most.
        sure = 0.5 - float(np.spacing(product.max())) / 2
        product -= q
        unsure = np.flatnonzero(np.abs(product, out=product) >= sure)
        if unsure.size:
            exact, exponents, is_sure = decimal_digits(magnitudes[unsure], digits)
            if not is_sure.all() or (exponents != exponent).any():
                return None
            q[unsure] = exact
    if q.max() >= 10.0**digits:
        return None
    # Both operands are exact, so the quotient or product is the nearest double.
    again = np.divide if power >= 0 else np.multiply
    loses = check and bool((again(q, ten, out=product).astype(dtype) != magnitudes).any())
    if _is_plain(exponent, digits):
        columns = [_BEFORE.get(exponent, 0), *_characters(q, digits, exponent)]
    else:
        columns = [0, *_characters(q, digits, 0), _word(b"e%+03d" % exponent)]
    return _CharacterColumns(columns, loses)


def _is_plain(exponent: int, digits: int) -> bool:
    """Return whether ``%.Ng`` prints numbers of this decimal exponent without it."""
    return -5 < exponent < digits


def _characters(q: Doubles, digits: int, exponent: int) -> list[Words | int]:
    """Return digits and point, without trailing zeros, and without zeros before the first digit."""
    count = (digits + 1) // 4
    point, offset = divmod(max(exponent, -1) + 1, 4)
    sizes = [1000 if number == point else 10000 for number in range(count)]
    columns: list[Words | int] = [0] * count
    trailing = None  # all digits to the right are zeros; None: of all numbers
    for first in range(count - 2, -1, -2):
        part = q
        if first:
            unit = float(sizes[first] * sizes[first + 1])
            q = np.floor(q / unit)
            part = part - q * unit
            if first > point and not part.any():
                continue
        rest: NDArray[np.int32] = part.astype(np.int32)
        for number in (first + 1, first):
            size = np.int32(sizes[number])
            above = rest // size
            index: NDArray[np.int32] = rest - above * size if number > first else rest
            table = fraction_digits() if number != point or exponent < -1 else _with_point(offset)
            if number >= point:
                zero, half = index == 0, np.int32(table.size // 2)
                index = np.add(index, half if trailing is None else trailing * half)
                trailing = zero if trailing is None else trailing & zero
            columns[number] = table.take(index)
            rest = above
    return columns


@functools.cache
def _with_point(offset: int) -> Words:
    """Return 0 to 999 with a point after `offset` digits, then without zeros after the point."""
    full = four_digits()[:1000, 1:]
    before, after = full[:, :offset], full[:, offset:]
    short = without_trailing_zeros(after)
    points = np.full((1000, 1), ord("."), np.uint8)
    point = points * (short[:, :1] != 0) if offset < 3 else points * 0
    both = np.concatenate((before, points, after), 1), np.concatenate((before, point, short), 1)
    return np.concatenate(both).astype(np.uint8).view(np.uint32).reshape(-1)


def _join_cells(
    cells: Words, signs: NDArray[np.bool_] | None, words: Sequence[MaskedWord], columns: int
) -> bytes | None:
    """Join the cells of the numbers; the last column is for the text after each of them."""
    text = cells.view(np.uint8)
    room = text.shape[1] - 4
    for mask, word in words:
        if len(word) > room:
            return None
        text[mask, :room] = np.frombuffer(word.ljust(room, b"\0"), np.uint8)
    cells[:, -1] = _COMMA_WORD
    cells[columns - 1 :: columns, -1] = _NEWLINE
    minus = b""
    if signs is not None and signs.any():
        following = np.append(signs[1:], False)
        cells[following, -1] = _COMMA_MINUS
        ends = np.flatnonzero(following[columns - 1 :: columns]) * columns + columns - 1
        cells[ends, -1] = _NEWLINE_MINUS
        minus = b"-" * bool(signs[0])
    return minus + cells.tobytes().translate(None, b"\0")[:-1]
