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
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ncz.model.types import Atomic, Value
from ncz.record import record
from ncz.text.format_values import NumberFormat, Precision, default_format, format_nonfinite

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
    width = digits + 9
    cells = _cells(q, exponents, digits, width)
    cells[:, 0] = signs * np.uint8(_MINUS)
    if others.size:
        texts = [b"%.*g" % (digits, value) for value in values[others].tolist()]
        cell_texts = np.array(texts, f"S{width - 2}")
        cells[others, : width - 2] = cell_texts.view(np.uint8).reshape(others.size, -1)
    for mask, word in words:
        cells[mask, : width - 2] = np.frombuffer(word.ljust(width - 2, b"\0"), np.uint8)
    cells[:, -2] = ord(",")
    cells[:, -1] = ord(" ")
    cells[columns - 1 :: columns, -2] = ord("\n")
    cells[columns - 1 :: columns, -1] = 0
    return cells.tobytes().translate(None, b"\0")[:-1]


def _cells(q: Integers, exponents: NDArray[np.int16], digits: int, width: int) -> Bytes:
    """Return each number as a row of `width` bytes; the first byte is for the sign."""
    text = _digits(q, digits)
    kinds = exponents.clip(-5, digits)  # the first and the last kind have an exponent
    present = np.flatnonzero(np.bincount(kinds + 5)) - 5
    if present.size == 1:
        return _place_digits(text, int(present[0]), exponents, width)
    cells = np.empty((q.size, width // 8), np.uint64)
    for kind in present.tolist():
        places = np.flatnonzero(kinds == kind)
        part = _place_digits(text[places], kind, exponents[places], width)
        cells[places] = part.view(np.uint64)
    return cells.view(np.uint8)


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


def _format_equal_lengths(values: NDArray[np.uint32], digits: int, columns: int) -> bytes:
    """Format positive numbers of the same number of digits, 8 at most, in rows."""
    cells = np.empty((values.size, 3), np.uint32)
    table, _ = _integer_groups()
    if digits > 4:
        above = values // np.uint32(10000)
        cells[:, 0] = table.take(above.view(np.int32))
        values = values - above * np.uint32(10000)
    cells[:, 1] = table.take(values.view(np.int32))
    cells[:, 2] = _COMMA
    text = np.ndarray(values.size, f"V{digits + 2}", cells, 8 - digits, (12,)).tobytes()
    size = columns * (digits + 2)
    return b"\n".join([text[at : at + size - 2] for at in range(0, len(text), size)])


def format_integers(values: NDArray[Any], words: Sequence[MaskedWord], columns: int) -> bytes:
    r"""Format integers as ``%d``, in rows of `columns` values.

    `values` is one-dimensional, of any integer type. Values are joined by ``, `` and rows by
    ``\n``. `words` are words in place of numbers.
    """
    digits = len(str(int(values.max(initial=0))))
    if values.size and digits <= 8 and not words and int(values.min()) >= 10 ** (digits - 1):
        return _format_equal_lengths(values.astype(np.uint32), digits, columns)
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


# Format floating-point numbers in the notation without exponent, as ``%.7g`` and ``%.15g`` do.
#
# The numbers of a block seldom have more than a few decimal exponents, so that all numbers with the
# exponent e are scaled by the same power of ten: the P digits are round(x * 10**(P-1-e)). The
# product is exact for a float. For a double it is wrong by less than 0.07, so that it decides how
# to round unless it is near a tie. Digits and the point are taken from tables, four characters at a
# time.
#
# `ncz.text.format_numbers` formats what is left.

_SURE = 0.43
"""Largest distance from an integer at which the scaled double is rounded correctly."""


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
class Fixed:
    """The text of numbers, and whether one of them is another number when it is read back."""

    text: bytes
    loses_digits: bool


def format_fixed(
    values: NDArray[Any], digits: int, words: Sequence[MaskedWord], columns: int, check: bool
) -> Fixed | None:
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
    Fixed or None
        None if a number has an exponent, or if `ncz.text.format_numbers` must round it.
    """
    magnitudes = np.abs(values).astype(np.float64, copy=False)
    signs = np.signbit(values) if values.min() <= 0 or words else None
    words = _with_zeros(magnitudes, words)
    if words and signs is not None:
        magnitudes = _replace(magnitudes, signs, words)
    ends = np.array([magnitudes.min(), magnitudes.max()])
    if not (ends[0] >= 1e-4 and ends[1] < 10.0**digits):
        return None
    first, last = decimal_exponents(ends).tolist()
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
        cells = np.zeros((values.size, (digits + 1) // 4 + 2), np.uint32)
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
    return None if text is None else Fixed(text, loses)


def _with_zeros(magnitudes: Doubles, words: Sequence[MaskedWord]) -> Sequence[MaskedWord]:
    """Return the words, and 0 as another one if a number is zero."""
    zeros = magnitudes == 0
    return [(zeros, b"0"), *words] if zeros.any() else words


def _replace(magnitudes: Doubles, signs: NDArray[np.bool_], words: Sequence[MaskedWord]) -> Doubles:
    """Return the magnitudes, with that of a plain number for words; their signs are removed."""
    mask_all = np.zeros(magnitudes.size, bool)
    for mask, word in words:
        mask_all |= mask
        if word != b"0":
            signs &= ~mask
    one = int(mask_all.argmin())  # the first number
    return np.where(mask_all, 1.0 if mask_all[one] else magnitudes[one], magnitudes)


@record
class _Scaled:
    """The characters of numbers, four in each column; a column may be the same for all of them."""

    columns: list[Words | int]
    loses_digits: bool


def _scale(
    magnitudes: Doubles, dtype: np.dtype[Any], digits: int, exponent: int, check: bool
) -> _Scaled | None:
    """Round numbers with the same decimal exponent; None if one of them cannot be rounded here."""
    ten = 10.0 ** (digits - 1 - exponent)
    product = magnitudes * ten
    q = np.rint(product)
    if digits > 7:
        product -= q
        unsure = np.flatnonzero(np.abs(product, out=product) > _SURE)
        if unsure.size:
            exact, exponents, sure = decimal_digits(magnitudes[unsure], digits)
            if not sure.all() or (exponents != exponent).any():
                return None
            q[unsure] = exact
    if q.max() >= 10.0**digits:
        return None
    # Both operands are exact, so the quotient is the nearest double.
    loses = check and bool((np.divide(q, ten, out=product).astype(dtype) != magnitudes).any())
    return _Scaled([_BEFORE.get(exponent, 0), *_characters(q, digits, exponent)], loses)


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
    """Join the cells of the numbers; the last column is for what follows each of them."""
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


# Find floating-point numbers that have more digits than are printed.
#
# A printed number comes back as the nearest float or double, so digits are lost where that is
# another one.

_EXACT = 22
"""Largest power of ten that a double holds exactly."""

_BLOCK = 1 << 13
"""Number of values that are looked at together, so that intermediate arrays stay in the cache."""

_TENS = np.array([float(f"1e{n}") for n in range(_EXACT + 1)])


def loses_digits(values: NDArray[Any], digits: int) -> bool:
    """Return whether one of the values is another number after it is rounded to decimal digits.

    Parameters
    ----------
    values
        One-dimensional, of float32 or float64. Those that are not finite lose nothing.
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


# Format arrays of numbers as rows: ``1, 2, _, 4``.
#
# `ncz.text.format_numbers` formats values in the default formats. Other printf formats are applied
# with Python's ``%``, to a whole block at once.

BLOCK = 1 << 15
"""Values formatted at a time."""

OnLoss = Callable[[], object] | None


def fill_mask(values: NDArray[Any], fill: Value) -> NDArray[np.bool_] | None:
    """Return the mask of the values that are printed as ``_``; None if there are none.

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
    digits = _DIGITS.get((nc_type, style))
    if digits is not None:
        text = _format_default(flat, digits, words, values.shape[1], on_loss)
        if text is not None:
            return text
    elif style.text == "%d" and style.bits is None and values.dtype.kind in "iu":
        return format_integers(flat, words, values.shape[1])
    return format_by_printf(values, style, words)


def _format_default(
    flat: NDArray[Any], digits: int, words: Sequence[MaskedWord], columns: int, on_loss: OnLoss
) -> bytes | None:
    """Format floating-point numbers with the default number of digits, if this is fast."""
    if flat.size:
        fixed = format_fixed(flat, digits, words, columns, on_loss is not None)
        if fixed is not None:
            if fixed.loses_digits and on_loss is not None:
                on_loss()
            return fixed.text
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
