"""Format arrays of numbers as rows of ``%.7g``, ``%.15g`` and ``%d``, exactly and by the million.

The P digits of a number x with decimal exponent e are round(x * 10**(P-1-e)). The product is
computed in double-double arithmetic (T. J. Dekker, "A floating-point technique for extending the
available precision", 1971), which is exact for the most frequent powers. printf formats the numbers
whose product is not exact and too close to a tie, and those above 1e290 or below 1e-270. Digits
come from a table, four at a time. Each value has a cell of fixed width; its unused bytes are NUL
and are removed at the end.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Doubles = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Words = NDArray[np.uint32]

SMALLEST, LARGEST = -270, 290
"""Decimal exponents between which the arithmetic neither overflows nor loses bits."""

MaskedWord = tuple["NDArray[np.bool_]", bytes]
"""A word such as ``NaN``, and the mask of the values that it replaces."""

_SPLIT = 134217729.0  # 2**27 + 1, which splits a double into two halves
_CLOSE = 1e-6
_COMMA = int(np.frombuffer(b", \0\0", np.uint32)[0])
_ZERO, _DOT, _MINUS, _PLUS, _E = b"0.-+e"


@record
class _Powers:
    """10**(digits - 1 - e) for each exponent e from `SMALLEST` - 1, as a sum of two doubles."""

    high: Doubles
    low: Doubles
    exact: NDArray[np.bool_]


@functools.cache
def _powers(digits: int) -> _Powers:
    places = range(digits - SMALLEST, digits - 3 - LARGEST, -1)
    high = [float(f"1e{n}") for n in places]
    low = np.array([_rest(h, n) for h, n in zip(high, places, strict=True)])
    return _Powers(np.array(high), low, low == 0)


def _rest(high: float, n: int) -> float:
    """Return 10**n - high, rounded once: it is a quotient of integers."""
    numerator, denominator = high.as_integer_ratio()
    if n >= 0:
        return float(10**n - numerator)
    ten: int = 10**-n
    return (denominator - numerator * ten) / (ten * denominator)


@functools.cache
def _exponents() -> tuple[NDArray[np.int16], Doubles]:
    """Return the decimal exponent of each power of two, by biased exponent; and powers of ten."""
    estimates = np.floor((np.arange(2048) - 1023) * np.log10(2.0)).astype(np.int16)
    estimates[[0, 2047]] = 0
    tens = np.array([float(f"1e{e}") for e in range(SMALLEST - 1, LARGEST + 3)])
    return estimates.clip(SMALLEST - 1, LARGEST), tens


@functools.cache
def four_digits() -> Bytes:
    """Return 0 to 9999 as four characters each."""
    numbers = np.arange(10000, dtype=np.uint16)
    columns = [numbers // 1000, numbers // 100 % 10, numbers // 10 % 10, numbers % 10]
    return np.stack(columns, axis=1).astype(np.uint8) + np.uint8(_ZERO)


@functools.cache
def fraction_digits() -> NDArray[np.uint32]:
    """Return 0 to 9999 as four characters each, then the same with NUL for trailing zeros."""
    full = four_digits()
    return np.concatenate((full, without_trailing_zeros(full))).view(np.uint32).reshape(-1)


def without_trailing_zeros(characters: Bytes) -> Bytes:
    """Return rows of digits with NUL for trailing zeros."""
    zeros = np.logical_and.accumulate(characters[:, ::-1] == _ZERO, axis=1)[:, ::-1]
    return characters * ~zeros


def decimal_exponents(magnitudes: Doubles) -> NDArray[np.int16]:
    """Return the exponent e of numbers x, 10**e <= x < 10**(e + 1), between the two limits."""
    estimates, tens = _exponents()
    exponents: NDArray[np.int16] = estimates[magnitudes.view(np.int64) >> 52]
    exponents += magnitudes >= tens[exponents + (2 - SMALLEST)]
    return exponents


def decimal_digits(
    magnitudes: Doubles, digits: int
) -> tuple[Integers, NDArray[np.int16], NDArray[np.bool_]]:
    """Round finite numbers x > 0 to decimal digits.

    Returns
    -------
    q, e, sure
        x is q * 10**(e + 1 - digits), rounded, and 10**(digits - 1) <= q < 10**digits. Where `sure`
        is false, q may be wrong.
    """
    exponents = decimal_exponents(magnitudes)
    place = exponents + (1 - SMALLEST)
    powers = _powers(digits)
    high = powers.high[place]
    product = magnitudes * high
    if digits <= 7:
        # A float has 24 bits: the product is exact, or wrong only near a tie.
        error: Any = 0.0
        exact = (exponents <= digits - 1) & (exponents >= digits - 13)
    else:
        error = _product_error(magnitudes, high, product) + magnitudes * powers.low[place]
        exact = powers.exact[place]
        total = product + error
        error = error - (total - product)
        product = total
    whole = np.floor(product)
    beyond_half = (product - whole) - 0.5
    q = whole.astype(np.int64)
    q += (beyond_half > -error) | ((beyond_half == -error) & (q & 1 == 1))
    sure = exact | (np.abs(beyond_half + error) > _CLOSE)
    carried = q == 10**digits
    if carried.any():
        q[carried] = 10 ** (digits - 1)
        exponents[carried] += 1
    return q, exponents, sure


def _product_error(a: Doubles, b: Doubles, product: Doubles) -> Doubles:
    """Return the exact a * b minus `product`."""
    big = a * _SPLIT
    a_high = big - (big - a)
    a_low = a - a_high
    big = b * _SPLIT
    b_high = big - (big - b)
    b_low = b - b_high
    error: Doubles = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return error


def format_floats(
    values: NDArray[Any], digits: int, words: Sequence[MaskedWord], columns: int
) -> bytes | None:
    r"""Format floating-point numbers as ``%.Ng``, in rows.

    Parameters
    ----------
    values
        One-dimensional, of float32 with 7 digits or of float64 with 15.
    words
        Words in place of numbers. They must cover all values that are not finite.
    columns
        Values per row. They are joined by ``, `` and rows by ``\n``.

    Returns
    -------
    bytes or None
        None if printf would have to format many of the numbers.
    """
    signs = np.signbit(values)
    magnitudes = np.abs(values).astype(np.float64)
    zeros = magnitudes == 0
    usable = (magnitudes < 10.0**LARGEST) & (magnitudes > 10.0**SMALLEST)
    q, exponents, sure = decimal_digits(np.where(usable, magnitudes, 1.0), digits)
    q[zeros] = 0
    exponents[zeros] = 0
    is_printed = (sure & usable) | zeros
    is_printed &= (exponents > -100) & (exponents < 100)
    for mask, _ in words:
        is_printed |= mask
    others = np.flatnonzero(~is_printed)
    if 4 * others.size > values.size:
        return None
    cells = digit_cells(q, exponents, signs, digits)
    width = cells.shape[1]
    if others.size:
        texts = [b"%.*g" % (digits, value) for value in values[others].tolist()]
        cell_texts = np.array(texts, f"S{width - 2}")
        cells[others, : width - 2] = cell_texts.view(np.uint8).reshape(others.size, -1)
    for mask, word in words:
        cells[mask, : width - 2] = np.frombuffer(word.ljust(width - 2, b"\0"), np.uint8)
    cells[columns - 1 :: columns, -2] = ord("\n")
    cells[columns - 1 :: columns, -1] = 0
    return cells.tobytes().translate(None, b"\0")[:-1]


def digit_cells(
    q: Integers, exponents: NDArray[np.int16], signs: NDArray[np.bool_], digits: int
) -> Bytes:
    """Return each number as a row of bytes: its text as by ``%.Ng``, NULs, and ``, ``."""
    width = -(-(digits + 9) // 8) * 8
    text = _digits(q, digits)
    kinds = exponents.clip(-5, digits)  # the first and the last kind have an exponent
    present = np.flatnonzero(np.bincount(kinds + 5)) - 5
    if present.size == 1:
        cells = _place_digits(text, int(present[0]), exponents, width)
    else:
        words = np.empty((q.size, width // 8), np.uint64)
        for kind in present.tolist():
            places = np.flatnonzero(kinds == kind)
            part = _place_digits(text[places], kind, exponents[places], width)
            words[places] = part.view(np.uint64)
        cells = words.view(np.uint8)
    cells[:, 0] = signs * np.uint8(_MINUS)
    cells[:, -2] = ord(",")
    cells[:, -1] = ord(" ")
    return cells


def _digits(q: Integers, digits: int) -> Bytes:
    """Return the digits of each number, with NUL for trailing zeros."""
    count = (digits + 4) // 4
    table = fraction_digits()
    text = np.empty((q.size, count), np.uint32)
    trailing = np.ones(q.size, bool)  # all digits to the right are zeros
    for group in range(count - 1, -1, -1):
        rest = q // 10000
        number = q - rest * 10000
        text[:, group] = table[number + 10000 * trailing]
        trailing &= number == 0
        q = rest
    return text.view(np.uint8)[:, 4 * count - digits :]


def _place_digits(text: Bytes, kind: int, exponents: NDArray[np.int16], width: int) -> Bytes:
    """Add point and exponent to the digits of numbers whose decimal exponent is `kind`."""
    digits = text.shape[1]
    cells = np.zeros((len(text), width), np.uint8)
    if 0 <= kind < digits:
        cells[:, 1 : kind + 2] = np.maximum(text[:, : kind + 1], _ZERO)
        if kind + 1 < digits:
            cells[:, kind + 2] = (text[:, kind + 1] != 0) * np.uint8(_DOT)
            cells[:, kind + 3 : digits + 2] = text[:, kind + 1 :]
    elif -5 < kind < 0:
        cells[:, 1:3] = _ZERO, _DOT
        cells[:, 3 : 2 - kind] = _ZERO
        cells[:, 2 - kind : 2 - kind + digits] = text
    else:
        cells[:, 1] = text[:, 0]
        cells[:, 2] = (text[:, 1] != 0) * np.uint8(_DOT)
        cells[:, 3 : digits + 2] = text[:, 1:]
        cells[:, digits + 2] = _E
        cells[:, digits + 3] = np.where(exponents < 0, _MINUS, _PLUS)
        tens, ones = np.divmod(np.abs(exponents), 10)
        cells[:, digits + 4] = tens + _ZERO
        cells[:, digits + 5] = ones + _ZERO
    return cells


@functools.cache
def _integer_groups() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return 0 to 9999 as four characters each, then the same with NUL for leading zeros.

    In the second table, for the last four digits, 0 has one character even so.
    """
    full = four_digits()
    short = full * ~np.logical_and.accumulate(full == _ZERO, axis=1)
    upper = np.concatenate((full, short))
    last = upper.copy()
    last[10000, 3] = _ZERO
    return upper.view(np.uint32).reshape(-1), last.view(np.uint32).reshape(-1)


def _format_equal_lengths(values: NDArray[Any], digits: int, columns: int) -> bytes:
    """Format positive numbers of the same number of digits, in rows."""
    count = -(-digits // 4)
    rest: NDArray[Any] = values.astype(np.uint32 if digits <= 9 else np.uint64)
    ten_thousand = rest.dtype.type(10000)
    cells = np.empty((values.size, count + 1), np.uint32)
    table, _ = _integer_groups()
    for group in range(count - 1, -1, -1):
        number = rest
        if group:
            rest = rest // ten_thousand
            number = number - rest * ten_thousand
        cells[:, group] = table.take(number.view(f"i{number.itemsize}"))
    cells[:, -1] = _COMMA
    start, step = 4 * count - digits, 4 * count + 4
    text = np.ndarray(values.size, f"V{digits + 2}", cells, start, (step,)).tobytes()
    size = columns * (digits + 2)
    return b"\n".join([text[at : at + size - 2] for at in range(0, len(text), size)])


def format_integers(values: NDArray[Any], words: Sequence[MaskedWord], columns: int) -> bytes:
    r"""Format integers as ``%d``, in rows of `columns` values.

    `values` is one-dimensional, of any integer type. Values are joined by ``, `` and rows by
    ``\n``. `words` are words in place of numbers.
    """
    digits = len(str(int(values.max(initial=0))))
    if values.size and not words and int(values.min()) >= 10 ** (digits - 1):
        return _format_equal_lengths(values, digits, columns)
    negative = values < 0
    has_negative = bool(negative.any())
    rest = values.astype(np.uint64)
    if has_negative:  # modulo 2**64, so that the least int64 has a magnitude
        rest[negative] = 0 - rest[negative]
    largest = int(rest.max(initial=0))
    if largest < 2**32:
        rest = rest.astype(np.uint32)  # division is faster than of 64 bits
    count = max(1, -(-len(str(largest)) // 4))
    first = int(has_negative)
    cells = np.zeros((values.size, first + count + 1), np.uint32)
    upper, last = _integer_groups()
    ten_thousand = rest.dtype.type(10000)
    for group in range(count - 1, -1, -1):
        above = rest // ten_thousand
        number = rest - above * ten_thousand
        number += (above == 0) * ten_thousand  # all digits to the left are zeros
        table = last if group == count - 1 else upper
        cells[:, first + group] = table.take(number.view(f"i{number.itemsize}"))
        rest = above
    text = cells.view(np.uint8)
    if has_negative:
        text[:, 3] = negative * np.uint8(_MINUS)
    size = text.shape[1] - 4
    for mask, word in words:
        text[mask, :size] = np.frombuffer(word.ljust(size, b"\0"), np.uint8)
    text[:, -4] = ord(",")
    text[:, -3] = ord(" ")
    text[columns - 1 :: columns, -4] = ord("\n")
    text[columns - 1 :: columns, -3] = 0
    return text.tobytes().translate(None, b"\0")[:-1]
