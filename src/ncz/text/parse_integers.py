"""Parse lists of millions of decimal integers, eight digits in one multiplication.

The eight bytes before the end of an item are one word of 64 bits. Neighbouring digits of all
words are combined to numbers of two digits, those to numbers of four, and those to one of eight
(D. Lemire, "Number parsing at a gigabyte per second", 2021).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ncz.text.parse_numbers import COMMA, MINUS, PLUS, ZERO

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.text.parse_numbers import Positions


_WORD = 8
_LONGEST = 2 * _WORD
"""Digits of the longest item; an integer of 64 bits represents all numbers with these digits."""
_BLANK, _TAB = b" \t"
_USED = np.array([0x0F0F0F0F0F0F0F0F & -1 << (64 - 8 * n) for n in range(_WORD + 1)], np.uint64)
"""The bits of the digits of an item of n digits: its last bytes, without the bits of ``0``."""
_STEPS = (
    (0x0F0F0F0F0F0F0F0F, 10 << 8 | 1, 8),
    (0x00FF00FF00FF00FF, 100 << 16 | 1, 16),
    (0x0000FFFF0000FFFF, 10000 << 32 | 1, 32),
)
"""For each step the bits to keep, the factor, and the shift of the product."""


def parse_integers(text: bytes) -> NDArray[np.int64] | None:
    """Parse a list of decimal integers separated by commas, with blanks anywhere between them.

    Returns
    -------
    values : ndarray of int64, one-dimensional
    None
        If the list has an item in any other form, one of more than 16 digits, or one that begins
        with a superfluous zero, which makes it octal in CDL.
    """
    padded = np.frombuffer(b"".join((b" " * _LONGEST, text, b" ")), np.uint8)
    codes = padded[_LONGEST - 1 :]  # with one blank before the text, and one after it
    digit = codes - np.uint8(ZERO) < 10
    edges = np.flatnonzero(digit[1:] != digit[:-1])
    before, last = edges[0::2], edges[1::2]  # the bytes before the digits, and the last of them
    if not len(last):
        return None
    size = last - before
    longest = int(size.max())
    if longest > _LONGEST or not _has_no_zeros(codes, before, size):
        return None
    marks = int(size.sum()) + len(last) - 1
    negative = None
    if MINUS in text or PLUS in text:
        sign = codes.take(before)
        negative = sign == MINUS
        marks += int(np.count_nonzero(negative) + np.count_nonzero(sign == PLUS))
    blank = (codes == _BLANK) | (codes - np.uint8(_TAB) < 5)
    if marks + np.count_nonzero(blank) != len(codes) or not _are_separate(codes, before, last):
        return None
    values = _eight_digits(padded[_WORD:], last, size)
    if longest > _WORD:
        values += _eight_digits(padded, last, size - _WORD) * 10**_WORD
    if negative is not None:
        np.negative(values, out=values, where=negative)
    return values


def _has_no_zeros(codes: NDArray[np.uint8], before: Positions, size: Positions) -> bool:
    """Return whether no item of several digits begins with zero."""
    return not bool(((codes[1:].take(before) == ZERO) & (size > 1)).any())


def _are_separate(codes: NDArray[np.uint8], before: Positions, last: Positions) -> bool:
    """Return whether there is a comma between each item and the next, given their number."""
    if bool((codes[1:].take(last[:-1]) == COMMA).all()):
        return True
    commas = np.flatnonzero(codes == COMMA)
    if len(commas) != len(last) - 1:
        return False
    return bool(((last[:-1] < commas) & (commas <= before[1:])).all())


def _eight_digits(codes: NDArray[np.uint8], at: Positions, size: Positions) -> NDArray[np.int64]:
    """Return the numbers that end with byte 7 from `at`, of at most `size` digits."""
    words = np.ndarray((len(codes) - _WORD + 1,), "V8", codes, 0, (1,))
    word = words[at].view("<u8")
    word &= _USED.take(size, mode="clip")
    for mask, factor, bits in _STEPS:
        word &= np.uint64(mask)
        word *= np.uint64(factor)
        word >>= np.uint64(bits)
    return word.astype(np.uint64, copy=False).view(np.int64)
