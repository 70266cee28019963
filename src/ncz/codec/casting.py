"""Numbers of one type as numbers of another: rounding, and numbers out of range.

Source: zarr-extensions, "cast_value".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ncz.codec.element_types import integer_range, largest_float, number_type
from ncz.late import numpy as np

ROUNDING = (
    "nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away",
)  # fmt: skip

_EXACT = 2**53
"""A double represents all integers up to this one."""


def cast(elements: Any, dtype: Any, rounding: str, out_of_range: str | None) -> Any:
    """Return numbers in another dtype.

    Parameters
    ----------
    elements
        The numbers, in native byte order.
    dtype
        The dtype, in native byte order.
    rounding
        One of `ROUNDING`.
    out_of_range
        "clamp" or "wrap"; None if a number out of range is an error.

    Raises
    ------
    ValueError
        Names a number that has no place in the dtype.
    """
    limits = integer_range(dtype)
    if limits is None:
        return _to_floats(elements, dtype, rounding, out_of_range)
    if integer_range(elements.dtype) is not None:
        return _to_integers(_plain(elements), dtype, limits, out_of_range)
    return _rounded_to_integers(elements, dtype, limits, rounding, out_of_range)


def _plain(elements: Any) -> Any:
    """Return integers of at least a byte, in a dtype of numpy."""
    known = number_type(elements.dtype)
    return elements.astype(f"{known.kind}1") if known is not None and known.bits < 8 else elements


def _refuse(wrong: Any, elements: Any, dtype: Any) -> None:
    if wrong.any():
        raise ValueError(f"{elements[wrong][0]} is out of range of {dtype.name}")


def _to_integers(
    integers: Any, dtype: Any, limits: tuple[int, int], out_of_range: str | None
) -> Any:
    low, high = limits
    own = np.iinfo(integers.dtype)
    below, above = integers < max(low, own.min), integers > min(high, own.max)
    if not (below.any() or above.any()) or out_of_range == "wrap":
        return _wrap(integers, dtype, limits)
    if out_of_range is None:
        _refuse(below | above, integers, dtype)
    inside = np.clip(integers, max(low, own.min), min(high, own.max))
    return _wrap(inside, dtype, limits)


def _wrap(integers: Any, dtype: Any, limits: tuple[int, int]) -> Any:
    """Return integers modulo the number of values that a dtype has."""
    bits = (limits[1] - limits[0]).bit_length()
    unsigned = integers.astype("u8")
    if bits >= 8:
        return unsigned.astype(dtype)
    remainder = (unsigned & np.uint64(2**bits - 1)).astype("i1")
    if limits[0] < 0:
        remainder = np.where(remainder > limits[1], remainder - 2**bits, remainder)
    return remainder.astype(dtype)


def _rounded_to_integers(
    elements: Any, dtype: Any, limits: tuple[int, int], rounding: str, out_of_range: str | None
) -> Any:
    values = elements.astype("f8")
    if not np.isfinite(values).all():
        wrong = values[~np.isfinite(values)][0]
        raise ValueError(f"{wrong} is not an integer, and scalar_map does not map it")
    whole = _ROUNDED[rounding](values)
    low, high = limits
    # The number after the largest is a power of two, which a double represents.
    below, above = whole < low, whole >= float(high + 1)
    if not (below.any() or above.any()):
        inside = whole
    elif out_of_range is None:
        _refuse(below | above, elements, dtype)
        return elements
    elif out_of_range == "clamp":
        result = np.where(below | above, 0.0, whole).astype("i8" if low < 0 else "u8")
        result[below], result[above] = low, high
        return result.astype(dtype)
    else:
        return _wrap(_modulo(whole), dtype, limits)
    return inside.astype("i8" if low < 0 else "u8").astype(dtype)


def _modulo(whole: Any) -> Any:
    """Return whole doubles modulo 2**64, as unsigned integers."""
    remainder = np.fmod(whole, 2.0**64)
    magnitude = np.abs(remainder).astype("u8")
    return np.where(remainder < 0, np.uint64(0) - magnitude, magnitude)


def _away(values: Any) -> Any:
    whole = np.trunc(values)
    return np.where(np.abs(values - whole) >= 0.5, whole + np.copysign(1.0, values), whole)


def _function(name: str) -> Callable[[Any], Any]:
    def round_values(values: Any) -> Any:
        return getattr(np, name)(values)

    return round_values


_ROUNDED: dict[str, Callable[[Any], Any]] = {
    "nearest-even": _function("rint"),
    "towards-zero": _function("trunc"),
    "towards-positive": _function("ceil"),
    "towards-negative": _function("floor"),
    "nearest-away": _away,
}


def _to_floats(elements: Any, dtype: Any, rounding: str, out_of_range: str | None) -> Any:
    exact = _exact(elements)
    is_nan, is_infinite = _special(exact, np.isnan), _special(exact, np.isinf)
    with np.errstate(all="ignore"):
        floats = _nearest(exact, dtype)
        if rounding != "nearest-even":
            floats = _round_by_rule(exact, floats, dtype, rounding)
    wide = floats.astype("f8")
    _refuse((is_nan & ~np.isnan(wide)) | (is_infinite & ~np.isinf(wide)), elements, dtype)
    is_finite = ~is_nan & ~is_infinite
    lost = ~np.isfinite(wide) & is_finite
    if rounding != "nearest-even":  # towards zero, the largest number is next to all beyond it
        lost |= is_finite & np.asarray(np.abs(exact) >= _first_beyond(dtype), bool)
    if not np.isinf(np.array(np.inf).astype(dtype).astype("f8")):  # it ends with a number
        lost |= np.asarray(np.abs(exact) > largest_float(dtype), bool)
    if not lost.any():
        return floats
    if out_of_range != "clamp":
        _refuse(lost, elements, dtype)
    return _clamp(exact, floats, lost, dtype)


def _first_beyond(dtype: Any) -> float:
    """Return the number after the largest, if the exponents of a dtype had no limit."""
    largest = largest_float(dtype)
    before = np.nextafter(np.array(largest).astype(dtype), np.array(0).astype(dtype))
    return largest + (largest - float(before))


def _special(exact: Any, test: Callable[[Any], Any]) -> Any:
    """Return a mask of the numbers that are NaN or infinite; integers are neither."""
    return test(exact) if exact.dtype.kind != "O" else np.zeros(exact.shape, bool)


def _exact(elements: Any) -> Any:
    """Return doubles, or objects of Python if some integers are not doubles."""

    if integer_range(elements.dtype) is None:
        return elements.astype("f8")
    integers = _plain(elements)
    is_small = integers.dtype.itemsize < 8 or not integers.size
    if not is_small:
        is_small = int(integers.min()) >= -_EXACT and int(integers.max()) <= _EXACT
    return integers.astype("f8") if is_small else integers.astype("O")


def _nearest(exact: Any, dtype: Any) -> Any:
    """Return the nearest numbers of a dtype, with ties to even."""
    if exact.dtype.kind != "O":
        return exact.astype(dtype)
    integers = exact.astype("u8") if (exact > 2**63 - 1).any() else exact.astype("i8")
    return integers.astype(dtype)


def _as_exact(floats: Any, exact: Any) -> Any:
    """Return floats in a form that is compared with exact numbers without rounding."""
    wide = floats.astype("f8")
    if exact.dtype.kind != "O":
        return wide

    # Python compares an integer with a float exactly, but subtracts it as a float.
    whole = [int(n) if n.is_integer() else n for n in wide.reshape(-1).tolist()]
    return np.fromiter(whole, "O", len(whole)).reshape(wide.shape)


def _round_by_rule(exact: Any, floats: Any, dtype: Any, rounding: str) -> Any:
    """Correct the nearest numbers according to a rule of rounding."""
    near = _as_exact(floats, exact)
    down = np.nextafter(floats, np.array(-np.inf).astype(dtype))
    up = np.nextafter(floats, np.array(np.inf).astype(dtype))
    too_large = np.asarray(near > exact, bool)
    too_small = np.asarray(near < exact, bool)
    lower = np.where(too_large, down, floats)
    upper = np.where(too_small, up, floats)
    match rounding:
        case "towards-negative":
            return lower
        case "towards-positive":
            return upper
        case "towards-zero":
            return np.where(np.asarray(exact < 0, bool), upper, lower)
    below, above = _as_exact(lower, exact), _as_exact(upper, exact)
    is_tie = np.asarray(exact - below == above - exact, bool) & (too_large | too_small)
    away = np.where(np.asarray(exact < 0, bool), lower, upper)
    return np.where(is_tie, away, floats)


def _clamp(exact: Any, floats: Any, lost: Any, dtype: Any) -> Any:
    """Return floats with infinities, or the largest numbers, where numbers are out of range."""
    largest = np.array(np.inf).astype(dtype)
    if not np.isinf(largest.astype("f8")):
        largest = np.array(largest_float(dtype)).astype(dtype)
    result = floats.copy()
    negative = np.asarray(exact < 0, bool)
    result[lost & ~negative] = largest
    result[lost & negative] = -largest
    return result
