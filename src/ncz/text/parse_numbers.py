"""Parse lists of millions of decimal numbers: doubles, correctly rounded, and integers.

Without its point a decimal number is an integer, which numpy parses several times faster. If this
integer is less than 2**53 and at most 22 digits follow the point, both it and the power of ten are
exact doubles, so that their quotient is the nearest double (W. D. Clinger, "How to read floating
point numbers accurately", 1990). Other numbers are parsed one by one, if they are rare.
"""

from __future__ import annotations

import math
import re
import warnings
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Positions = NDArray[np.intp]

_BLANKS = b" \t\r\n\f\v"
_RARE = 16
"""At most one number in so many may have another form."""
_EXACT = 1 << 53
_TENS = 10.0 ** np.arange(23)
_WITH_EXPONENT = re.compile(rb"[+-]?(?:[1-9][0-9]*\.?[0-9]*|0?\.[0-9]+|0\.?)[eE][+-]?[0-9]{1,4}")
_SHORT = 1000
"""Bytes of a list up to which numpy takes longer than Python."""
_PLAIN = rb"[ \t\r\n\f\v]*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)[ \t\r\n\f\v]*"
_PLAIN_LIST = re.compile(_PLAIN + rb"(?:," + _PLAIN + rb")*")
_WORDS = {b"Infinity": math.inf, b"Infinityf": math.inf, b"-Infinity": -math.inf,
          b"-Infinityf": -math.inf}  # fmt: skip
_COMMA, _PLUS, _MINUS, _DOT, _SLASH, _ZERO, _UNDERSCORE = b",+-./0_"

quiet = Lock()
"""Guards the warnings filter, which all threads of the process share."""


def parse_numbers(text: bytes, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Parse a list with numpy; return None if numpy cannot, and an empty array for blank text.

    numpy accepts a blank item, or a sign alone, as a number; the caller checks this.
    """
    if text.isspace() or not text:
        return np.empty(0, dtype)
    try:
        with quiet, warnings.catch_warnings():
            # Older numpy only warns of an item that is not a number, and takes it for -1.
            warnings.simplefilter("error", DeprecationWarning)
            values: NDArray[Any] = np.fromstring(text, dtype, sep=",")
    except (ValueError, DeprecationWarning):
        return None
    return values


def parse_floats(text: bytes, fill: float) -> tuple[NDArray[np.float64], int] | None:
    """Parse a list of decimal numbers separated by commas.

    Parameters
    ----------
    fill
        The value of ``_``.

    Returns
    -------
    values : ndarray of float64, one-dimensional
    infinities : int
        How many of the items are infinite as written.
    None
        If the list has an item in any other form, or one that may be wrong.
    """
    if len(text) <= _SHORT and _PLAIN_LIST.fullmatch(text):
        return np.array(list(map(float, text.split(b",")))), 0
    dense = text.translate(None, _BLANKS)
    codes = np.frombuffer(dense, np.uint8)
    commas = np.flatnonzero(codes == _COMMA)
    first, last = np.append(0, commas + 1), np.append(commas, len(codes)) - 1
    if bool((last < first).any()) or _count_runs(text) != len(first):
        return None  # an empty item, or one with a blank inside
    words = _Words(fill)
    if _letters(codes).any():
        codes = codes.copy()
        if not words.find(codes, first, last):
            return None
        dense = codes.tobytes()
    is_sign = (codes == _MINUS) | (codes == _PLUS)
    signs = is_sign[first]
    if np.count_nonzero(is_sign) != np.count_nonzero(signs):
        return None
    size = last - first + 1 - signs
    digits = dense.translate(None, b".")
    places = None
    if len(digits) < len(dense):
        points = np.flatnonzero(codes == _DOT)
        commas = np.flatnonzero(np.frombuffer(digits, np.uint8) == _COMMA)
        # A comma has moved by the number of points before it.
        before = last + 1 - np.append(commas, len(digits))
        dots = np.diff(before, prepend=0)
        if dots.max() > 1:
            return None
        places = (last - points[before - 1]) * dots
        size -= dots
    if size.min() < 1:
        return None
    start = first + signs
    padded = np.append(codes, np.uint8(0))
    leading = (codes[start] == _ZERO) & (padded[start + 1] - np.uint8(_ZERO) < 10)
    leading[words.places()] = False
    if leading.any():  # octal, or similar to it
        return None
    whole = parse_numbers(digits, np.dtype(np.int64))
    if whole is None or len(whole) != len(first):
        return None
    large = (whole >= _EXACT) | (whole <= -_EXACT)
    if places is None:
        values = whole.astype(np.float64)
    else:
        large |= places > 22
        values = whole / _TENS[np.minimum(places, 22)]
    zeros = signs & (whole == 0)
    if zeros.any():
        values[zeros & (codes[first] == _MINUS)] = -0.0
    if large.any():
        others = np.flatnonzero(large)
        if len(others) * _RARE > len(first):
            return None
        for number in others.tolist():
            values[number] = float(dense[first[number] : last[number] + 1])
    return words.put(values)


def _count_runs(text: bytes) -> int:
    """Return the number of runs of characters that are neither blank nor a comma."""
    codes = np.frombuffer(text, np.uint8)
    solid = (codes > 32) & (codes != _COMMA)
    return int(np.count_nonzero(solid[1:] > solid[:-1])) + int(solid[0])


def _letters(codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the mask of the characters that are neither digits nor in ``+,-.``."""
    beyond = codes - np.uint8(_PLUS) > np.uint8(9 + _ZERO - _PLUS)
    letters: NDArray[np.bool_] = beyond | (codes == _SLASH)
    return letters


class _Words:
    """Items that are not plain digits: fill, NaN, infinities, numbers with an exponent."""

    def __init__(self, fill: float) -> None:
        self.fill = fill
        self.values: list[tuple[Positions, float]] = []
        self.infinite = 0

    def find(self, codes: NDArray[np.uint8], first: Positions, last: Positions) -> bool:
        """Overwrite each word with zeros and record its position; False if one is unknown."""
        fills = np.flatnonzero((codes[first] == _UNDERSCORE) & (first == last))
        codes[first[fills]] = _ZERO
        self._add(fills, self.fill, len(fills) if math.isinf(self.fill) else 0)
        self._find_nans(codes, first, last)
        letters = _letters(codes)  # other than ``_`` and NaN
        others = np.unique(np.searchsorted(first, np.flatnonzero(letters), side="right") - 1)
        if len(others) * _RARE > len(first):
            return False
        for number in others.tolist():
            begin, end = int(first[number]), int(last[number]) + 1
            word = codes[begin:end].tobytes()
            value = _WORDS.get(word)
            if value is None:
                value = float(word) if _WITH_EXPONENT.fullmatch(word) else math.inf
                if math.isinf(value):
                    return False
            self._add(np.array([number]), value, int(math.isinf(value)))
            codes[begin:end] = _ZERO
        return True

    def places(self) -> Positions:
        """Return the positions of the words among the values."""
        parts = [places for places, _ in self.values]
        return np.concatenate(parts) if parts else np.empty(0, np.intp)

    def _find_nans(self, codes: NDArray[np.uint8], first: Positions, last: Positions) -> None:
        for word in (b"NaN", b"NaNf"):
            nans = np.flatnonzero((codes[first] == word[0]) & (last - first == len(word) - 1))
            for offset, code in enumerate(word):
                nans = nans[codes[first[nans] + offset] == code]
            for offset in range(len(word)):
                codes[first[nans] + offset] = _ZERO
            self._add(nans, math.nan, 0)

    def _add(self, places: Positions, value: float, infinite: int) -> None:
        if len(places):
            self.values.append((places, value))
            self.infinite += infinite

    def put(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
        """Insert the words into `values`; return them and the number of infinities."""
        for places, value in self.values:
            values[places] = value
        return values, self.infinite


# Parse lists of millions of decimal integers, eight digits in one multiplication.
#
# The eight bytes before the end of an item are one word of 64 bits. Neighbouring digits of all
# words are combined to numbers of two digits, those to numbers of four, and those to one of eight
# (D. Lemire, "Number parsing at a gigabyte per second", 2021).

_WORD = 8
_LONGEST = 2 * _WORD
"""Digits of the longest item; an integer of 64 bits holds all numbers of so many."""
_BLANK, _TAB = b" \t"
_USED = np.array([0x0F0F0F0F0F0F0F0F & -1 << (64 - 8 * n) for n in range(_WORD + 1)], np.uint64)
"""The bits of the digits of an item of n digits: its last bytes, without the bits of ``0``."""
_STEPS = (
    (0x0F0F0F0F0F0F0F0F, 10 << 8 | 1, 8),
    (0x00FF00FF00FF00FF, 100 << 16 | 1, 16),
    (0x0000FFFF0000FFFF, 10000 << 32 | 1, 32),
)
"""For each step the bits to keep, the factor, and the bits by which the product is shifted."""


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
    digit = codes - np.uint8(_ZERO) < 10
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
    if _MINUS in text or _PLUS in text:
        sign = codes.take(before)
        negative = sign == _MINUS
        marks += int(np.count_nonzero(negative) + np.count_nonzero(sign == _PLUS))
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
    return not bool(((codes[1:].take(before) == _ZERO) & (size > 1)).any())


def _are_separate(codes: NDArray[np.uint8], before: Positions, last: Positions) -> bool:
    """Return whether there is a comma between each item and the next, given their number."""
    if bool((codes[1:].take(last[:-1]) == _COMMA).all()):
        return True
    commas = np.flatnonzero(codes == _COMMA)
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
