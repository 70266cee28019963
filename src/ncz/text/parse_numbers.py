"""Parse lists of millions of decimal numbers: doubles, correctly rounded, and integers.

Without its point and its exponent a decimal number is an integer, which numpy parses several times
faster. If this integer is less than 2**53 and the power of ten is at most 22, both are exact
doubles, so that their product or quotient is the nearest double (W. D. Clinger, "How to read
floating point numbers accurately", 1990). Other numbers are parsed one by one, if they are rare.
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
"""At most one number in this number may have another form."""
_EXACT = 1 << 53
_TENS = 10.0 ** np.arange(23)
_LOWER = 0x20
_LONGEST_EXPONENT = 3
"""Digits of an exponent."""
_SHORT = 1000
"""Bytes of the longest list that Python parses faster than numpy."""
_PLAIN = rb"[ \t\r\n\f\v]*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)[ \t\r\n\f\v]*"
_PLAIN_LIST = re.compile(_PLAIN + rb"(?:," + _PLAIN + rb")*")
_WORDS = {b"Infinity": math.inf, b"Infinityf": math.inf, b"-Infinity": -math.inf,
          b"-Infinityf": -math.inf}  # fmt: skip
COMMA, PLUS, MINUS, _DOT, _SLASH, ZERO, _UNDERSCORE = b",+-./0_"

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
    commas = np.flatnonzero(codes == COMMA)
    first, last = np.append(0, commas + 1), np.append(commas, len(codes)) - 1
    if bool((last < first).any()) or _count_runs(text) != len(first):
        return None  # an empty item, or one with a blank inside
    written, begins, ends = dense, first, last
    exponents = None
    if b"e" in dense or b"E" in dense:
        split = _without_exponents(codes, first, last)
        if split is None:
            return None
        codes, first, last, exponents = split
        dense = codes.tobytes()
    words = _Words(fill)
    if _letters(codes).any():
        codes = codes.copy()
        if not words.find(codes, first, last):
            return None
        dense = codes.tobytes()
    is_sign = (codes == MINUS) | (codes == PLUS)
    signs = is_sign[first]
    if np.count_nonzero(is_sign) != np.count_nonzero(signs):
        return None
    size = last - first + 1 - signs
    digits = dense.translate(None, b".")
    power = exponents
    if len(digits) < len(dense):
        points = np.flatnonzero(codes == _DOT)
        commas = np.flatnonzero(np.frombuffer(digits, np.uint8) == COMMA)
        # A comma has moved by the number of points before it.
        before = last + 1 - np.append(commas, len(digits))
        dots = np.diff(before, prepend=0)
        if dots.max() > 1:
            return None
        places = (last - points[before - 1]) * dots
        power = -places if exponents is None else exponents - places
        size -= dots
    if size.min() < 1:
        return None
    start = first + signs
    padded = np.append(codes, np.uint8(0))
    leading = (codes[start] == ZERO) & (padded[start + 1] - np.uint8(ZERO) < 10)
    leading[words.places()] = False
    if leading.any():  # octal, or similar to it
        return None
    whole = parse_numbers(digits, np.dtype(np.int64))
    if whole is None or len(whole) != len(first):
        return None
    large = (whole >= _EXACT) | (whole <= -_EXACT)
    if power is None:
        values = whole.astype(np.float64)
    else:
        large |= np.abs(power) >= len(_TENS)
        values = whole / _TENS[np.clip(-power, 0, len(_TENS) - 1)]
        if exponents is not None:
            values *= _TENS[np.clip(power, 0, len(_TENS) - 1)]
    zeros = signs & (whole == 0)
    if zeros.any():
        values[zeros & (codes[first] == MINUS)] = -0.0
    if large.any():
        others = np.flatnonzero(large)
        if len(others) * _RARE > len(first):
            return None
        for number in others.tolist():
            values[number] = float(written[begins[number] : ends[number] + 1])
    return words.put(values)


def _count_runs(text: bytes) -> int:
    """Return the number of runs of characters that are neither blank nor a comma."""
    codes = np.frombuffer(text, np.uint8)
    solid = (codes > 32) & (codes != COMMA)
    return int(np.count_nonzero(solid[1:] > solid[:-1])) + int(solid[0])


def _letters(codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the mask of the characters that are neither digits nor in ``+,-.``."""
    beyond = codes - np.uint8(PLUS) > np.uint8(9 + ZERO - PLUS)
    letters: NDArray[np.bool_] = beyond | (codes == _SLASH)
    return letters


def _without_exponents(
    codes: NDArray[np.uint8], first: Positions, last: Positions
) -> tuple[NDArray[np.uint8], Positions, Positions, Positions] | None:
    """Return the characters of a list without exponents, its items, and their exponents.

    None if an exponent has another form, or if nothing is before it.
    """
    marks = np.flatnonzero(codes | np.uint8(_LOWER) == ord("e"))
    items = np.searchsorted(first, marks, side="right") - 1
    if (np.diff(items) < 1).any() or (marks == first[items]).any():
        return None
    end = last[items]
    after = codes[np.minimum(marks + 1, end)]
    minus = after == MINUS
    count = end - marks - (minus | (after == PLUS))
    if count.min() < 1 or count.max() > _LONGEST_EXPONENT:
        return None
    written = np.zeros(len(marks), np.intp)
    for place in range(int(count.max())):
        digit = (codes[end - place] - np.uint8(ZERO)) * (count > place)
        if digit.max() > 9:
            return None
        written += digit * np.intp(10**place)
    written[minus] *= -1
    kept = np.ones(len(codes), bool)
    for offset in range(int((end - marks).max()) + 1):
        kept[np.minimum(marks + offset, end)] = False
    removed, exponents = np.zeros((2, len(first)), np.intp)
    removed[items] = end - marks + 1
    exponents[items] = written
    moved = np.cumsum(removed)
    return codes[kept], first - moved + removed, last - moved, exponents


class _Words:
    """Items that are not numbers: fill, NaN, infinities."""

    def __init__(self, fill: float) -> None:
        self.fill = fill
        self.values: list[tuple[Positions, float]] = []
        self.infinite = 0

    def find(self, codes: NDArray[np.uint8], first: Positions, last: Positions) -> bool:
        """Overwrite each word with zeros and record its position; False if one is unknown."""
        fills = np.flatnonzero((codes[first] == _UNDERSCORE) & (first == last))
        codes[first[fills]] = ZERO
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
                return False
            self._add(np.array([number]), value, 1)
            codes[begin:end] = ZERO
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
                codes[first[nans] + offset] = ZERO
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
